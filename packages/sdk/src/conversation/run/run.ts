import type { Draft } from '../../event/draft.ts';
import type { Ledger } from '../../llm/accounts/ledger.ts';
import { LimitReachedError } from '../../llm/accounts/ledger.ts';
import { LogError } from '../../log/log-error.ts';
import type { ConfirmationPolicy } from '../../security/confirmation.ts';
import { exitEvents } from '../exit.ts';
import type { History } from '../state/history.ts';
import { STATE_KEYS } from '../state/state.ts';
import type { Outcome, Status } from '../state/status.ts';
import { abortOutcome, conclude, failure, limitOutcome } from './conclude.ts';
import { decide, type Limits, type Situation } from './decide.ts';
import { eventsOf, type PerformDeps, perform } from './perform.ts';
import { begin, type RunState } from './run-state.ts';

export interface RunDeps extends PerformDeps {
  readonly ledger: Ledger;
  readonly limits: Omit<Limits, 'spent'>;
  readonly confirmation: ConfirmationPolicy;
}

/**
 * The loop: decides what comes next (`decide.ts`) and performs it (`perform.ts`), until a decision ends the run; `requested` is how
 * somebody wants it to end. Resolves when the end is in the log. Rejects only if the log cannot be written.
 */
export async function run(deps: RunDeps, requested: () => Outcome | null): Promise<Outcome> {
  const { history, recorder, signal } = deps;
  let state = begin(history.state.lastUserMessageId);
  recorder.recordLatest(STATE_KEYS.status, () => 'running' satisfies Status);
  try {
    for (;;) {
      if (recorder.failure !== null) throw recorder.failure;
      const decision = decide(situationOf(state, requested(), deps));
      if (decision.kind === 'end')
        return await conclude(decision.outcome, lastEvents(decision.outcome, state, history), deps);
      state = await perform(decision, state, deps);
    }
  } catch (error) {
    if (error instanceof LogError) throw recorder.broken(error);
    return await conclude(signal.aborted ? abortOutcome(signal) : failure(error), [], deps);
  }
}

/** Without an ending of the agent, only the user can finish a run. */
function lastEvents({ kind }: Outcome, { ending }: RunState, { view }: History): readonly Draft[] {
  if (ending !== null) return eventsOf(ending);
  return kind === 'finished' ? exitEvents(view) : [];
}

function situationOf(run: RunState, requested: Outcome | null, deps: RunDeps): Situation {
  const { history, limits, ledger, confirmation, inbox, carryOut, signal } = deps;
  return {
    run,
    state: history.state,
    view: history.view,
    limits: { ...limits, spent: () => spentOf(ledger) },
    confirmation,
    approved: inbox.approved,
    mayNeedApproval: ({ tool_name: name }) =>
      carryOut.execute === undefined &&
      (carryOut.tools.get(name)?.needsApproval !== undefined || carryOut.awaitsConsent(name)),
    toolChange: deps.toolChanges.words,
    stopped: signal.aborted ? abortOutcome(signal) : requested,
    isMessageArriving: inbox.isArriving,
    hasReplies: deps.reply !== undefined,
    hasStopHooks: deps.onStop !== undefined,
  };
}

function spentOf(ledger: Ledger): Outcome | null {
  try {
    ledger.check();
    return null;
  } catch (error) {
    if (error instanceof LimitReachedError) return limitOutcome(error);
    throw error;
  }
}
