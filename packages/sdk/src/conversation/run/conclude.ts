/** How a run ends: its outcome, and the events that record it. */
import { cutOff, errorResult, TimeIsUpError } from '../../agent/results.ts';
import { classify } from '../../event/classification.ts';
import type { Draft } from '../../event/draft.ts';
import { LimitReachedError } from '../../llm/accounts/ledger.ts';
import { LLMError } from '../../llm/errors.ts';
import { defined } from '../../value/defined.ts';
import type { History } from '../state/history.ts';
import { statusUpdate } from '../state/state.ts';
import type { Outcome } from '../state/status.ts';
import type { Recorder } from './recorder.ts';

export interface ConcludeDeps {
  readonly history: History;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
}

/** Records how the run ended, after the events with which it ended. */
export async function conclude(
  outcome: Outcome,
  events: readonly Draft[],
  { history, recorder, signal }: ConcludeDeps,
): Promise<Outcome> {
  await recorder.settled();
  const isCut = signal.aborted && outcome.kind !== 'finished';
  const cut = isCut ? history.view.openActions().map((action) => errorResult(action, cutOff(signal))) : [];
  await recorder.record(...events, ...cut, ...closingEvents(outcome));
  await recorder.settled();
  return outcome;
}

export function abortOutcome({ reason }: AbortSignal): Outcome {
  if (!(reason instanceof TimeIsUpError)) return { kind: 'interrupted' };
  return { kind: 'limit', code: 'MaxTimeReached', detail: reason.message };
}

export function limitOutcome({ code, message: detail }: LimitReachedError): Outcome {
  return { kind: 'limit', code, detail };
}

export function failure(error: unknown): Outcome {
  if (error instanceof LimitReachedError) return limitOutcome(error);
  const { code, remedy } = error instanceof LLMError ? error : { code: undefined, remedy: undefined };
  return {
    kind: 'error',
    code: code ?? (error instanceof Error ? error.name : 'Error'),
    detail: error instanceof Error ? error.message : String(error),
    ...defined({ remedy }),
    cause: error,
  };
}

function closingEvents(outcome: Outcome): Draft[] {
  switch (outcome.kind) {
    case 'finished':
      return [statusUpdate('finished')];
    case 'waiting':
      return [statusUpdate('waiting_for_confirmation')];
    case 'paused':
      return [{ source: 'user', kind: 'PauseEvent' }, statusUpdate('paused')];
    case 'interrupted':
      return [{ source: 'user', kind: 'InterruptEvent' }, statusUpdate('paused')];
    case 'stuck':
      return [statusUpdate('stuck')];
    case 'error':
    case 'limit': {
      const { code, detail } = outcome;
      const classification = classify(code, detail);
      return [
        { source: 'environment', code, detail, classification, kind: 'ConversationErrorEvent' },
        statusUpdate('error'),
      ];
    }
  }
}
