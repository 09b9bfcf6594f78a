import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.ts';
import { foldLog } from '../conversation/state/history.ts';
import { serializeBaseState } from '../conversation/store/base-state.ts';
import { conversationDirectory } from '../conversation/store/location.ts';
import { placeEventFolder } from '../conversation/store/write-event-folder.ts';
import { MemoryEventLog } from '../log/memory-event-log.ts';
import { defined } from '../value/defined.ts';
import type { Imported } from './imported.ts';
import { withStorableIds } from './make-events.ts';

export interface StoreOptions {
  readonly conversationsDir: string;
  /** The folder in which a run will work. */
  readonly workingDir: string;
  /** The tools of the agent where the file names only its model. */
  readonly tools: Agent['tools'];
}

/**
 * Stores an imported history as a conversation that can be shown, forked and resumed. Returns its id. The folder is created completely or not
 * at all. The agent that the file names is stored for the record only; pass one to `Conversation.open` to resume.
 */
export async function storeImported(imported: Imported, options: StoreOptions): Promise<string> {
  const events = withStorableIds(imported.events);
  const memory = new MemoryEventLog();
  await memory.append(...events);
  const { state } = foldLog(memory);
  const id = randomUUID();
  const directory = conversationDirectory(options.conversationsDir, id);
  const baseState = serializeBaseState({
    id,
    agent: agentOf(imported, options),
    workingDir: options.workingDir,
    directory,
    maxIterations: 500,
    stuckDetection: true,
    confirmation: { kind: 'NeverConfirm' },
    tags: defined({ agent: imported.agentName ?? imported.agent?.name }),
    state,
    isImported: true,
  });
  await placeEventFolder(directory, events, baseState);
  return id;
}

function agentOf({ agent, model }: Imported, { tools }: StoreOptions): Agent | undefined {
  return agent ?? (model === undefined ? undefined : { llm: { model }, tools });
}
