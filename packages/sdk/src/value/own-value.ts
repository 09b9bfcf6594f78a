/** What a table has under a name; nothing under `constructor` and the like, which every object inherits. */
export function ownValue<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
