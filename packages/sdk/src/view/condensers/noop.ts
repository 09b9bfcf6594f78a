import { KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';

/** Shows everything, always. */
export interface NoopSpec {
  readonly type: 'noop';
}

export const noop = defineCondenser<NoopSpec>({
  create: () => ({ handlesRequests: false, condense: async () => KEEP }),
});
