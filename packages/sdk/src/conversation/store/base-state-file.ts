import { join } from 'node:path';
import { writeFileAtomic } from '../../log/atomic-file.ts';
import { type Disk, nodeDisk } from '../../log/disk.ts';
import type { Durability } from '../../log/event-log.ts';
import type { State } from '../state/state.ts';
import { BASE_STATE_FILE } from './base-state.ts';

/** `base_state.json` of one folder: written only when it is out of date, one write after another. */
export class BaseStateFile {
  readonly #path: string;
  readonly #warn: (text: string) => void;
  readonly #disk: Disk;
  #saved: State | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(directory: string, warn: (text: string) => void, disk: Disk = nodeDisk) {
    this.#path = join(directory, BASE_STATE_FILE);
    this.#warn = warn;
    this.#disk = disk;
  }

  /** Never rejects: a failure is a warning, since the file can be rebuilt from the log. */
  save(state: State, serialize: () => string, durability: Durability = 'process'): Promise<void> {
    if (this.#saved === state) return this.#saving;
    const source = serialize();
    this.#saved = state;
    this.#saving = this.#saving
      .then(() => writeFileAtomic(this.#path, source, durability, { disk: this.#disk }))
      .catch((error: unknown) => this.#warn(`${BASE_STATE_FILE} was not written: ${String(error)}`));
    return this.#saving;
  }
}
