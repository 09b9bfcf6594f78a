import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a file was before an edit of ours, and what it was after, so that undoing discards nobody else's work. */
export interface Edit {
  /** Null if the file was created. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

/** An edit as it is kept. */
export interface KeptEdit {
  readonly before: Uint8Array | null;
  /** Whether these bytes are what the edit left behind. */
  isAfter(bytes: Uint8Array): boolean;
}

const EDITS_PER_FILE = 10;
const CREATED = '.created';

/**
 * The last edits of each file, on disk: `<hash of the path>/<key>-<hash of what the edit left>` holds what was before, and
 * ends with `.created` if there was nothing. Kept in `directory` and found there again; without one, in a folder of its
 * own, which `close` removes.
 */
export class EditHistory {
  readonly #isOwn: boolean;
  readonly #limit: number;
  #directory: string | null;

  constructor(directory: string | null, limit = EDITS_PER_FILE) {
    this.#directory = directory;
    this.#isOwn = directory === null;
    this.#limit = limit;
  }

  push(path: string, { before, after }: Edit): void {
    const folder = this.#folderOf(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = namesIn(folder);
    const key = names.length === 0 ? 0 : keyOf(names.at(-1) ?? '') + 1;
    const name = `${String(key).padStart(6, '0')}-${hashOf(after)}${before === null ? CREATED : ''}`;
    writeFileSync(join(folder, name), before ?? '', { mode: 0o600 });
    const surplus = names.slice(0, Math.max(0, names.length + 1 - this.#limit));
    for (const each of surplus) rmSync(join(folder, each), { force: true });
  }

  last(path: string): KeptEdit | undefined {
    if (this.#directory === null) return undefined;
    const folder = this.#folderOf(path);
    const name = namesIn(folder).at(-1);
    if (name === undefined) return undefined;
    const [, hash = ''] = name.replace(CREATED, '').split('-');
    return {
      before: name.endsWith(CREATED) ? null : readFileSync(join(folder, name)),
      isAfter: (bytes) => hashOf(bytes) === hash,
    };
  }

  pop(path: string): void {
    if (this.#directory === null) return;
    const folder = this.#folderOf(path);
    const name = namesIn(folder).at(-1);
    if (name !== undefined) rmSync(join(folder, name), { force: true });
  }

  close(): void {
    if (this.#isOwn && this.#directory !== null) rmSync(this.#directory, { recursive: true, force: true });
  }

  #folderOf(path: string): string {
    this.#directory ??= mkdtempSync(join(tmpdir(), 'longhand-undo-'));
    return join(this.#directory, hashOf(Buffer.from(path)).slice(0, 16));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // nothing was kept yet
  }
}

function keyOf(name: string): number {
  return Number.parseInt(name, 10);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
