import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../agent/agent.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import type { RenderObservation } from '../../event/projection.ts';
import { sumsOf, withUnpriced } from '../../llm/accounts/metrics.ts';
import type { Durability, EventLog } from '../../log/event-log.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { defined } from '../../value/defined.ts';
import { isAhead } from '../state/accounts.ts';
import { branchOf, foldLog, type History } from '../state/history.ts';
import { STATE_KEYS, type State } from '../state/state.ts';
import { BASE_STATE_FILE, parseBaseState, type StoredBaseState, type Tags } from './base-state.ts';
import { foldFromCheckpoint } from './checkpoint.ts';

export interface OpenedLog {
  readonly log: EventLog;
  readonly fold: (render: RenderObservation) => History;
}

export interface OpenLogOptions {
  readonly durability: Durability | undefined;
  readonly onWarning: ((text: string) => void) | undefined;
}

/** The log of a folder whose lock is held; in memory if there is no folder. Throws LogError. */
export async function openLog(
  directory: string | null,
  stored: StoredBaseState | undefined,
  options: OpenLogOptions,
): Promise<OpenedLog> {
  if (directory === null) {
    const log = new MemoryEventLog();
    return { log, fold: (render) => foldLog(log, log.length, render) };
  }
  const log = await FileEventLog.open(directory, defined(options));
  return { log, fold: (render) => foldStored(directory, log, () => stored, render) };
}

/** The specification that a conversation was last opened with. Throws an Error if there is none. */
export function storedAgent(directory: string | null, stored: StoredBaseState | undefined): Agent {
  if (stored?.agent !== undefined) return stored.agent;
  throw new Error(
    directory === null
      ? 'a new conversation needs an agent'
      : `${join(directory, BASE_STATE_FILE)} is missing or names no agent, as after a crash before the first event; open the conversation with an agent`,
  );
}

/** The content of `base_state.json`; undefined if there is none. Throws an Error if it cannot be read. */
export function readBaseState(directory: string): StoredBaseState | undefined {
  const path = join(directory, BASE_STATE_FILE);
  try {
    return parseBaseState(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The stored tags; none if they cannot be read. */
export function storedTags(directory: string): Tags {
  return tryReadBaseState(directory)?.tags ?? {};
}

/**
 * The fold of a stored log. The reference keeps status, accounts and HEAD only in `base_state.json`, so if it wrote that file last, these
 * are taken from there. If we did, the log has them, and the file may lag behind it.
 */
export function foldStored(
  directory: string,
  log: EventLog,
  readStored: () => StoredBaseState | undefined,
  render?: RenderObservation,
): History {
  const history = foldFromCheckpoint(directory, log, render);
  const stored = log.length === 0 ? undefined : readStored();
  if (stored === undefined || (stored.isOurs && tellsItsEnd(log, history.state))) return history;
  // Accounts count wherever HEAD is.
  if (stored.stats !== undefined && isAhead(stored.stats, history.state.stats))
    history.amend({ stats: withUnpriced(sumsOf(stored.stats), history.state.stats) });
  const head = storedHead(stored);
  if (!stored.isOurs && !isBehind(log, stored, head, history)) moveHead(log, history, head);
  const isCurrent = head === undefined || head === history.state.leafId;
  if (isCurrent && stored.status !== undefined) history.amend({ status: stored.status });
  return history;
}

/** Null if HEAD is before the first event; undefined if the file does not say, as in versions that had no tree of events. */
function storedHead({ leafId, isHeadEmpty }: StoredBaseState): EventId | null | undefined {
  return leafId ?? (isHeadEmpty ? null : undefined);
}

function moveHead(log: EventLog, history: History, head: EventId | null | undefined): void {
  if (head === undefined || head === history.state.leafId) return;
  if (head === null || log.has(head)) history.moveTo(head);
}

/** Whether a run was cut off after the file was written: then the stored HEAD is an ancestor of the real one. */
function isBehind(
  log: EventLog,
  { status }: StoredBaseState,
  head: EventId | null | undefined,
  { state }: History,
): boolean {
  if (typeof head !== 'string' || !log.has(head)) return false;
  const wasCut = status === 'running' || (state.status === 'running' && log.indexOf(head) < lastStatus(log));
  return wasCut && branchOf(log, state.leafId).some((event) => event.id === head);
}

/** Index of the last event that tells a status; -1 if there is none. */
function lastStatus(log: EventLog): number {
  for (let index = log.length - 1; index >= 0; index -= 1) {
    if (tellsStatus(log.at(index))) return index;
  }
  return -1;
}

/** Whether the log says how its last run ended, or that it was cut off: a status follows the agent's last event. */
function tellsItsEnd(log: EventLog, { status }: State): boolean {
  if (status === 'running') return true;
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log.at(index);
    if (tellsStatus(event)) return true;
    if (event?.kind === 'ActionEvent' || (event?.kind === 'MessageEvent' && event.source === 'agent'))
      return false;
  }
  return false;
}

function tellsStatus(event: Event | undefined): boolean {
  return event?.kind === 'ConversationStateUpdateEvent' && event.key === STATE_KEYS.status;
}

export function tryReadBaseState(
  directory: string,
  onWarning?: (text: string) => void,
): StoredBaseState | undefined {
  try {
    return readBaseState(directory);
  } catch (error) {
    onWarning?.(`${(error as Error).message}; it is made again from the log`);
    return undefined;
  }
}
