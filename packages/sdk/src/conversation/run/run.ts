import type { Agent } from '../../agent/agent.ts';
import type { StepResult } from '../../agent/carry-out.ts';
import { cutOff, errorResult, TimeIsUpError } from '../../agent/results.ts';
import { message, type StepDeps, step } from '../../agent/step.ts';
import { classify } from '../../event/classification.ts';
import type { Draft } from '../../event/draft.ts';
import { type Ledger, LimitReachedError } from '../../llm/accounts/ledger.ts';
import { LLMError } from '../../llm/errors.ts';
import type { LLM } from '../../llm/llm.ts';
import { LogError } from '../../log/log-error.ts';
import { type ConfirmationPolicy, needsConfirmation } from '../../security/confirmation.ts';
import type { History } from '../state/history.ts';
import { STATE_KEYS, statusUpdate } from '../state/state.ts';
import type { Outcome, Status } from '../state/status.ts';
import type { Recorder } from './recorder.ts';
import { judgeStuck } from './stuck.ts';

export interface RunDeps extends Omit<StepDeps, 'mayCondense' | 'llm'> {
  /** The model of the next step, when that may begin. */
  readonly llm: () => Promise<LLM>;
  readonly agent: Agent;
  readonly history: History;
  readonly recorder: Recorder;
  readonly ledger: Ledger;
  readonly limits: Limits;
  readonly confirmation: ConfirmationPolicy;
  /** Actions that the user has agreed to. */
  readonly approved: ReadonlySet<string>;
  readonly pauseRequested: () => boolean;
  /** Asked when the agent is done; drafts that say why it is not, or what was run. */
  readonly onStop?: () => Promise<StopVerdict>;
  /** Asked when the agent has only spoken; false: nobody answers. Absent: nobody is there. */
  readonly reply?: (said: string) => Promise<boolean>;
}

export interface StopVerdict {
  readonly events: readonly Draft[];
  /** Goes on with this. */
  readonly feedback?: string;
}

export interface Limits {
  /** Model calls of one run. */
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
}

/**
 * The loop: one step after another until something ends it. It only sequences; what a step does stands in
 * `agent/step.ts`. Whatever ends the run is in the log before this resolves. Rejects only if the log cannot be written.
 */
export async function run(deps: RunDeps): Promise<Outcome> {
  const { history, recorder } = deps;
  let asked = 0;
  let heard = history.state.lastUserMessageId;
  let barren = 0;
  const mayCondense = () => barren < MAX_BARREN_CONDENSATIONS;
  try {
    recorder.recordLatest(STATE_KEYS.status, () => 'running' satisfies Status);
    for (;;) {
      const end = (await reasonToStop(deps)) ?? limitReached(deps, asked);
      if (end !== null) return await conclude(end, deps);

      if (history.view.openActions().length === 0) {
        const left = deps.limits.maxIterations - asked;
        if (left === FEW_TURNS && asked > FEW_TURNS)
          await recorder.record(message('environment', FEW_TURNS_LEFT));
        asked += 1;
      }
      const stepDeps = { ...deps, llm: await deps.llm(), mayCondense };
      if (history.view.openActions().length === 0) heard = history.state.lastUserMessageId;
      for await (const stepped of step(history.view, stepDeps)) {
        let result = stepped;
        barren = result.events.some(isCondensing) ? barren + 1 : 0;
        const wantsEnd = result.finished !== undefined && heard === history.state.lastUserMessageId;
        if (wantsEnd && deps.reply !== undefined && isSpeech(result)) {
          await recorder.record(...result.events);
          if (await deps.reply(result.finished ?? '')) continue;
          deps.signal.throwIfAborted();
          result = { ...result, events: [] };
        }
        const stop = wantsEnd ? await deps.onStop?.() : undefined;
        const isEnd = wantsEnd && stop?.feedback === undefined;
        if (stop !== undefined)
          result = { ...result, events: [...result.events, ...stop.events, ...feedbackOf(stop)] };
        if (isEnd) await recorder.settled();
        await recorder.record(...result.events, ...(isEnd ? [statusUpdate('finished')] : []));
        if (!isEnd) continue;
        await recorder.settled();
        return { kind: 'finished', message: result.finished ?? '' };
      }
    }
  } catch (error) {
    if (error instanceof LogError) throw error;
    return await conclude(deps.signal.aborted ? abortOutcome(deps.signal) : failure(error), deps);
  }
}

function isSpeech({ events }: StepResult): boolean {
  return events.at(-1)?.kind === 'MessageEvent';
}

/** Time enough to come to an end. */
const FEW_TURNS = 5;

export const FEW_TURNS_LEFT = `You have ${FEW_TURNS} turns left. Bring what you are doing to an end that can be used, and call finish with what is left to do.`;

function feedbackOf({ feedback }: StopVerdict): Draft[] {
  return feedback === undefined ? [] : [message('environment', `[Stop hook feedback] ${feedback}`)];
}

/** Requests and condensations with no answer of the model between them; more would not help either. */
const MAX_BARREN_CONDENSATIONS = 4;

function isCondensing({ kind }: Draft): boolean {
  return kind === 'Condensation' || kind === 'CondensationRequest';
}

async function reasonToStop(deps: RunDeps): Promise<Outcome | null> {
  const { history } = deps;
  if (deps.signal.aborted) return abortOutcome(deps.signal);
  if (deps.pauseRequested()) return { kind: 'paused' };

  const unapproved = history.view.openActions().filter((action) => !deps.approved.has(action.id));
  if (needsConfirmation(deps.confirmation, unapproved)) return { kind: 'waiting' };

  if (!deps.limits.stuckDetection || unapproved.length > 0) return null;
  const verdict = judgeStuck(history.view.events, deps.reply !== undefined);
  if (verdict.kind === 'stuck') return verdict;
  if (verdict.kind === 'nudge') await deps.recorder.record(message('environment', verdict.text));
  return null;
}

/** Calls that are open are carried out whatever the limits: they were paid for. */
function limitReached({ history, limits, ledger }: RunDeps, asked: number): Outcome | null {
  if (history.view.openActions().length > 0) return null;
  ledger.check();
  if (asked >= limits.maxIterations) {
    const detail = `The agent has taken ${asked} steps, which is the limit of one run.`;
    return { kind: 'limit', code: 'MaxIterationsReached', detail };
  }
  return null;
}

function abortOutcome({ reason }: AbortSignal): Outcome {
  if (!(reason instanceof TimeIsUpError)) return { kind: 'interrupted' };
  return { kind: 'limit', code: 'MaxTimeReached', detail: reason.message };
}

function failure(error: unknown): Outcome {
  if (error instanceof LimitReachedError) return { kind: 'limit', code: error.code, detail: error.message };
  const known = error instanceof LLMError;
  return {
    kind: 'error',
    code: known ? error.code : error instanceof Error ? error.name : 'Error',
    detail: error instanceof Error ? error.message : String(error),
    ...(known && error.remedy !== undefined ? { remedy: error.remedy } : {}),
    cause: error,
  };
}

/** Writes down how the run ended. */
async function conclude(outcome: Outcome, { history, recorder, signal }: RunDeps): Promise<Outcome> {
  await recorder.settled();
  const cut = signal.aborted
    ? history.view.openActions().map((action) => errorResult(action, cutOff(signal)))
    : [];
  await recorder.record(...cut, ...closingEvents(outcome));
  return outcome;
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
