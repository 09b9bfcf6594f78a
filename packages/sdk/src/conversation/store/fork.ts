import { randomUUID } from 'node:crypto';
import type { Event } from '../../event/kinds.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { NEVER_CONFIRM } from '../../security/confirmation.ts';
import { defined } from '../../value/defined.ts';
import { DEFAULT_MAX_ITERATIONS } from '../open-options.ts';
import { branchOf, foldLog } from '../state/history.ts';
import { INITIAL_STATE } from '../state/state.ts';
import { serializeBaseState } from './base-state.ts';
import { conversationDirectory } from './location.ts';
import { readBaseState } from './open.ts';
import { copyRequests } from './request-record.ts';
import { KeptResponses, responsesIn } from './responses.ts';
import { placeEventFolder } from './write-event-folder.ts';

export interface ForkOptions {
  /** Index of the last event to copy. Default: all. */
  readonly at?: number;
  readonly conversationsDir: string;
  /** Called for events that are damaged or missing. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/**
 * Copies the branch that was active after event `at` into a new conversation. Events keep their ids and parents, and are numbered from 0; the
 * accounts start empty. Returns the new id. Throws RangeError if there is no event `at`.
 */
export async function forkDirectory(directory: string, options: ForkOptions): Promise<string> {
  const log = await FileEventLog.open(directory, { readOnly: true, onWarning: options.onWarning });
  try {
    const at = options.at ?? log.length - 1;
    if (at < 0 || at >= log.length) {
      throw new RangeError(`there is no event ${at}: the conversation has the events 0 to ${log.length - 1}`);
    }
    const branch = branchOf(log, foldLog(log, at + 1).state.leafId);
    const id = randomUUID();
    const target = conversationDirectory(options.conversationsDir, id);
    const keep = (folder: string) => {
      copyResponses(directory, folder, branch);
      copyRequests(directory, folder);
    };
    await placeEventFolder(target, branch, baseStateOf(directory, target, id, branch), keep);
    return id;
  } finally {
    await log.close();
  }
}

function copyResponses(from: string, to: string, branch: readonly Event[]): void {
  const find = responsesIn(from);
  const kept = new KeptResponses(to);
  const ids = new Set(branch.flatMap((event) => ('llm_response_id' in event ? [event.llm_response_id] : [])));
  for (const id of ids) {
    const response = id === undefined ? undefined : find(id);
    if (id !== undefined && response !== undefined) kept.keep(id, response);
  }
  kept.close();
}

function baseStateOf(
  origin: string,
  directory: string,
  id: string,
  branch: readonly Event[],
): string | undefined {
  const stored = readBaseState(origin);
  if (stored === undefined) return undefined;
  return serializeBaseState({
    id,
    agent: stored.agent,
    workingDir: stored.workingDir ?? process.cwd(),
    directory,
    maxIterations: DEFAULT_MAX_ITERATIONS,
    stuckDetection: true,
    confirmation: stored.confirmation ?? NEVER_CONFIRM,
    tags: defined({ agent: stored.tags['agent'] }), // a name belongs to one conversation
    state: { ...INITIAL_STATE, leafId: branch.at(-1)?.id ?? null },
    isImported: stored.isImported,
    before: stored,
  });
}
