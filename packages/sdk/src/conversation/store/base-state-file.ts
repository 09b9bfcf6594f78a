import { join } from 'node:path';
import { writeFileAtomic } from '../../log/atomic-file.ts';
import { type Disk, nodeDisk } from '../../log/disk.ts';
import type { Durability } from '../../log/event-log.ts';
import type { State } from '../state/state.ts';
import { BASE_STATE_FILE } from './base-state.ts';

/** All events of this time become one write, so that a fast run does not write a file for each of its events. */
const FOLLOWS_WITHIN_MS = 100;

/** What is written now: the state that it says, by which an up-to-date file is recognised, and the text. */
export interface BaseStateSource {
  readonly state: State;
  serialize(): string;
}

/** `base_state.json` of one folder: written only when it is out of date, one write after another. */
export class BaseStateFile {
  readonly #path: string;
  readonly #current: () => BaseStateSource;
  readonly #warn: (text: string) => void;
  readonly #disk: Disk;
  #saved: State | null = null;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    directory: string,
    current: () => BaseStateSource,
    warn: (text: string) => void,
    disk: Disk = nodeDisk,
  ) {
    this.#path = join(directory, BASE_STATE_FILE);
    this.#current = current;
    this.#warn = warn;
    this.#disk = disk;
  }

  /** Saves within a tenth of a second; nothing waits for it. */
  saveSoon(): void {
    this.#timer ??= setTimeout(() => void this.save(), FOLLOWS_WITHIN_MS).unref();
  }

  /** Saves now, and ends a wait that `saveSoon` began. Never rejects: a failure is a warning, since the file can be rebuilt from the log. */
  save(durability: Durability = 'process'): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const current = this.#current();
    if (this.#saved === current.state) return this.#saving;
    const source = current.serialize();
    this.#saved = current.state;
    this.#saving = this.#saving
      .then(() => writeFileAtomic(this.#path, source, durability, { disk: this.#disk }))
      .catch((error: unknown) => this.#warn(`${BASE_STATE_FILE} was not written: ${String(error)}`));
    return this.#saving;
  }
}
