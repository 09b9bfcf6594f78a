import type { Draft } from '../../event/draft.ts';
import type { EventId } from '../../event/identity.ts';
import { ROOT } from '../../event/identity.ts';
import { type ConversationStateUpdateEvent, type Event, movesHead } from '../../event/kinds.ts';
import { emptyStats, isStats, type Stats, sumsOf } from '../../llm/accounts/metrics.ts';
import { isRecord } from '../../value/is-record.ts';
import { isStatus, type Status } from './status.ts';

/** The state of a conversation besides its view: a fold over the events of the log. */
export interface State {
  readonly status: Status;
  /** Tokens and cost by purpose (`usage_id`). */
  readonly stats: Stats;
  /** The agent's name; null before the first message, and in conversations that name none. */
  readonly agentName: string | null;
  /** HEAD of the conversation tree; null before the first event. */
  readonly leafId: EventId | null;
  readonly lastUserMessageId: EventId | null;
  /** Skills that were added to a message; each is added once. */
  readonly activatedSkills: readonly string[];
  /** Skills that were added to a result because of its files. */
  readonly activatedPathRules: readonly string[];
}

export const INITIAL_STATE: State = {
  status: 'idle',
  stats: emptyStats,
  agentName: null,
  leafId: null,
  lastUserMessageId: null,
  activatedSkills: [],
  activatedPathRules: [],
};

/** Keys of ConversationStateUpdateEvents that we write; the reference's server writes the first two as well. */
export const STATE_KEYS = {
  status: 'execution_status',
  stats: 'stats',
  leaf: 'leaf_event_id',
  /** Of the tags, the one that names the agent. */
  tags: 'tags',
  pathRules: 'activated_path_rules',
} as const;

export function evolve(state: State, event: Event): State {
  if (!movesHead(event)) return evolveKey(state, event as ConversationStateUpdateEvent);
  const moved = { ...state, leafId: event.id };
  if (event.kind !== 'MessageEvent' || event.source !== 'user') return moved;
  const told = event.activated_skills ?? [];
  const activatedSkills = told.length === 0 ? state.activatedSkills : [...state.activatedSkills, ...told];
  return { ...moved, lastUserMessageId: event.id, activatedSkills };
}

function evolveKey(state: State, { key, value }: ConversationStateUpdateEvent): State {
  switch (key) {
    case STATE_KEYS.status:
      return isStatus(value) ? { ...state, status: value } : state;
    case STATE_KEYS.stats:
      return isStats(value) ? { ...state, stats: sumsOf(value) } : state;
    case STATE_KEYS.leaf:
      return typeof value === 'string' ? { ...state, leafId: value === ROOT ? null : value } : state;
    case STATE_KEYS.tags:
      return isRecord(value) && typeof value['agent'] === 'string'
        ? { ...state, agentName: value['agent'] }
        : state;
    case STATE_KEYS.pathRules:
      return Array.isArray(value) ? { ...state, activatedPathRules: value.map(String) } : state;
    case 'full_state':
      return evolveSnapshot(state, value);
    default:
      return state;
  }
}

/** A server's snapshot of everything, of which the known parts are taken. */
function evolveSnapshot(state: State, value: unknown): State {
  if (typeof value !== 'object' || value === null) return state;
  const { execution_status: status, stats } = value as { execution_status?: unknown; stats?: unknown };
  return {
    ...state,
    ...(isStatus(status) ? { status } : {}),
    ...(isStats(stats) ? { stats: sumsOf(stats) } : {}),
  };
}

export function statusUpdate(status: Status): Draft {
  return stateUpdate(STATE_KEYS.status, status);
}

/** Says in the log which agent it is: once, and again when it is another one. */
export function agentUpdate({ agentName }: State, name: string | undefined): readonly Draft[] {
  return name === undefined || name === agentName ? [] : [stateUpdate(STATE_KEYS.tags, { agent: name })];
}

export function stateUpdate(key: string, value: unknown): Draft {
  return { source: 'environment', key, value, kind: 'ConversationStateUpdateEvent' };
}
