import { messagesOf } from '../../event/projection.ts';
import { cutPoints } from '../rules.ts';
import { type Condenser, KEEP } from './condenser.ts';

/** Shows the first and the last events; nothing is forgotten, so a larger model may see it all again. */
export function recent({
  keepFirst,
  maxEvents,
}: {
  readonly keepFirst: number;
  readonly maxEvents: number;
}): Condenser {
  return {
    handlesRequests: false,
    condense: async (view) => {
      const { events } = view;
      if (events.length <= maxEvents) return KEEP;
      const cuts = cutPoints(events);
      // Never less of the head than asked for, never more of the tail.
      const head = cuts.find((cut) => cut >= keepFirst) ?? 0;
      const tail = cuts.find((cut) => cut >= events.length - (maxEvents - keepFirst)) ?? events.length;
      const shown = [...events.slice(0, head), ...events.slice(Math.max(head, tail))];
      return { kind: 'messages', messages: messagesOf(shown, view.render) };
    },
  };
}
