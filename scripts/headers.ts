/**
 * In the bundle, the `Headers` of the provider packages: they pass it plain records and read it as pairs. The global one
 * loads the HTTP client of the global `fetch`, which takes 30 ms of CPU and is not used otherwise.
 */
export class Headers extends Map<string, string> {
  constructor(init: Iterable<readonly [string, string]> | { readonly [name: string]: string } = {}) {
    super();
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  /** A global one counts as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && 'append' in value && 'forEach' in value;
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  // @ts-expect-error: null, as the global one says it
  override get(name: string): string | null {
    return super.get(name.toLowerCase()) ?? null;
  }

  override set(name: string, value: string): this {
    return super.set(name.toLowerCase(), String(value));
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }
}
