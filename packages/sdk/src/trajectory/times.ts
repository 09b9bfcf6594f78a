/** Local time without a zone, as `timestampOf` writes it, in milliseconds; undefined if it is none. */
function millisecondsOf(timestamp: string | undefined): number | undefined {
  const parts = /^(\d+)-(\d+)-(\d+)[T ](\d+):(\d+):(\d+)(?:\.(\d+))?/.exec(timestamp ?? '');
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const micros = Number((parts[7] ?? '0').padEnd(6, '0').slice(0, 6));
  // As if it were UTC: only differences count, and these must not depend on the reader's zone.
  return Date.UTC(year, month - 1, day, hour, minute, second) + micros / 1_000;
}

/** Never negative: a clock that was set back took no time. 0 if one of them is missing. */
export function secondsBetween(from: string | undefined, to: string | undefined): number {
  const began = millisecondsOf(from);
  const ended = millisecondsOf(to);
  if (began === undefined || ended === undefined) return 0;
  return Math.max(0, Math.round((ended - began) * 1_000) / 1e6);
}
