import type { ToolContext } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import type { ForeignCall } from './format.ts';

/** What a foreign tool gets of a call. The stored event holds the same arguments, and foreign code may modify them. */
export function foreignCall(
  args: Arguments,
  { callId, signal, isApproved }: Pick<ToolContext, 'callId' | 'signal' | 'isApproved'>,
  timeUp: AbortController,
): ForeignCall {
  const ends = AbortSignal.any([signal, timeUp.signal]);
  return { id: callId, args: structuredClone(args), signal: ends, isApproved };
}
