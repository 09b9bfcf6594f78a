/** Formats durations, costs and counts for people. */
export function seconds(value: number): string {
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  const whole = Math.round(value);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

export function dollars(value: number): string {
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

export function thousands(value: number): string {
  if (value < 10_000) return String(value);
  return value < 1_000_000 ? `${(value / 1_000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

/** A sum that lacks calls without a known price says so; undefined if nothing is known. */
export function costWords(sum: {
  readonly cost: number;
  readonly unpriced_calls: number;
}): string | undefined {
  if (sum.cost === 0) return undefined;
  return sum.unpriced_calls === 0 ? dollars(sum.cost) : `at least ${dollars(sum.cost)}`;
}
