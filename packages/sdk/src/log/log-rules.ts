/** What every log does alike: the check of an append, the meaning of indices and ranges, and the errors for what is not there. */
import { checkedEvent, EventFormatError } from '../event/codec.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import { LogError } from './log-error.ts';

/** The reference recognises a file only if the id in its name has this form. */
const ID = /^[0-9a-fA-F-]{8,}$/;

/** Freezes the events deeply. Throws LogError if one of them is not a valid event or cannot be stored under its id. */
export function checkAppend(events: readonly Event[], isTaken: (id: EventId) => boolean): void {
  const seen = new Set<EventId>();
  for (const event of events) {
    const { id } = event;
    if (!ID.test(id))
      throw new LogError('invalid_id', `"${id}" cannot be an event's id: hexadecimal digits and hyphens`);
    if (seen.has(id) || isTaken(id)) throw new LogError('duplicate_id', `there is already an event ${id}`);
    seen.add(id);
    checkForm(event);
  }
}

function checkForm(event: Event): void {
  try {
    checkedEvent(event);
  } catch (error) {
    if (!(error instanceof EventFormatError)) throw error;
    throw new LogError('invalid_event', `the event ${event.id} cannot be stored: ${error.message}`, error);
  }
}

/** The indices `[first, end)` of a log with `length` events; a negative index counts from the end, as in `Array.slice`. */
export function rangeOf(from: number, to: number, length: number): readonly [first: number, end: number] {
  const within = (index: number) => Math.min(Math.max(index < 0 ? length + index : index, 0), length);
  return [within(from), within(to)];
}

/** The position of an index, which counts from the end if it is negative. Throws LogError `out_of_range`. */
export function positionOf(index: number, length: number): number {
  const position = index < 0 ? length + index : index;
  if (Number.isInteger(position) && position >= 0 && position < length) return position;
  const range = length === 0 ? 'the log has no events' : `the log has the events 0 to ${length - 1}`;
  throw new LogError('out_of_range', `there is no event ${index}: ${range}`);
}

/** Throws LogError `not_found` if there is no index. */
export function foundIndex(id: EventId, index: number | undefined): number {
  if (index !== undefined) return index;
  throw new LogError('not_found', `there is no event ${id}`);
}
