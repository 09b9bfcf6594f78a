/** Decides what a run does next, as a pure function. `perform.ts` carries it out, `run.ts` repeats the two. */

import { SENDERS, type Sender } from '../../agent/sender.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { type ConfirmationPolicy, needsConfirmation } from '../../security/confirmation.ts';
import type { View } from '../../view/view.ts';
import type { State } from '../state/state.ts';
import type { Outcome } from '../state/status.ts';
import type { Ending, RunState } from './run-state.ts';
import { judgeStuck } from './stuck.ts';

export type Decision =
  /** A message of the user is on its way into the log, and the next step must take it up. */
  | { readonly kind: 'wait' }
  /** The model is told that it repeats a failure, how many turns are left, or that its tools have changed. */
  | { readonly kind: 'tell'; readonly sender: Sender; readonly words: string }
  /** The tools say which of the open calls need a person's approval. */
  | { readonly kind: 'check'; readonly actions: readonly ActionEvent[] }
  | { readonly kind: 'carry out'; readonly actions: readonly ActionEvent[] }
  /** The condenser looks at the history, and may shorten it. */
  | { readonly kind: 'condense' }
  | { readonly kind: 'ask'; readonly messages: readonly Message[] }
  /** The agent spoke, and there are automatic replies. */
  | { readonly kind: 'reply'; readonly ending: Ending }
  /** The agent is done, and there are stop hooks. */
  | { readonly kind: 'consult'; readonly ending: Ending }
  /** The agent is done but must continue: a stop hook refuses, or there is a message that the agent has not seen. */
  | { readonly kind: 'continue'; readonly ending: Ending }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export interface Situation {
  readonly run: RunState;
  readonly state: Pick<State, 'leafId' | 'lastUserMessageId'>;
  readonly view: Pick<View, 'events' | 'messages' | 'openActions'>;
  readonly limits: Limits;
  readonly confirmation: ConfirmationPolicy;
  /** Ids of the actions that the user has approved. */
  readonly approved: ReadonlySet<string>;
  /** Whether the tool of the action decides itself which calls need approval. */
  readonly mayNeedApproval: (action: ActionEvent) => boolean;
  /** What the model is to be told of tools that have changed; null if nothing. */
  readonly toolChange: string | null;
  /** The outcome if the run was paused or aborted from outside, else null. */
  readonly stopped: Outcome | null;
  readonly isMessageArriving: boolean;
  /** Whether there are automatic replies when the agent speaks. */
  readonly hasReplies: boolean;
  readonly hasStopHooks: boolean;
}

export interface Limits {
  /** Steps of one run. */
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
  /** Whether the model is told now how many turns are left. Default: when few are left. */
  readonly tellsTurnsLeft?: (() => boolean) | undefined;
  /** The outcome if money or tokens are used up. */
  readonly spent: () => Outcome | null;
}

/** From how many turns left on the model is told before each: enough to finish. */
export const FEW_TURNS = 5;

function turnsLeft(count: number): string {
  return count === 1
    ? 'This is your last turn. Call finish now and report what remains to be done.'
    : `You have ${count} turns left. Bring your work into a usable state, then call finish and report what remains to be done.`;
}

/** How many condensations and requests for them may follow each other without an answer of the model. */
const MAX_BARREN = 4;

export function decide(situation: Situation): Decision {
  const { run, state, view, stopped, confirmation, approved, toolChange } = situation;
  if (run.ending !== null) return decideEnding(run.ending, situation);
  if (stopped !== null) return end(stopped);

  const open = view.openActions();
  const unapproved = open.filter(({ id }) => !approved.has(id));
  const needsApproval = unapproved.some(({ id }) => run.approvals.get(id) === true);
  if (needsApproval || needsConfirmation(confirmation, unapproved)) return end({ kind: 'waiting' });
  if (open.length === 0 && toolChange !== null)
    return { kind: 'tell', sender: SENDERS.toolsChanged, words: toolChange };
  if (run.prompt !== null && run.prompt.at === state.leafId)
    return { kind: 'ask', messages: run.prompt.messages };

  const { isMessageArriving } = situation;
  return (
    (unapproved.length === 0 ? whenStuck(situation) : null) ??
    (open.length === 0 ? atLimit(situation) : null) ??
    (isMessageArriving ? { kind: 'wait' } : null) ??
    unchecked(unapproved, situation) ??
    (open.length > 0 ? { kind: 'carry out', actions: open } : null) ??
    (mayCondense(run) ? { kind: 'condense' } : { kind: 'ask', messages: view.messages() })
  );
}

function unchecked(unapproved: readonly ActionEvent[], { run, mayNeedApproval }: Situation): Decision | null {
  const actions = unapproved.filter((action) => mayNeedApproval(action));
  return actions.every(({ id }) => run.approvals.has(id)) ? null : { kind: 'check', actions };
}

/** Whether condensing may still shorten the prompt. */
export function mayCondense({ barren }: RunState): boolean {
  return barren < MAX_BARREN;
}

/** The only place that decides that a run is finished. */
function decideEnding(ending: Ending, { run, state, hasReplies, hasStopHooks }: Situation): Decision {
  if (run.heard !== state.lastUserMessageId) return { kind: 'continue', ending };
  if (ending.isSpeech && hasReplies && !ending.isUnanswered) return { kind: 'reply', ending };
  if (ending.verdict === null && hasStopHooks) return { kind: 'consult', ending };
  if (ending.verdict?.feedback !== undefined) return { kind: 'continue', ending };
  return end({ kind: 'finished', message: ending.words });
}

function whenStuck({ view, limits }: Situation): Decision | null {
  if (!limits.stuckDetection) return null;
  const verdict = judgeStuck(view.events);
  switch (verdict.kind) {
    case 'stuck':
      return end(verdict);
    case 'nudge':
      return { kind: 'tell', sender: SENDERS.repeatedFailure, words: verdict.text };
    case 'free':
      return null;
  }
}

/** Limits apply only when no call is open: open calls were paid for. */
function atLimit({ run: { steps, toldAt }, limits }: Situation): Decision | null {
  const { maxIterations } = limits;
  const spent = limits.spent();
  if (spent !== null) return end(spent);
  if (steps >= maxIterations) {
    const detail = `The agent has taken ${steps} steps, which is the limit of one run.`;
    return end({ kind: 'limit', code: 'MaxIterationsReached', detail });
  }
  const left = maxIterations - steps;
  const isTold = toldAt !== steps && (limits.tellsTurnsLeft?.() ?? left <= FEW_TURNS);
  return isTold ? { kind: 'tell', sender: SENDERS.turnsLeft, words: turnsLeft(left) } : null;
}

function end(outcome: Outcome): Decision {
  return { kind: 'end', outcome };
}
