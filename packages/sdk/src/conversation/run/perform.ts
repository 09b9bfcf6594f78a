/** Carries out a decision, and returns the run's new state. */
import { checkApproval } from '../../agent/approval.ts';
import { type AskDeps, ask } from '../../agent/ask.ts';
import { type CarryOutDeps, carryOut } from '../../agent/carry-out.ts';
import { type CondenseDeps, condense } from '../../agent/condense.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import type { Draft } from '../../event/draft.ts';
import type { Message } from '../../event/message.ts';
import type { LLM } from '../../llm/llm.ts';
import type { ToolChanges } from '../../tool/tool-changes.ts';
import type { Inbox } from '../inbox.ts';
import type { History } from '../state/history.ts';
import { type Decision, mayCondense } from './decide.ts';
import type { Recorder } from './recorder.ts';
import { type Ending, evolve, type RunState, type StopVerdict } from './run-state.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface PerformDeps {
  readonly history: History;
  readonly recorder: Recorder;
  readonly inbox: Pick<Inbox, 'arrived' | 'isArriving' | 'approved'>;
  readonly signal: AbortSignal;
  readonly toolChanges: Pick<ToolChanges, 'words' | 'recorded'>;
  /** The model of the next request. */
  readonly llm: () => Promise<LLM>;
  readonly ask: Omit<AskDeps, 'llm' | 'mayCondense' | 'refused'>;
  readonly condense: Omit<CondenseDeps, 'llm'>;
  readonly carryOut: CarryOutDeps;
  /** Runs the stop hooks. Absent if there are none. */
  readonly onStop?: (() => Promise<StopVerdict>) | undefined;
  /** Sends an automatic reply to what the agent said; resolves to false if there is none. Absent without automatic replies. */
  readonly reply?: ((said: string) => Promise<boolean>) | undefined;
}

type Performable = Exclude<Decision, { readonly kind: 'end' }>;

export async function perform(decision: Performable, run: RunState, deps: PerformDeps): Promise<RunState> {
  switch (decision.kind) {
    case 'wait':
      await unlessAborted(deps.inbox.arrived, deps.signal);
      return run;
    case 'tell':
      await deps.recorder.record(message('environment', decision.words, { sender: decision.sender }));
      if (decision.sender === SENDERS.toolsChanged) deps.toolChanges.recorded();
      return decision.sender === SENDERS.turnsLeft ? evolve(run, { kind: 'told' }) : run;
    case 'condense':
      return await makeRoom(run, deps);
    case 'ask':
      return await askModel(decision.messages, run, deps);
    case 'check': {
      const checking = checkApproval(decision.actions, deps.carryOut);
      return evolve(run, { kind: 'checked', approvals: await unlessAborted(checking, deps.signal) });
    }
    case 'carry out':
      return await carryOutAll(decision, run, deps);
    case 'reply':
      return await awaitReply(decision.ending, run, deps);
    case 'consult':
      return evolve(run, { kind: 'judged', verdict: (await deps.onStop?.()) ?? { events: [] } });
    case 'continue':
      await deps.recorder.record(...eventsOf(decision.ending), ...feedbackOf(decision.ending));
      return evolve(run, { kind: 'continued' });
  }
}

/** The events of an ending, with those of the stop hooks. */
export function eventsOf({ events, verdict }: Ending): readonly Draft[] {
  return [...events, ...(verdict?.events ?? [])];
}

function feedbackOf({ verdict }: Ending): readonly Draft[] {
  const { feedback } = verdict ?? {};
  return feedback === undefined
    ? []
    : [message('environment', `The run must not end yet: ${feedback}`, { sender: SENDERS.stopHook })];
}

async function makeRoom(run: RunState, deps: PerformDeps): Promise<RunState> {
  const { history, recorder } = deps;
  const at = history.state.leafId;
  const prepared = await condense(history.view, { ...deps.condense, llm: await deps.llm() });
  if (prepared.kind === 'messages') return evolve(run, { kind: 'prepared', at, messages: prepared.messages });
  await recorder.record(...prepared.events);
  return evolve(run, { kind: 'condensed' });
}

async function askModel(messages: readonly Message[], run: RunState, deps: PerformDeps): Promise<RunState> {
  const { history, recorder } = deps;
  const asked = evolve(run, { kind: 'asked', heard: history.state.lastUserMessageId });
  const {
    events,
    finished: words,
    refused,
  } = await ask(history.view, messages, {
    ...deps.ask,
    llm: await deps.llm(),
    mayCondense: mayCondense(run),
    refused: run.refused ?? undefined,
  });
  if (words !== undefined) return evolve(asked, { kind: 'ending', events, words, isSpeech: true });
  await recorder.record(...events);
  return evolve(asked, { kind: 'stored', events, refused });
}

async function carryOutAll(
  { actions }: Extract<Decision, { kind: 'carry out' }>,
  run: RunState,
  deps: PerformDeps,
): Promise<RunState> {
  let next = run;
  for await (const { events, finished: words } of carryOut(actions, deps.carryOut)) {
    if (words !== undefined) return evolve(next, { kind: 'ending', events, words, isSpeech: false });
    await deps.recorder.record(...events);
    next = evolve(next, { kind: 'stored', events });
  }
  return next;
}

async function awaitReply({ events, words }: Ending, run: RunState, deps: PerformDeps): Promise<RunState> {
  await deps.recorder.record(...events);
  if (await deps.reply?.(words)) return evolve(run, { kind: 'continued' });
  deps.signal.throwIfAborted();
  return evolve(run, { kind: 'unanswered' });
}
