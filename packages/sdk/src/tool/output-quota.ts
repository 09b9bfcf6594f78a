import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Most bytes of all outputs that one conversation keeps. */
export const MAX_OUTPUT_BYTES = 500_000_000;

/** Bounds the size of a folder: when it grows beyond the bound, its oldest files are removed. */
export class OutputQuota {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Sizes by name, the oldest first; null until something is written. */
  #sizes: Map<string, number> | null = null;
  #total = 0;

  constructor(folder: string, maxBytes = MAX_OUTPUT_BYTES) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** A file has been written anew with these bytes. */
  wrote(name: string, bytes: number): void {
    const sizes = this.#known();
    this.#total -= sizes.get(name) ?? 0;
    sizes.delete(name);
    sizes.set(name, 0);
    this.grew(name, bytes);
  }

  /** Bytes have been added to a file. */
  grew(name: string, bytes: number): void {
    const sizes = this.#known();
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
    this.#total += bytes;
    for (const [oldest, size] of sizes) {
      if (this.#total <= this.#maxBytes) return;
      if (oldest === name) continue;
      rmSync(join(this.#folder, oldest), { force: true });
      sizes.delete(oldest);
      this.#total -= size;
    }
  }

  /** Looks at the folder once, before the first file of this process is in it. */
  #known(): Map<string, number> {
    if (this.#sizes !== null) return this.#sizes;
    const found = namesIn(this.#folder).flatMap((name) => {
      const stat = statSync(join(this.#folder, name), { throwIfNoEntry: false });
      return stat?.isFile() === true ? [{ name, bytes: stat.size, at: stat.mtimeMs }] : [];
    });
    found.sort((a, b) => a.at - b.at);
    this.#total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#sizes = new Map(found.map(({ name, bytes }) => [name, bytes]));
    return this.#sizes;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it does not exist yet
  }
}
