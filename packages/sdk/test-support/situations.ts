/** Situations of a run, for tests of what it does next. */

import type { Situation } from '../src/conversation/run/decide.ts';
import { begin, evolve, type Happening, type RunState } from '../src/conversation/run/run-state.ts';
import type { Outcome } from '../src/conversation/state/status.ts';
import { type Draft, eventOf } from '../src/event/draft.ts';
import type { Message } from '../src/event/message.ts';
import { View } from '../src/view/view.ts';
import { callDraft, countingClock, wordsDraft } from './random-history.ts';

export const PROMPT: readonly Message[] = [{ role: 'user', content: [] }];

/** A view of these drafts, with ids event-0, event-1, ... */
export function viewOf(...drafts: readonly Draft[]): View {
  const view = new View();
  const clock = countingClock();
  for (const [i, draft] of drafts.entries())
    view.append({ ...eventOf(draft, null, clock), id: `event-${i}` });
  return view;
}

export function runOf(...happenings: readonly Happening[]): RunState {
  return happenings.reduce(evolve, begin('task'));
}

export const task = wordsDraft('user', 'go');
export const call = callDraft('call-1', 'response-1');
export const repeated = (count: number, answer: (id: string, i: number) => Draft): readonly Draft[] =>
  Array.from({ length: count }, (_, i) => [callDraft(`c${i}`, `r${i}`), answer(`c${i}`, i)]).flat();

export function situation(more: Partial<Situation> = {}): Situation {
  return {
    run: runOf(),
    state: { leafId: 'leaf', lastUserMessageId: 'task' },
    view: viewOf(task),
    limits: { maxIterations: 20, stuckDetection: true, spent: () => null },
    confirmation: { kind: 'NeverConfirm' },
    approved: new Set(),
    mayNeedApproval: () => false,
    stopped: null,
    isMessageArriving: false,
    hasReplies: false,
    toolChange: null,
    hasStopHooks: false,
    ...more,
  };
}

export const asked = (times: number): Happening[] => Array(times).fill({ kind: 'asked', heard: 'task' });
export const spoke = {
  kind: 'ending',
  events: [],
  words: 'bye',
  isSpeech: true,
} as const satisfies Happening;
export const finishes: Happening = { ...spoke, isSpeech: false };
export const checked = (needed: boolean): Happening => ({
  kind: 'checked',
  approvals: new Map([['event-1', needed]]),
});
export const spent: Outcome = { kind: 'limit', code: 'MaxBudgetReached', detail: 'spent' };
export const always = { kind: 'AlwaysConfirm' } as const;
