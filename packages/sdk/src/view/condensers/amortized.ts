import { defineCondenser } from './condenser-kind.ts';
import { ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';

/** Forgets the middle, without a summary, when there are too many events; half of them stay. */
export interface AmortizedSpec extends Rolling {
  readonly type: 'amortized';
}

export const amortized = defineCondenser<AmortizedSpec>({
  ...ROLLING_MEMBERS,
  create: (spec) => rolling({ maxSize: 100, keepFirst: 1, ...spec }, async () => ({})),
});
