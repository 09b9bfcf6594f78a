/** Rows under their headings. Each column is as wide as its widest cell; the last one is not padded. */
export function tableLines(rows: readonly (readonly string[])[], pad: 'padStart' | 'padEnd'): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell[pad](widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
