/** What a run does next: a pure function of what is known. `perform.ts` carries it out, `run.ts` repeats the two. */

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
  /** A message of the user is on its way into the log: the next step is to hear it. */
  | { readonly kind: 'wait' }
  /** The model is told that it repeats a failure, or that its turns run out. */
  | { readonly kind: 'tell'; readonly sender: Sender; readonly words: string }
  | { readonly kind: 'carry out'; readonly actions: readonly ActionEvent[] }
  /** The condenser looks at the history, and may shorten it. */
  | { readonly kind: 'condense' }
  | { readonly kind: 'ask'; readonly messages: readonly Message[] }
  /** The agent spoke: whoever answers for the user is asked for a reply. */
  | { readonly kind: 'reply'; readonly ending: Ending }
  /** The agent is done: the stop hooks are asked. */
  | { readonly kind: 'consult'; readonly ending: Ending }
  /** The agent is done, and must go on all the same: a hook says so, or there is a message that it has not heard. */
  | { readonly kind: 'continue'; readonly ending: Ending }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export interface Situation {
  readonly run: RunState;
  readonly state: Pick<State, 'leafId' | 'lastUserMessageId'>;
  readonly view: Pick<View, 'events' | 'messages' | 'openActions'>;
  readonly limits: Limits;
  readonly confirmation: ConfirmationPolicy;
  /** Actions that the user has agreed to. */
  readonly approved: ReadonlySet<string>;
  /** How the run was stopped from outside; null if it was not. */
  readonly stopped: Outcome | null;
  readonly isMessageArriving: boolean;
  /** Whether somebody answers for the user when the agent speaks. */
  readonly hasReplies: boolean;
  readonly hasStopHooks: boolean;
}

export interface Limits {
  /** Steps of one run. */
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
  /** The outcome if money or tokens are used up. */
  readonly spent: () => Outcome | null;
}

/** When the model is told how many turns it has left: enough of them to finish. */
export const FEW_TURNS = 5;

const FEW_TURNS_LEFT = `You have ${FEW_TURNS} turns left. Bring your work into a usable state, then call finish and report what remains to be done.`;

/** Condensations and requests with no answer of the model between them; more would not help either. */
const MAX_BARREN = 4;

export function decide(situation: Situation): Decision {
  const { run, state, view, stopped, confirmation, approved } = situation;
  if (run.ending !== null) return decideEnding(run.ending, situation);
  if (stopped !== null) return end(stopped);

  const open = view.openActions();
  const unapproved = open.filter(({ id }) => !approved.has(id));
  if (needsConfirmation(confirmation, unapproved)) return end({ kind: 'waiting' });
  if (run.prompt !== null && run.prompt.at === state.leafId)
    return { kind: 'ask', messages: run.prompt.messages };

  const { isMessageArriving } = situation;
  return (
    (unapproved.length === 0 ? whenStuck(situation) : null) ??
    (open.length === 0 ? atLimit(situation) : null) ??
    (isMessageArriving ? { kind: 'wait' } : null) ??
    (open.length > 0 ? { kind: 'carry out', actions: open } : null) ??
    (mayCondense(run) ? { kind: 'condense' } : { kind: 'ask', messages: view.messages() })
  );
}

/** Whether condensing may still help. */
export function mayCondense({ barren }: RunState): boolean {
  return barren < MAX_BARREN;
}

/** The one place where a run is finished. */
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

/** Calls that are open are carried out whatever the limits: they were paid for. */
function atLimit({ run: { steps, wasWarned }, limits }: Situation): Decision | null {
  const { maxIterations } = limits;
  const spent = limits.spent();
  if (spent !== null) return end(spent);
  if (steps >= maxIterations) {
    const detail = `The agent has taken ${steps} steps, which is the limit of one run.`;
    return end({ kind: 'limit', code: 'MaxIterationsReached', detail });
  }
  const isNear = maxIterations - steps === FEW_TURNS && steps > FEW_TURNS;
  return isNear && !wasWarned ? { kind: 'tell', sender: SENDERS.turnsLeft, words: FEW_TURNS_LEFT } : null;
}

function end(outcome: Outcome): Decision {
  return { kind: 'end', outcome };
}
