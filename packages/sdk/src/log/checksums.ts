/**
 * `events.sha256`: the SHA-256 of the file of each event, so that a file that was damaged later is noticed when it is read.
 *
 * Format: that of `sha256sum`, one line `<64 hexadecimal digits>  events/<name>` for each file. Other lines, such as one that was torn, are
 * ignored, and the last line for a name counts. A file without a line is not checked: the reference writes no lines, and a power cut may
 * take the latest ones, since they are not synced. They are written after the append is durable, so they cost it no second sync.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, PRIVATE_FILE } from './disk.ts';

export const CHECKSUMS_FILE = 'events.sha256';
const FOLDER = 'events/';
const LINE = /^([0-9a-f]{64}) {2}events\/(.+\.json)$/;

export class Checksums {
  readonly #path: string;
  readonly #disk: Disk;
  #descriptor: number | null = null;
  /** By file name; null until an event is read, so that appending to a long log does not parse them all. */
  #known: Map<string, string> | null = null;
  /** Whether the last line lacks its end; null before the first write. */
  #isTorn: boolean | null = null;

  constructor(directory: string, disk: Disk) {
    this.#path = join(directory, CHECKSUMS_FILE);
    this.#disk = disk;
  }

  /** Throws the error of the operating system. */
  openForWriting(): void {
    this.#descriptor = this.#disk.append(this.#path, PRIVATE_FILE);
  }

  /** Does nothing if it is not open for writing. Throws the error of the operating system, and then writes no more. */
  add(files: readonly (readonly [name: string, text: string])[]): void {
    const lines = files.map(([name, text]) => {
      const sum = hash('sha256', text);
      this.#known?.set(name, sum);
      return `${sum}  ${FOLDER}${name}\n`;
    });
    if (this.#descriptor === null) return;
    this.#isTorn ??= !['', '\n'].includes(this.#source().slice(-1));
    try {
      this.#disk.write(this.#descriptor, Buffer.from(`${this.#isTorn ? '\n' : ''}${lines.join('')}`));
      this.#isTorn = false;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether the text of a file is the one that was written; undefined if that is not known. */
  confirms(name: string, text: string): boolean | undefined {
    const sum = this.#load().get(name);
    return sum === undefined ? undefined : sum === hash('sha256', text);
  }

  close(): void {
    if (this.#descriptor !== null) this.#disk.close(this.#descriptor);
    this.#descriptor = null;
  }

  #load(): Map<string, string> {
    if (this.#known !== null) return this.#known;
    this.#known = new Map();
    for (const line of this.#source().split('\n')) {
      const [, sum, name] = LINE.exec(line) ?? [];
      if (sum !== undefined && name !== undefined) this.#known.set(name, sum);
    }
    return this.#known;
  }

  #source(): string {
    try {
      return this.#disk.read(this.#path);
    } catch {
      return ''; // nothing is checked then
    }
  }
}
