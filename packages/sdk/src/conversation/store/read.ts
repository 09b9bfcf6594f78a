import { statSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../event/content.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import type { RenderObservation } from '../../event/projection.ts';
import { type Stats, totalCostUsd, unpricedCalls } from '../../llm/accounts/metrics.ts';
import type { ToolSchema } from '../../llm/llm.ts';
import { wireMessages } from '../../llm/provider/wire-form.ts';
import { sendable } from '../../llm/sendable.ts';
import type { EventLog } from '../../log/event-log.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import type { ToolSet } from '../../tool/tool-set.ts';
import { defined } from '../../value/defined.ts';
import { type CondenserSpec, createCondenser } from '../../view/condensers/spec.ts';
import type { View } from '../../view/view.ts';
import { accountsIn, withStored } from '../state/accounts.ts';
import { branchOf, foldLog, type History } from '../state/history.ts';
import type { State } from '../state/state.ts';
import type { Status } from '../state/status.ts';
import type { StoredBaseState, Tags } from './base-state.ts';
import { conversationDirectory, conversationIds } from './location.ts';
import { foldStored, readBaseState, tryReadBaseState } from './open.ts';
import { readRequests } from './request-record.ts';
import { type FindResponse, responsesIn } from './responses.ts';

/** A stored conversation for reading; another process may be writing it. */
export interface StoredConversation {
  readonly log: EventLog;
  readonly workingDir: string | undefined;
  readonly tags: Tags;
  /** The current state. */
  readonly state: State;
  /** The whole response of the model's provider with an event's `llm_response_id`, in the provider's form; undefined if it was not kept. */
  readonly response: FindResponse;
  /** The accounts of all models, in order: each has the totals so far, and the calls since the previous one. */
  accounts(): readonly Stats[];
  /** The events of the active branch, from its root. */
  branch(): readonly Event[];
  /** The current prompt. */
  messages(): readonly Message[];
  /** The state after event `at`. */
  stateAt(at: number): State;
  /** The messages of a request after event `at`, as the condenser shows them. */
  messagesAt(at: number): Promise<readonly Message[]>;
  /** The same as in the request: JSON in OpenAI's chat format, one string for each message. */
  wireMessagesAt(at: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ReadOptions extends Partial<Pick<ToolSet, 'hiddenWhenOld'>> {
  /** How the tools show their observations to the model. Default: the content as it is. */
  readonly render?: RenderObservation;
  readonly onWarning?: (text: string) => void;
  /** The tools' descriptions, for models that read them in the prompt, if the folder does not record what they were. */
  readonly toolSchemas?: readonly ToolSchema[];
}

/** Throws LogError if there is no conversation in the folder. */
export async function readConversation(
  directory: string,
  options: ReadOptions = {},
): Promise<StoredConversation> {
  const { render, onWarning } = options;
  const log = await FileEventLog.open(directory, {
    readOnly: true,
    ...defined({ onWarning }),
  });
  let folded: History | undefined;
  const now = (): History => {
    folded ??= foldStored(directory, log, stored, render);
    return folded;
  };
  let read: { readonly stored: StoredBaseState | undefined } | undefined;
  const stored = () => {
    read ??= { stored: tryReadBaseState(directory, onWarning) };
    return read.stored;
  };
  const at = (index: number): History => foldLog(log, index + 1, render);
  return {
    log,
    workingDir: stored()?.workingDir,
    tags: stored()?.tags ?? {},
    get state() {
      return now().state;
    },
    response: responsesIn(directory),
    accounts: () =>
      withStored(accountsIn(Iterator.from(log.read()).map(([, event]) => event)), stored()?.stats),
    branch: () => branchOf(log, now().state.leafId),
    messages: () => now().view.messages(),
    stateAt: (index) => at(index).state,
    messagesAt: async (index) => await shownOf(at(index).view, stored()?.agent?.condenser, options),
    wireMessagesAt: async (index) => {
      const { agent } = readBaseState(directory) ?? {};
      if (agent === undefined) throw new Error(`${directory} does not say which model was asked`);
      // A fork has the requests of its origin, and some of those stand behind events that it lacks.
      const isBefore = (id: EventId) => log.has(id) && log.indexOf(id) <= index;
      return wireMessages(agent.llm, {
        messages: await shownOf(at(index).view, agent.condenser, options),
        tools: readRequests(directory).toolsAt(isBefore) ?? options.toolSchemas ?? [],
      });
    },
    close: () => log.close(),
  };
}

/** A condenser that masks shows less than the view has; one that forgets has left an event in the log. */
async function shownOf(
  view: View,
  condenser: CondenserSpec = { type: 'noop' },
  { hiddenWhenOld = () => undefined }: ReadOptions,
): Promise<readonly Message[]> {
  const condensed = await createCondenser(condenser).condense(view, {
    llm: () => Promise.reject(new Error('no model is asked when history is read')),
    tokens: async () => 0,
    contextWindow: undefined,
    hiddenWhenOld,
    signal: new AbortController().signal,
    onNote: () => undefined,
  });
  return sendable(condensed.kind === 'messages' ? condensed.messages : view.messages());
}

/** A stored conversation as a list shows it. */
export interface ConversationSummary {
  readonly id: string;
  readonly directory: string;
  readonly status: Status;
  readonly title: string;
  /** The name that the user gave it. */
  readonly name: string | undefined;
  readonly workingDir: string | undefined;
  readonly events: number;
  readonly costUsd: number;
  /** Calls that `costUsd` lacks, because their price is unknown. */
  readonly unpricedCalls: number;
  readonly modifiedMs: number;
}

/** The conversations of a folder, the most recently changed first. Those that cannot be read are skipped with a warning. */
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
      name: conversation.tags['name'],
      workingDir: conversation.workingDir,
      events: log.length,
      costUsd: totalCostUsd(state.stats),
      unpricedCalls: unpricedCalls(state.stats),
      modifiedMs: statSync(join(directory, 'events')).mtimeMs,
    };
  } finally {
    await conversation.close();
  }
}

/** The task, if it is among the first events; no others are searched. */
function firstUserWords(log: EventLog): string {
  for (const [, event] of log.read(0, 10)) {
    if (event.kind === 'MessageEvent' && event.source === 'user') return textOf(event.llm_message.content);
  }
  return '';
}
