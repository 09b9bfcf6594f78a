import { KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';

/** Always shows everything. */
export interface NoopSpec {
  readonly type: 'noop';
}

export const noop = defineCondenser<NoopSpec>({
  create: () => ({ handlesRequests: false, condense: async () => KEEP }),
});
