import { messagesOf } from '../../event/projection.ts';
import { essentialsOf } from '../essentials.ts';
import { cutPoints } from '../rules.ts';
import { KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';

/** Shows the first and the last events, with the task; nothing is forgotten, so a larger model may see everything again. */
export interface RecentSpec {
  readonly type: 'recent';
  /** Events at the beginning; default 1. */
  readonly keepFirst?: number;
  /** Events in all; default 100. */
  readonly maxEvents?: number;
}

export const recent = defineCondenser<RecentSpec>({
  sizes: { keepFirst: 0, maxEvents: 1 },
  create: ({ keepFirst = 1, maxEvents = 100 }) => {
    if (!(keepFirst >= 0 && keepFirst < maxEvents))
      throw new RangeError('recent: keep_first must be below max_events');
    return {
      handlesRequests: false,
      condense: async (view) => {
        const { events } = view;
        if (events.length <= maxEvents) return KEEP;
        const cuts = cutPoints(events);
        // Never less of the head than requested, and never more of the tail.
        const head = cuts.find((cut) => cut >= keepFirst) ?? 0;
        const tail = cuts.find((cut) => cut >= events.length - (maxEvents - keepFirst)) ?? events.length;
        const essentials = essentialsOf(events);
        const shown = events.filter((event, i) => i < head || i >= tail || essentials.has(event));
        return { kind: 'messages', messages: messagesOf(shown, view.render) };
      },
    };
  },
});
