/** The name that was probably meant, if one is similar enough for a hint. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(word.length - name.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? names.find((name) => word.length > 2 && name.startsWith(word));
}

/** Insertions, deletions, replacements and swaps of neighbours (Damerau, optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? cell(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      row[j] = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced, swapped);
    }
  }
  return cell(a.length, b.length);
}
