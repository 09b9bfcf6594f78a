/** Detected encodings of files, so that an edit does not change the detector's result. */
export class EncodingCache {
  readonly #limit: number;
  readonly #known = new Map<string, { readonly modifiedMs: number; readonly encoding: string }>();

  constructor(limit = 1_000) {
    this.#limit = limit;
  }

  /** Undefined if it is unknown, or if the file has changed since. */
  get(path: string, modifiedMs: number): string | undefined {
    const found = this.#known.get(path);
    return found?.modifiedMs === modifiedMs ? found.encoding : undefined;
  }

  /** Drops the oldest entry when there are too many. */
  set(path: string, modifiedMs: number, encoding: string): void {
    this.#known.delete(path);
    this.#known.set(path, { modifiedMs, encoding });
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#limit && oldest !== undefined) this.#known.delete(oldest);
  }
}
