import { DEFAULT_AGENT_NAME } from '../agent/agent.ts';
import { Ledger } from '../llm/accounts/ledger.ts';
import { TokenMeter } from '../llm/tokens/token-meter.ts';
import { masker } from '../security/mask.ts';
import { Locks } from '../tool/locks.ts';
import { defined } from '../value/defined.ts';
import { type DelegateDeps, Delegations } from './delegation/delegate.ts';
import { AroundRuns } from './hooks/around-runs.ts';
import { Hooks, type Onlookers } from './hooks/hooks.ts';
import { Inbox } from './inbox.ts';
import { Keeper } from './keeper.ts';
import type { Parts } from './parts.ts';
import { DistinctAnswers } from './run/distinct-answers.ts';
import type { ModelCall } from './run/model-calls.ts';
import { Models } from './run/models.ts';
import { Recorder } from './run/recorder.ts';
import { STATE_KEYS } from './state/state.ts';
import { RequestRecord } from './store/request-record.ts';

/** Who works for an open conversation, beside the parts that were opened for it. */
export interface Members {
  readonly recorder: Recorder;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly meter: TokenMeter;
  readonly locks: Locks;
  readonly delegations: Delegations;
  readonly onlookers: Onlookers;
  readonly aroundRuns: AroundRuns;
  readonly inbox: Inbox;
  readonly keeper: Keeper;
  /** Null if the conversation is not stored. */
  readonly requests: RequestRecord | null;
}

/** `open` opens the conversations of sub-agents. */
export function membersOf(parts: Parts, open: DelegateDeps['open']): Members {
  const { settings, log, history, clock, agent, llm } = parts;
  const { model, limits, recording, parent, standIns } = settings;
  const recorder = new Recorder(log, history, clock, {
    secrets: recording.secrets,
    reword: standIns.reword,
  });
  const ledger: Ledger = new Ledger({
    stats: history.state.stats,
    limits: defined({ maxCostUsd: limits.maxBudgetUsd, maxTokens: limits.maxTokens }),
    ...defined({ parent: parent.ledger }),
    onChange: () => recorder.recordLatest(STATE_KEYS.stats, () => ledger.takeStats()),
  });
  const isGiven = model.llm !== undefined;
  const answers = new DistinctAnswers(history);
  const onCall = (call: ModelCall) => recorder.notify({ type: 'model-call', call });
  const models = new Models({
    ...{ agent, main: llm, isGiven, ledger, answers },
    onCall,
    session: { id: parts.id, agent: parts.tags['agent'] ?? DEFAULT_AGENT_NAME },
    ...defined({ profile: model.profile }),
  });
  const locks = parent.locks ?? new Locks();
  const delegations = new Delegations({ ...parts, models, ledger, locks, open, onCall });
  const onlookers = onlookersOf(parts, models, delegations);
  const aroundRuns = new AroundRuns(onlookers);
  return {
    ...{ recorder, ledger, models, locks, delegations, onlookers, aroundRuns },
    meter: new TokenMeter(),
    inbox: new Inbox(parts, recorder, aroundRuns),
    keeper: new Keeper(parts, recorder, () => models.current),
    requests: requestRecordOf(parts, recorder),
  };
}

function requestRecordOf({ directory, settings }: Parts, recorder: Recorder): RequestRecord | null {
  if (directory === null) return null;
  const mask = masker(settings.recording.secrets ?? []);
  return new RequestRecord(directory, { mask, warn: (text) => recorder.warn(text) });
}

function onlookersOf({ settings, id }: Parts, models: Models, delegations: Delegations): Onlookers {
  const { standIns, oversight, workspace } = settings;
  if (standIns.onlookers !== undefined) return standIns.onlookers;
  return new Hooks(oversight.hooks ?? {}, id, {
    workspace,
    llm: () => models.get('prompt-hook'),
    investigate: (hook, prompt, signal) => delegations.investigate(hook, prompt, signal),
  });
}
