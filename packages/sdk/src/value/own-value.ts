/** The own property of a table; undefined for inherited names such as `constructor`. */
export function ownValue<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
