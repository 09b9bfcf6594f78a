/** The longest common subsequence of the lines of two texts, for showing changes and for finding similar pieces. */

export function linesOf(content: string): string[] {
  return content === '' ? [] : content.replace(/\n$/, '').split('\n');
}

/** `lengths[i][j]`: how many lines `a` from `i` on and `b` from `j` on have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, next] = [lengths[i], lengths[i + 1]] as [Uint32Array, Uint32Array];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

/** The lines of both texts, each after ` ` (kept), `-` (removed) or `+` (added). */
export function changedLines(before: readonly string[], after: readonly string[]): string[] {
  const lengths = commonLengths(before, after);
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(` ${before[i]}`);
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      lines.push(`-${before[i]}`);
      i += 1;
    } else {
      lines.push(`+${after[j]}`);
      j += 1;
    }
  }
  return lines;
}

export interface Chunk {
  /** Counted from 1. */
  readonly first: number;
  readonly lines: readonly string[];
  /** 0 to 1: the share of its lines that the wanted lines contain, ignoring white space. */
  readonly likeness: number;
}

/** The pieces of a file that are most similar to some lines, the most similar first. */
export function likeliest(
  lines: readonly string[],
  wanted: readonly string[],
  { size, count }: { readonly size: number; readonly count: number },
): Chunk[] {
  const trimmed = wanted.map((line) => line.trim());
  const known = new Set(trimmed);
  const chunks: Chunk[] = [];
  for (let at = 0; at < lines.length; at += size) {
    const piece = lines.slice(at, at + size);
    const shared = piece.map((line) => line.trim()).filter((line) => known.has(line));
    const common = shared.length === 0 ? 0 : (commonLengths(shared, trimmed)[0]?.[0] ?? 0);
    chunks.push({ first: at + 1, lines: piece, likeness: common / piece.length });
  }
  return chunks.sort((a, b) => b.likeness - a.likeness).slice(0, count);
}
