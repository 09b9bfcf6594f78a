import { createHash } from 'node:crypto';
import type { ConversationFiles } from '@longhand/sdk';

/** The content of a file before and after an edit, so that undoing does not discard another program's changes. */
export interface Edit {
  /** Null if the file was created. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

/** An edit as it is stored. */
export interface KeptEdit {
  readonly before: Uint8Array | null;
  /** Whether these bytes are the result of the edit. */
  isAfter(bytes: Uint8Array): boolean;
}

const EDITS_PER_FILE = 10;
const CREATED = '.created';

/**
 * The last edits of each file, kept with the conversation: `undo/<hash of the file's key>/<key>-<hash of what the edit left>` contains the
 * previous content; its name ends with `.created` if there was no file.
 */
export class EditHistory {
  readonly #files: ConversationFiles;
  readonly #limit: number;

  constructor(files: ConversationFiles, limit = EDITS_PER_FILE) {
    this.#files = files;
    this.#limit = limit;
  }

  push(file: string, { before, after }: Edit): void {
    const folder = folderOf(file);
    const names = this.#files.list(folder);
    const key = names.length === 0 ? 0 : keyOf(names.at(-1) ?? '') + 1;
    const name = `${String(key).padStart(6, '0')}-${hashOf(after)}${before === null ? CREATED : ''}`;
    this.#files.write(`${folder}/${name}`, before ?? '');
    const surplus = names.slice(0, Math.max(0, names.length + 1 - this.#limit));
    for (const each of surplus) this.#files.remove(`${folder}/${each}`);
  }

  last(file: string): KeptEdit | undefined {
    const folder = folderOf(file);
    const name = this.#files.list(folder).at(-1);
    if (name === undefined) return undefined;
    const [, hash = ''] = name.replace(CREATED, '').split('-');
    const before = name.endsWith(CREATED) ? null : this.#files.read(`${folder}/${name}`);
    return before === undefined ? undefined : { before, isAfter: (bytes) => hashOf(bytes) === hash };
  }

  pop(file: string): void {
    const folder = folderOf(file);
    const name = this.#files.list(folder).at(-1);
    if (name !== undefined) this.#files.remove(`${folder}/${name}`);
  }
}

function folderOf(file: string): string {
  return `undo/${hashOf(Buffer.from(file)).slice(0, 16)}`;
}

function keyOf(name: string): number {
  return Number.parseInt(name, 10);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
