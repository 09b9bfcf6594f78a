/**
 * The log as files, in the layout of the reference: `<directory>/events/event-00042-<id>.json`, the index in at least
 * five digits.
 *
 * An append writes to a temporary name beside the folder, where the reference does not look, syncs the file, renames it
 * into the folder and syncs the folder. It lists nothing and looks up nothing, so it costs the same at every length.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { EventFormatError, parseEvent, serializeEvent } from '../event/codec.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import { fsyncFile, writeAll } from './atomic-file.ts';
import type { Durability, EventLog } from './event-log.ts';
import { LogError } from './log-error.ts';
import { checkIds } from './memory-event-log.ts';

export interface FileEventLogOptions {
  /** Default `power`. */
  readonly durability?: Durability;
  /** Look, but change nothing on disk. */
  readonly readOnly?: boolean;
  /** Told once of each file that is passed over, and of gaps. */
  readonly onWarning?: (text: string) => void;
}

/** An index of more digits is none that somebody counted to; the gap before it would be gone through. */
const FILE_NAME = /^event-(\d{5,7})-([0-9a-fA-F-]{8,})\.json$/;
/** A pipe that goes by the name of an event is empty; else whoever reads it would wait for ever. */
const READING = { encoding: 'utf8', flag: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) } as const;
const TEMPORARY = /^\.append-\d+\.tmp$/;
/** Events that were read or written last; the view holds what it needs by itself. */
const CACHED_EVENTS = 64;
/** Handing a sync to another thread costs about 0.1 ms; below this a sync of a few files is done before that pays. */
const QUICK_SYNC_MS = 3;

const SPARE_FILES = 2;

interface TemporaryFile {
  readonly temporary: string;
  readonly descriptor: number;
}

export class FileEventLog implements EventLog {
  readonly #directory: string;
  readonly #folder: string;
  readonly #durability: Durability;
  readonly #readOnly: boolean;
  readonly #warn: (text: string) => void;
  /** By index; empty where there is a gap. */
  readonly #ids: (EventId | undefined)[] = [];
  readonly #indices = new Map<EventId, number>();
  readonly #cache = new Map<number, Event>();
  /** Kept open, so that syncing it needs no look-up. */
  #folderDescriptor: number | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #refusal: LogError | null = null;
  #syncTookMs = 0;
  readonly #spare: TemporaryFile[] = [];
  #created = 0;

  /** Throws LogError `not_found` if there is no such log, `io` if it cannot be listed. The folder is listed once. */
  static async open(directory: string, options: FileEventLogOptions = {}): Promise<FileEventLog> {
    const log = new FileEventLog(directory, options);
    log.#list();
    if (!log.#readOnly) log.#prepareForWriting();
    return log;
  }

  private constructor(directory: string, options: FileEventLogOptions) {
    this.#directory = directory;
    this.#folder = join(directory, 'events');
    this.#durability = options.durability ?? 'power';
    this.#readOnly = options.readOnly ?? false;
    this.#warn = options.onWarning ?? (() => undefined);
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
    const position = index < 0 ? this.length + index : index;
    const cached = this.#cache.get(position);
    if (cached !== undefined) return cached;
    const id = this.#ids[position];
    if (id === undefined) return undefined;
    const event = this.#read(position, id);
    if (event !== undefined) this.#remember(position, event);
    return event;
  }

  indexOf(id: EventId): number {
    return this.#indices.get(id) ?? -1;
  }

  *read(from = 0, to = this.length): Iterable<readonly [number, Event]> {
    for (let index = from; index < Math.min(to, this.length); index += 1) {
      const event = this.at(index);
      if (event !== undefined) yield [index, event];
    }
  }

  async close(): Promise<void> {
    await this.#last;
    this.#refusal ??= new LogError('closed', 'the log is closed');
    for (const { temporary, descriptor } of this.#spare.splice(0)) {
      closeSync(descriptor);
      rmSync(temporary, { force: true });
    }
    if (this.#folderDescriptor !== null) closeSync(this.#folderDescriptor);
    this.#folderDescriptor = null;
  }

  #list(): void {
    for (const name of this.#names().sort()) {
      const [, digits, id] = FILE_NAME.exec(name) ?? [];
      if (digits === undefined || id === undefined) {
        if (!name.startsWith('.') && !name.endsWith('.corrupt'))
          this.#warn(`${join(this.#folder, name)} is no event; it is left alone`);
        continue;
      }
      const index = Number(digits);
      if (this.#ids[index] !== undefined || this.#indices.has(id)) {
        this.#warn(`${join(this.#folder, name)} has the index or the id of another event; it is left out`);
        continue;
      }
      this.#ids[index] = id;
      this.#indices.set(id, index);
    }
    const missing = this.length - this.#indices.size;
    if (missing > 0)
      this.#warn(`${this.#folder} lacks ${missing} of ${this.length} events; the others are used`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not_found' : 'io';
      if (code === 'not_found' && !this.#readOnly) return [];
      throw new LogError(code, `${this.#folder} cannot be listed: ${(error as Error).message}`, error);
    }
  }

  #prepareForWriting(): void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      this.#folderDescriptor = openSync(this.#folder, 'r');
      for (const name of readdirSync(this.#directory)) {
        if (TEMPORARY.test(name)) rmSync(join(this.#directory, name), { force: true });
      }
    } catch (error) {
      throw writeError(this.#folder, error);
    }
  }

  /** All are renamed into place in their order; none before all are whole on disk. */
  async #store(events: readonly Event[]): Promise<number> {
    if (this.#refusal !== null) throw this.#refusal;
    checkIds(events, (id) => this.#indices.has(id));
    const first = this.length;
    const written: (TemporaryFile & { readonly path: string })[] = [];
    try {
      for (const [i, event] of events.entries()) {
        const file = this.#spare.pop() ?? this.#create();
        written.push({ ...file, path: join(this.#folder, fileName(first + i, event.id)) });
        writeAll(file.descriptor, Buffer.from(serializeEvent(event)));
      }
      await this.#sync(written.map((file) => file.descriptor));
      for (const file of written) renameSync(file.temporary, file.path);
      await this.#sync(this.#folderDescriptor === null ? [] : [this.#folderDescriptor]);
    } catch (error) {
      for (const { temporary } of written) rmSync(temporary, { force: true });
      this.#refusal = writeError(this.#folder, error);
      throw this.#refusal;
    } finally {
      for (const { descriptor } of written) closeSync(descriptor);
    }
    for (const [i, event] of events.entries()) {
      this.#ids[first + i] = event.id;
      this.#indices.set(event.id, first + i);
      this.#remember(first + i, event);
    }
    if (this.#durability === 'power') setImmediate(() => this.#prepareSpare());
    return this.length - 1;
  }

  #create(): TemporaryFile {
    this.#created += 1;
    const temporary = join(this.#directory, `.append-${this.#created}.tmp`);
    return { temporary, descriptor: openSync(temporary, 'w', 0o644) };
  }

  /** Behind a sync a new file waits for the journal: the next ones are made while nobody waits for them. */
  #prepareSpare(): void {
    if (this.#refusal !== null) return;
    try {
      while (this.#spare.length < SPARE_FILES) this.#spare.push(this.#create());
    } catch {
      // The next append meets the same trouble, and tells it.
    }
  }

  /** A disk that is quick is waited for in place; one that is slow must not hold up the whole process. */
  async #sync(descriptors: readonly number[]): Promise<void> {
    if (this.#durability === 'process') return;
    const beganAt = performance.now();
    if (this.#syncTookMs > QUICK_SYNC_MS) await Promise.all(descriptors.map((each) => fsyncFile(each)));
    else for (const each of descriptors) fsyncSync(each);
    this.#syncTookMs = performance.now() - beganAt;
  }

  /** Undefined, and told of once, if the file does not hold the event of its name. */
  #read(index: number, id: EventId): Event | undefined {
    const path = `${this.#folder}/${fileName(index, id)}`;
    try {
      const event = parseEvent(readFileSync(path, READING));
      if (event.id !== id) throw new EventFormatError(`it holds the event ${event.id}`);
      return event;
    } catch (error) {
      this.#setAside(index, id, path, error as Error);
      return undefined;
    }
  }

  #setAside(index: number, id: EventId, path: string, error: Error): void {
    delete this.#ids[index];
    this.#indices.delete(id);
    const aside = `${path}.corrupt`;
    if (this.#readOnly || !(error instanceof EventFormatError)) {
      this.#warn(`${path} cannot be read: ${error.message}; the event is passed over`);
      return;
    }
    renameSync(path, aside);
    this.#warn(`${path} cannot be read: ${error.message}; it was set aside as ${aside}`);
  }

  #remember(index: number, event: Event): void {
    this.#cache.set(index, event);
    if (this.#cache.size <= CACHED_EVENTS) return;
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

function fileName(index: number, id: EventId): string {
  return `event-${String(index).padStart(5, '0')}-${id}.json`;
}

function writeError(place: string, error: unknown): LogError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new LogError(
      'storage_full',
      `${place}: no space is left on the device; free some and resume`,
      error,
    );
  }
  return new LogError('io', `${place} cannot be written: ${message}`, error);
}
