import { millisecondsOf } from '../event/identity.ts';

/** Seconds between two timestamps. Never negative, even if the clock was set back; 0 if one of them is missing. */
export function secondsBetween(from: string | undefined, to: string | undefined): number {
  // As if they were UTC: only the difference counts, and that must not depend on the reader's zone.
  const [began, ended] = [from, to].map((time) => millisecondsOf(time, Date.UTC));
  if (began === undefined || ended === undefined) return 0;
  return Math.max(0, Math.round((ended - began) * 1_000) / 1e6);
}
