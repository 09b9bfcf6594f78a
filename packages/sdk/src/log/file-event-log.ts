/**
 * The log as files in the reference's layout: `<directory>/events/event-00042-<id>.json`, with an index of at least five
 * digits.
 *
 * An append writes each event to a temporary file beside the folder, where the reference does not look, syncs the file,
 * renames it into the folder and syncs the folder. It lists nothing and looks nothing up, so it costs the same at every
 * length. See docs/adr/0008-one-file-an-event.md.
 */
import { dirname, join } from 'node:path';
import { EventFormatError, parseEvent, serializeEvent } from '../event/codec.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import { CHECKSUMS_FILE, Checksums } from './checksums.ts';
import { type Disk, nodeDisk, PRIVATE_FILE } from './disk.ts';
import type { Durability, EventLog } from './event-log.ts';
import { fileName, listEvents } from './event-names.ts';
import { LogError } from './log-error.ts';
import { checkAppend, foundIndex, positionOf, rangeOf } from './log-rules.ts';

export interface FileEventLogOptions {
  /** Default `power`. */
  readonly durability?: Durability | undefined;
  /** Read without changing anything on disk. Default false. */
  readonly readOnly?: boolean | undefined;
  /** Called once for each file that is skipped, and once if there are gaps. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Default: the disk of this machine, through `node:fs`. */
  readonly disk?: Disk | undefined;
}

const TEMPORARY = /^\.append-\d+\.tmp$/;
/** The events that were last read or written. The view holds what it needs itself. */
const CACHED_EVENTS = 64;
/** Handing a sync to another thread costs about 0.1 ms; on a disk faster than this, waiting in place is cheaper. */
const QUICK_SYNC_MS = 3;

/** Enough for a call and its result, or the answers to two calls. */
const SPARE_FILES = 2;

interface TemporaryFile {
  readonly temporary: string;
  readonly descriptor: number;
}

/** An EventLog in a folder, one file for each event. Only one writer at a time may open a folder: see `writer-lock.ts`. */
export class FileEventLog implements EventLog {
  readonly #directory: string;
  readonly #folder: string;
  readonly #durability: Durability;
  readonly #readOnly: boolean;
  readonly #warn: (text: string) => void;
  readonly #disk: Disk;
  readonly #checksums: Checksums;
  /** By index; undefined in a gap. */
  readonly #ids: (EventId | undefined)[];
  readonly #indices: Map<EventId, number>;
  readonly #cache = new Map<number, Event>();
  /** The files whose change was reported. */
  readonly #changed = new Set<string>();
  /** The reference's length markers, until they are removed. */
  readonly #markers: readonly string[];
  /** Kept open so that a sync needs no look-up. */
  #folderDescriptor: number | null = null;
  #last: Promise<unknown> = Promise.resolve();
  /** Why nothing can be appended any more. */
  #refusal: LogError | null = null;
  #syncTookMs = 0;
  readonly #spare: TemporaryFile[] = [];
  #created = 0;

  /** Lists the folder once and reads no event. Throws LogError `not_found` (read-only and no such log) or `io`. */
  static async open(directory: string, options: FileEventLogOptions = {}): Promise<FileEventLog> {
    const log = new FileEventLog(directory, options);
    if (!log.#readOnly) log.#prepareForWriting();
    return log;
  }

  private constructor(directory: string, options: FileEventLogOptions) {
    this.#directory = directory;
    this.#folder = join(directory, 'events');
    this.#durability = options.durability ?? 'power';
    this.#readOnly = options.readOnly ?? false;
    this.#warn = options.onWarning ?? (() => undefined);
    this.#disk = options.disk ?? nodeDisk;
    this.#checksums = new Checksums(directory, this.#disk);
    const listed = listEvents(this.#folder, this.#disk, { mayBeNew: !this.#readOnly, warn: this.#warn });
    this.#ids = listed.ids;
    this.#indices = listed.indices;
    this.#markers = listed.markers;
    if (this.#readOnly) this.#refusal = new LogError('read_only', `${directory} was opened for reading`);
  }

  get length(): number {
    return this.#ids.length;
  }

  append(...events: readonly Event[]): Promise<number> {
    const appended = this.#last.then(() => this.#store(events));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  at(index: number): Event | undefined {
    const position = positionOf(index, this.length);
    const cached = this.#cache.get(position);
    if (cached !== undefined) return cached;
    const id = this.#ids[position];
    if (id === undefined) return undefined;
    const event = this.#read(position, id);
    if (event !== undefined) this.#remember(position, event);
    return event;
  }

  has(id: EventId): boolean {
    return this.#indices.has(id);
  }

  indexOf(id: EventId): number {
    return foundIndex(id, this.#indices.get(id));
  }

  *read(from = 0, to = this.length): Iterable<readonly [number, Event]> {
    const [first, end] = rangeOf(from, to, this.length);
    for (let index = first; index < end; index += 1) {
      const event = this.at(index);
      if (event !== undefined) yield [index, event];
    }
  }

  *[Symbol.iterator](): Iterator<Event> {
    for (const [, event] of this.read()) yield event;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#refusal ??= new LogError('closed', 'the log is closed');
    for (const { temporary, descriptor } of this.#spare.splice(0)) {
      this.#disk.close(descriptor);
      this.#disk.remove(temporary);
    }
    this.#checksums.close();
    if (this.#folderDescriptor !== null) this.#disk.close(this.#folderDescriptor);
    this.#folderDescriptor = null;
  }

  #prepareForWriting(): void {
    try {
      const isNew = this.#disk.makeFolder(this.#folder);
      this.#folderDescriptor = this.#disk.open(this.#folder);
      if (isNew) this.#syncFolders(this.#directory, dirname(this.#directory));
      for (const name of this.#disk.list(this.#directory)) {
        if (TEMPORARY.test(name)) this.#disk.remove(join(this.#directory, name));
      }
      this.#withChecksums((checksums) => checksums.openForWriting());
      for (const marker of this.#markers) this.#disk.remove(join(this.#folder, marker));
    } catch (error) {
      throw writeError(this.#folder, error);
    }
  }

  /** A power cut must not take the folder of the events either. */
  #syncFolders(...paths: readonly string[]): void {
    if (this.#durability === 'process') return;
    for (const path of paths) {
      const descriptor = this.#disk.open(path);
      this.#disk.sync(descriptor);
      this.#disk.close(descriptor);
    }
  }

  /** Renames the events into place in order, and none before all are completely on disk. */
  async #store(events: readonly Event[]): Promise<number> {
    if (this.#refusal !== null) throw this.#refusal;
    checkAppend(events, (id) => this.#indices.has(id));
    const first = this.length;
    const written: (TemporaryFile & { readonly name: string; readonly source: string })[] = [];
    try {
      for (const [i, event] of events.entries()) {
        const file = this.#spare.pop() ?? this.#create();
        const source = serializeEvent(event);
        written.push({ ...file, name: fileName(first + i, event.id), source });
        this.#disk.write(file.descriptor, Buffer.from(source));
      }
      await this.#sync(written.map((file) => file.descriptor));
      for (const file of written) this.#disk.rename(file.temporary, join(this.#folder, file.name));
      await this.#sync(this.#folderDescriptor === null ? [] : [this.#folderDescriptor]);
    } catch (error) {
      for (const { temporary } of written) this.#disk.remove(temporary);
      this.#refusal = writeError(this.#folder, error);
      throw this.#refusal;
    } finally {
      for (const { descriptor } of written) this.#disk.close(descriptor);
    }
    for (const [i, event] of events.entries()) {
      this.#ids[first + i] = event.id;
      this.#indices.set(event.id, first + i);
      this.#remember(first + i, event);
    }
    this.#withChecksums((checksums) => checksums.add(written.map(({ name, source }) => [name, source])));
    if (this.#durability === 'power') setImmediate(() => this.#prepareSpare());
    return this.length - 1;
  }

  /** Events are stored without checksums too. */
  #withChecksums(act: (checksums: Checksums) => void): void {
    try {
      act(this.#checksums);
    } catch (error) {
      const path = join(this.#directory, CHECKSUMS_FILE);
      this.#warn(`${path} cannot be written: ${(error as Error).message}; later events get no checksum`);
    }
  }

  #create(): TemporaryFile {
    this.#created += 1;
    const temporary = join(this.#directory, `.append-${this.#created}.tmp`);
    return { temporary, descriptor: this.#disk.create(temporary, PRIVATE_FILE) };
  }

  /** Creating a file right after a sync waits for the file system's journal, so the next files are created between appends. */
  #prepareSpare(): void {
    if (this.#refusal !== null) return;
    try {
      while (this.#spare.length < SPARE_FILES) this.#spare.push(this.#create());
    } catch {
      // The next append runs into the same error and reports it.
    }
  }

  /** Waits in place for a fast disk; a slow one must not block the whole process. */
  async #sync(descriptors: readonly number[]): Promise<void> {
    if (this.#durability === 'process') return;
    const beganAt = performance.now();
    if (this.#syncTookMs > QUICK_SYNC_MS)
      await Promise.all(descriptors.map((each) => this.#disk.syncInBackground(each)));
    else for (const each of descriptors) this.#disk.sync(each);
    this.#syncTookMs = performance.now() - beganAt;
  }

  /** Undefined, after one warning, if the file does not hold the event that its name promises. */
  #read(index: number, id: EventId): Event | undefined {
    const name = fileName(index, id);
    const path = `${this.#folder}/${name}`;
    try {
      const source = this.#disk.read(path);
      const isOwn = this.#checksums.confirms(name, source);
      const event = parseEvent(source, { isOwn: isOwn === true });
      if (event.id !== id) throw new EventFormatError(`it holds the event ${event.id}`);
      if (isOwn === false) this.#reportChange(path);
      return event;
    } catch (error) {
      this.#setAside(index, id, path, error as Error);
      return undefined;
    }
  }

  /** Once for each file. It is used as it is, since somebody may have changed it on purpose. */
  #reportChange(path: string): void {
    if (this.#changed.has(path)) return;
    this.#changed.add(path);
    const sums = join(this.#directory, CHECKSUMS_FILE);
    this.#warn(
      `${path} was changed after it was written: its SHA-256 is not the one in ${sums}. The event is used as it is. If nobody edited it, the disk may be failing: restore the file from a backup; otherwise remove its line from ${CHECKSUMS_FILE}`,
    );
  }

  #setAside(index: number, id: EventId, path: string, error: Error): void {
    delete this.#ids[index];
    this.#indices.delete(id);
    const aside = `${path}.corrupt`;
    if (this.#readOnly || !(error instanceof EventFormatError)) {
      this.#warn(`${path} cannot be read: ${error.message}; the event is skipped`);
      return;
    }
    this.#disk.rename(path, aside);
    this.#warn(`${path} cannot be read: ${error.message}; it was set aside as ${aside}`);
  }

  #remember(index: number, event: Event): void {
    this.#cache.set(index, event);
    if (this.#cache.size <= CACHED_EVENTS) return;
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

function writeError(place: string, error: unknown): LogError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new LogError('storage_full', `${place}: no space left on the device; free some and resume`, error);
  }
  return new LogError('io', `${place} cannot be written: ${message}`, error);
}
