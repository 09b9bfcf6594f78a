/**
 * `base_state.json`: what the reference needs to open the folder. Every field that matters to us is in the log, or is given again by the
 * caller. So the file is written when it is out of date, never overrides a log that we wrote, and is rebuilt when it cannot be read.
 *
 * Format: reference 1.43, section 3.3 of its persistence; floats may be written without a fraction.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../../agent/agent.ts';
import { REDACTED } from '../../context/mcp-config.ts';
import { isStats, type Stats } from '../../llm/accounts/metrics.ts';
import { llmFromStored, llmToWire } from '../../llm/config/wire-config.ts';
import { type ConfirmationPolicy, confirmationFromWire } from '../../security/confirmation.ts';
import { defined } from '../../value/defined.ts';
import type { CondenserSpec } from '../../view/condensers/spec.ts';
import type { State } from '../state/state.ts';
import { isStatus, type Status } from '../state/status.ts';
import { agentFromWire, agentToWire } from './agent-wire.ts';
import { condenserFromWire } from './condenser-wire.ts';
import { isRecord, optionalString, record, string, type Wire } from './wire-values.ts';

export const BASE_STATE_FILE = 'base_state.json';
const OURS = 'longhand';

export interface BaseState {
  readonly id: string;
  /** Undefined for an imported history that nobody has continued yet. */
  readonly agent: Agent | undefined;
  readonly workingDir: string;
  readonly directory: string;
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
  readonly confirmation: ConfirmationPolicy;
  readonly tags: Tags;
  readonly state: State;
  /** Whether HEAD was moved before the first event. Default false. */
  readonly isHeadEmpty?: boolean;
  /** Whether the agent comes from an imported file; true until the conversation is opened with an agent of the user's. */
  readonly isImported?: boolean;
  /** What was stored before: fields of other programs are preserved. */
  readonly before?: StoredBaseState | undefined;
}

/** Labels of a conversation: keys of lower-case letters and digits, values up to 256 characters. `agent` names the agent. */
export type Tags = { readonly [key: string]: string };

export function serializeBaseState({ state, before, ...own }: BaseState): string {
  const kept = before?.json ?? {};
  const written = {
    id: own.id,
    agent: own.agent === undefined ? undefined : agentToWire(own.agent, storedAgentJson(before)),
    workspace: { working_dir: own.workingDir, kind: 'LocalWorkspace' },
    persistence_dir: own.directory,
    max_iterations: own.maxIterations,
    stuck_detection: own.stuckDetection,
    execution_status: state.status,
    confirmation_policy: own.confirmation,
    activated_knowledge_skills: state.activatedSkills,
    activated_path_rules: state.activatedPathRules,
    invoked_skills: kept['invoked_skills'] ?? [],
    blocked_actions: kept['blocked_actions'] ?? {},
    blocked_messages: kept['blocked_messages'] ?? {},
    last_user_message_id: state.lastUserMessageId ?? undefined,
    leaf_event_id: state.leafId ?? undefined,
    head_is_empty: own.isHeadEmpty ?? false,
    stats: withCallsOf(state.stats, before?.stats),
    secret_registry: kept['secret_registry'] ?? { secret_sources: {} },
    tags: own.tags,
    agent_state: { ...(kept['agent_state'] as object | undefined), longhand: undefined, ...ownState(own) },
  };
  // The reference drops this key when it writes the file, so the key tells who wrote last.
  const mark = { written_by: OURS };
  const others = Object.entries(kept).filter(
    ([key]) => !Object.hasOwn(written, key) && !Object.hasOwn(mark, key),
  );
  return JSON.stringify({ ...written, ...Object.fromEntries(others), ...mark });
}

/** An imported agent was not chosen by the user, so nothing of it stays. */
function storedAgentJson(before: StoredBaseState | undefined): Wire | undefined {
  const agent = before?.json['agent'];
  return before?.isImported === true || !isRecord(agent) ? undefined : agent;
}

/** Our calls are in the log; those of the reference are only here. */
function withCallsOf({ usage_to_metrics: all }: Stats, before: Stats | undefined): Stats {
  const entries = Object.entries(all).map(([id, each]) => [id, { ...before?.usage_to_metrics[id], ...each }]);
  return { usage_to_metrics: Object.fromEntries(entries) };
}

/** The parts of a stored `base_state.json` that are used. */
export interface StoredBaseState {
  readonly id: string;
  readonly agent: Agent | undefined;
  readonly status: Status | undefined;
  readonly workingDir: string | undefined;
  readonly leafId: string | undefined;
  /** Whether HEAD is before the first event. */
  readonly isHeadEmpty: boolean;
  /** Whether this program wrote the file last, rather than the reference. */
  readonly isOurs: boolean;
  readonly maxIterations: number | undefined;
  readonly confirmation: ConfirmationPolicy | undefined;
  readonly tags: Tags;
  readonly stats: Stats | undefined;
  readonly isImported: boolean;
  /** The whole file. */
  readonly json: { readonly [key: string]: unknown };
}

/** Throws SyntaxError or TypeError if the text is not such a file. */
export function parseBaseState(source: string): StoredBaseState {
  const json = record(JSON.parse(source), 'base_state.json');
  const workspace = json['workspace'] === undefined ? {} : record(json['workspace'], 'workspace');
  const status = json['execution_status'];
  return {
    id: string(json['id'], 'id'),
    agent: json['agent'] === undefined ? undefined : storedAgent(json),
    status: isStatus(status) ? status : undefined,
    workingDir: optionalString(workspace['working_dir']),
    leafId: optionalString(json['leaf_event_id']),
    isHeadEmpty: json['head_is_empty'] === true,
    isOurs: json['written_by'] === OURS,
    maxIterations: typeof json['max_iterations'] === 'number' ? json['max_iterations'] : undefined,
    confirmation: confirmationFromWire(json['confirmation_policy']),
    tags: tagsFromWire(json['tags']),
    stats: isStats(json['stats']) ? json['stats'] : undefined,
    json,
    isImported: ownOf(json).imported === true,
  };
}

function tagsFromWire(json: unknown): Tags {
  if (typeof json !== 'object' || json === null) return {};
  return Object.fromEntries(Object.entries(json).filter((entry) => typeof entry[1] === 'string'));
}

/** Fields for which the reference has no place. */
function ownState({ agent, isImported = false }: Pick<BaseState, 'agent' | 'isImported'>): object {
  const { condenser, llms } = agent ?? {};
  if (condenser === undefined && llms === undefined && !isImported) return {};
  const models = Object.entries(llms ?? {}).map(([purpose, llm]) => [
    purpose,
    llmToWire(llm, () => REDACTED),
  ]);
  return {
    longhand: {
      ...(isImported ? { imported: true } : {}),
      ...defined({ condenser }),
      ...(llms === undefined ? {} : { llms: Object.fromEntries(models) }),
    },
  };
}

interface OwnState {
  /** All tools, in a folder that was exported for the reference: it refuses the names of tools that it does not have. */
  readonly tools?: readonly unknown[];
  readonly imported?: boolean;
  readonly condenser?: CondenserSpec;
  readonly llms?: { readonly [purpose: string]: object };
}

function ownOf(json: Wire): OwnState {
  const { longhand = {} } = (json['agent_state'] ?? {}) as { readonly longhand?: OwnState };
  return longhand;
}

function storedAgent(json: Wire): Agent {
  const wire = record(json['agent'], 'agent');
  const own = ownOf(json);
  const agent = agentFromWire({ ...wire, ...defined({ tools: own.tools }) });
  const llms = llmsOf(own, wire['condenser'], agent);
  return {
    ...agent,
    ...defined({
      name: tagsFromWire(json['tags'])['agent'],
      condenser: condenserFromWire(wire['condenser'], own.condenser),
    }),
    ...(llms === undefined ? {} : { llms }),
  };
}

/** Models for other purposes: ours, or that of the reference's condenser where it is another than the agent's. */
function llmsOf({ llms }: OwnState, condenser: unknown, { llm }: Agent): Agent['llms'] {
  if (llms !== undefined) {
    const entries = Object.entries(llms).map(([purpose, each]) => [purpose, llmFromStored({ ...each })]);
    return Object.fromEntries(entries);
  }
  const stored = isRecord(condenser) ? condenser['llm'] : undefined;
  if (!isRecord(stored) || typeof stored['model'] !== 'string') return undefined;
  const { usageId: _, ...other } = llmFromStored(stored);
  const { usageId: __, ...main } = llm;
  return isDeepStrictEqual(other, main) ? undefined : { condenser: other };
}
