/**
 * A disk in memory that can lose power. It keeps what was written apart from what was synced: a file's content survives a
 * power cut only after a sync of the file, a name only after a sync of its folder. Of what was not synced, a power cut may
 * keep any prefix of the changes of names (as a journal does) and any prefix of each file's content.
 */
import type { Disk } from '../src/log/disk.ts';

interface File {
  written: Buffer;
  synced: Buffer;
}

/** Null stands for a folder. */
type Names = Map<string, File | null>;

type Renaming = (names: Names) => void;

/** What a power cut keeps of `count` unsynced changes: a number from 0 to `count`. */
export type Keeps = (count: number) => number;

export class MemoryDisk implements Disk {
  /** Every call that changes or syncs something, such as `sync /a/events`, in order. */
  readonly calls: string[] = [];
  /** Called before each of those calls; may throw. */
  beforeCall: (call: string) => void = () => undefined;
  #names: Names = new Map([['/', null]]);
  #syncedNames: Names = new Map([['/', null]]);
  /** The changes of names since they were last synced, with the folder of each. */
  #renamings: { readonly folder: string; readonly apply: Renaming }[] = [];
  readonly #open = new Map<number, string | File>();
  readonly #paths = new Map<number, string>();
  #lastDescriptor = 0;

  /** Everything that was not synced is gone, except what `keeps` lets through. Descriptors are closed. */
  cutPower(keeps: Keeps = () => 0): void {
    const kept = this.#renamings.slice(0, keeps(this.#renamings.length));
    for (const { apply } of kept) apply(this.#syncedNames);
    this.#renamings = [];
    const isLost = (path: string): boolean =>
      path !== '/' && (!this.#syncedNames.has(path) || isLost(folderOf(path)));
    for (const path of [...this.#syncedNames.keys()]) if (isLost(path)) this.#syncedNames.delete(path);
    this.#names = new Map(this.#syncedNames);
    for (const file of this.#names.values()) {
      if (file === null) continue;
      const more = file.written.length - file.synced.length;
      if (more > 0) file.synced = file.written.subarray(0, file.synced.length + keeps(more));
      file.written = file.synced;
    }
    this.#open.clear();
    this.beforeCall = () => undefined;
  }

  makeFolder(path: string): boolean {
    if (this.#names.has(path)) return false;
    this.makeFolder(folderOf(path));
    this.#call(`makeFolder ${path}`);
    this.#rename(path, (names) => names.set(path, null));
    return true;
  }

  list(folder: string): string[] {
    if (this.#names.get(folder) !== null) throw failure('ENOENT', folder);
    return [...this.#names.keys()]
      .filter((path) => path !== '/' && folderOf(path) === folder)
      .map((path) => path.slice(path.lastIndexOf('/') + 1));
  }

  read(path: string): string {
    const file = this.#names.get(path);
    if (file === undefined) throw failure('ENOENT', path);
    if (file === null) throw failure('EISDIR', path);
    return file.written.toString();
  }

  open(path: string): number {
    const file = this.#names.get(path);
    if (file === undefined) throw failure('ENOENT', path);
    return this.#describe(path, file ?? path);
  }

  create(path: string, mode: number): number {
    this.#call(`create ${path} ${mode.toString(8)}`);
    const file: File = { written: Buffer.of(), synced: Buffer.of() };
    this.#rename(path, (names) => names.set(path, file));
    return this.#describe(path, file);
  }

  append(path: string, mode: number): number {
    const file = this.#names.get(path);
    return file ? this.#describe(path, file) : this.create(path, mode);
  }

  write(descriptor: number, data: Buffer): void {
    this.#call(`write ${this.#paths.get(descriptor)}`);
    const file = this.#opened(descriptor) as File;
    file.written = Buffer.concat([file.written, data]);
  }

  sync(descriptor: number): void {
    this.#call(`sync ${this.#paths.get(descriptor)}`);
    this.#sync(this.#opened(descriptor));
  }

  async syncInBackground(descriptor: number): Promise<void> {
    this.#call(`sync in background ${this.#paths.get(descriptor)}`);
    this.#sync(this.#opened(descriptor));
  }

  close(descriptor: number): void {
    this.#opened(descriptor);
    this.#open.delete(descriptor);
  }

  rename(from: string, to: string): void {
    this.#call(`rename ${from} ${to}`);
    const file = this.#names.get(from);
    if (file === undefined) throw failure('ENOENT', from);
    this.#rename(to, (names) => {
      names.delete(from);
      names.set(to, file);
    });
  }

  remove(path: string): void {
    if (!this.#names.has(path)) return;
    this.#call(`remove ${path}`);
    this.#rename(path, (names) => names.delete(path));
  }

  get openDescriptors(): number {
    return this.#open.size;
  }

  #call(call: string): void {
    this.beforeCall(call);
    this.calls.push(call);
  }

  #rename(path: string, apply: Renaming): void {
    apply(this.#names);
    this.#renamings.push({ folder: folderOf(path), apply });
  }

  #describe(path: string, opened: string | File): number {
    this.#lastDescriptor += 1;
    this.#open.set(this.#lastDescriptor, opened);
    this.#paths.set(this.#lastDescriptor, path);
    return this.#lastDescriptor;
  }

  #opened(descriptor: number): string | File {
    const opened = this.#open.get(descriptor);
    if (opened === undefined) throw failure('EBADF', this.#paths.get(descriptor) ?? '');
    return opened;
  }

  #sync(opened: string | File): void {
    if (typeof opened !== 'string') {
      opened.synced = opened.written;
      return;
    }
    for (const { folder, apply } of this.#renamings) if (folder === opened) apply(this.#syncedNames);
    this.#renamings = this.#renamings.filter(({ folder }) => folder !== opened);
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
