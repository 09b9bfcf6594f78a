import { parseEvent } from '../../event/codec.ts';
import { movesHead } from '../../event/kinds.ts';
import type { Cassette } from '../../llm/playback/cassette.ts';
import type { EventLog } from '../../log/event-log.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { branchOf, foldLog } from '../state/history.ts';
import { parseBaseState, type StoredBaseState } from '../store/base-state.ts';
import { foldStored, readBaseState } from '../store/open.ts';
import { readRequests } from '../store/request-record.ts';
import type { ReplaySource } from './replay.ts';

/** The record of a stored conversation. Rejects with LogError, or an Error if its specification cannot be read. */
export async function storedReplaySource(directory: string): Promise<ReplaySource> {
  const log = await FileEventLog.open(directory, { readOnly: true });
  try {
    const state = readBaseState(directory);
    if (state === undefined) throw new Error(`${directory} has no base_state.json, which names the agent`);
    const leaf = foldStored(directory, log, () => state).state.leafId;
    return { ...sourceOf(log, leaf, state), requests: readRequests(directory) };
  } finally {
    await log.close();
  }
}

/** The record of the conversation on a cassette. */
export async function cassetteReplaySource({ header, events, exchanges }: Cassette): Promise<ReplaySource> {
  const log = new MemoryEventLog();
  for (const event of events) await log.append(parseEvent(JSON.stringify(event)));
  const state = parseBaseState(JSON.stringify(header.state));
  return { ...sourceOf(log, foldLog(log).state.leafId, state), exchanges };
}

function sourceOf(log: EventLog, leaf: string | null, state: StoredBaseState): ReplaySource {
  if (state.agent === undefined) throw new Error('base_state.json names no agent');
  const events = branchOf(log, leaf);
  const bookkeeping = Iterator.from(log.read())
    .filter(([, event]) => !movesHead(event))
    .toArray().length;
  return {
    id: state.id,
    events,
    omitted: { bookkeeping, otherBranches: log.length - bookkeeping - events.length },
    agent: state.agent,
    workingDir: state.workingDir ?? '/',
  };
}
