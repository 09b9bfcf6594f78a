import { KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';
import type { PipelineSpec } from './spec.ts';

export const pipeline = defineCondenser<PipelineSpec>({
  create: ({ condensers: specs }, make) => {
    const condensers = specs.map(make);
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
  },
});
