import { randomUUID } from 'node:crypto';
import type { Draft } from './draft.ts';

export type EventId = string;

/** Marks a deliberate extra root of the conversation tree; never an event's id. */
export const ROOT = '__root__';

/** The source of ids and times; replaced in tests and replays. */
export interface Clock {
  /** Milliseconds since the epoch, with a fraction. Is given the draft if the time is for an event. */
  now(draft?: Draft): number;
  newId(draft?: Draft): EventId;
}

/** `Date` has no microseconds, and `performance` takes milliseconds to load. */
const beganAt = { ms: Date.now(), ns: process.hrtime.bigint() };

export const systemClock: Clock = {
  now: () => beganAt.ms + Number(process.hrtime.bigint() - beganAt.ns) / 1e6,
  newId: () => randomUUID(),
};

/**
 * Local wall-clock time as Python's `datetime.isoformat()` writes it: no offset, microseconds, and no
 * fraction at all when it is zero.
 */
export function timestampOf(ms: number): string {
  const totalMicros = Math.round(ms * 1_000);
  const micros = totalMicros % 1_000_000;
  const date = new Date((totalMicros - micros) / 1_000);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return micros === 0 ? `${day}T${time}` : `${day}T${time}.${String(micros).padStart(6, '0')}`;
}

/** Parses such a time; undefined for anything else. `epochOf` turns year, month (from 0), day and so on into milliseconds. */
export function millisecondsOf(
  timestamp: string | undefined,
  epochOf: typeof Date.UTC = (...local) => new Date(...(local as [number, number])).getTime(),
): number | undefined {
  const parts = /^(\d+)-(\d+)-(\d+)[T ](\d+):(\d+):(\d+)(?:\.(\d+))?/.exec(timestamp ?? '');
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const micros = Number((parts[7] ?? '0').padEnd(6, '0').slice(0, 6));
  return epochOf(year, month - 1, day, hour, minute, second) + micros / 1_000;
}
