import { statSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../event/content.ts';
import type { Message } from '../event/message.ts';
import type { RenderObservation } from '../event/projection.ts';
import { totalCostUsd } from '../llm/metrics.ts';
import type { EventLog } from '../log/event-log.ts';
import { FileEventLog } from '../log/file-event-log.ts';
import { foldLog, type History } from './history.ts';
import { conversationDirectory, conversationIds } from './location.ts';
import { foldStored, readBaseState } from './open.ts';
import type { State } from './state.ts';
import type { Status } from './status.ts';

/** A stored conversation, to be looked at; somebody else may be writing it. */
export interface StoredConversation {
  readonly log: EventLog;
  readonly workingDir: string | undefined;
  /** Now. */
  readonly state: State;
  /** The prompt as it stands now. */
  messages(): readonly Message[];
  /** After event `at`. */
  stateAt(at: number): State;
  /** What a request would have sent after event `at`; what was sent, if one was. */
  messagesAt(at: number): readonly Message[];
  close(): Promise<void>;
}

export interface ReadOptions {
  /** How the tools show their observations to the model; default: the content as it is. */
  readonly render?: RenderObservation;
  readonly onWarning?: (text: string) => void;
}

/** Throws LogError if there is no conversation in the folder. */
export async function readConversation(
  directory: string,
  options: ReadOptions = {},
): Promise<StoredConversation> {
  const { render, onWarning } = options;
  const log = await FileEventLog.open(directory, {
    readOnly: true,
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  let folded: History | undefined;
  const now = (): History => {
    folded ??= foldStored(directory, log, render, onWarning);
    return folded;
  };
  const at = (index: number): History => foldLog(log, index + 1, render);
  return {
    log,
    workingDir: quietly(() => readBaseState(directory)?.workingDir),
    get state() {
      return now().state;
    },
    messages: () => now().view.messages(),
    stateAt: (index) => at(index).state,
    messagesAt: (index) => at(index).view.messages(),
    close: () => log.close(),
  };
}

export interface ConversationSummary {
  readonly id: string;
  readonly directory: string;
  readonly status: Status;
  readonly title: string;
  readonly workingDir: string | undefined;
  readonly events: number;
  readonly costUsd: number;
  readonly modifiedMs: number;
}

/** The conversations of a folder, the one that changed last first. Those that cannot be read are warned of. */
export async function listConversations(
  conversationsDir: string,
  onWarning: (text: string) => void = () => undefined,
): Promise<readonly ConversationSummary[]> {
  const summaries: ConversationSummary[] = [];
  for (const id of conversationIds(conversationsDir)) {
    const directory = conversationDirectory(conversationsDir, id);
    try {
      summaries.push(await summarize(id, directory, onWarning));
    } catch (error) {
      onWarning(`${directory} is left out: ${(error as Error).message}`);
    }
  }
  return summaries.sort((a, b) => b.modifiedMs - a.modifiedMs);
}

async function summarize(
  id: string,
  directory: string,
  onWarning: (text: string) => void,
): Promise<ConversationSummary> {
  const conversation = await readConversation(directory, { onWarning });
  try {
    const { log, state } = conversation;
    return {
      id,
      directory,
      status: state.status,
      title: firstUserWords(log),
      workingDir: conversation.workingDir,
      events: log.length,
      costUsd: totalCostUsd(state.stats),
      modifiedMs: statSync(join(directory, 'events')).mtimeMs,
    };
  } finally {
    await conversation.close();
  }
}

/** The task stands near the beginning; what is not found there is not looked for. */
function firstUserWords(log: EventLog): string {
  for (const [, event] of log.read(0, 10)) {
    if (event.kind === 'MessageEvent' && event.source === 'user') return textOf(event.llm_message.content);
  }
  return '';
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // base_state.json is only a convenience here
  }
}
