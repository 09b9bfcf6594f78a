import { type Condenser, KEEP } from './condenser.ts';

/** One after another until one has something to say. */
export function pipeline(condensers: readonly Condenser[]): Condenser {
  return {
    handlesRequests: condensers.some(({ handlesRequests }) => handlesRequests),
    condense: async (view, context) => {
      let last = KEEP;
      for (const condenser of condensers) {
        const condensed = await condenser.condense(view, context);
        if (condensed.kind === 'condensation') return condensed;
        if (condensed.kind === 'messages') last = condensed;
      }
      return last;
    },
  };
}
