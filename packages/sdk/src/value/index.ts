/** `@longhand/sdk/value`: functions on plain values, which load nothing else. */
export { headOf, tailOf } from './cut.ts';
export { defined } from './defined.ts';
export { isRecord } from './is-record.ts';
export { LONGEST_TIMER_MS } from './longest-timer.ts';
export { nearest } from './nearest.ts';
export { ownValue } from './own-value.ts';
