/** Our events other than calls and results, as V0 writes them. */
import { textOf } from '../../event/content.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event, EventOf, MessageEvent, SystemPromptEvent } from '../../event/kinds.ts';
import type { Json } from '../json-text.ts';
import type { V0Draft } from './format.ts';
import { knowledgeOf } from './knowledge.ts';
import type { V0Original } from './original.ts';
import { reasoningText } from './reasoning.ts';
import { workspaceExtras } from './workspace-recall.ts';

/**
 * The dynamic part of the first system prompt. V0 stores it in the recall after the user's first message; if no such message follows, it stays in
 * the prompt.
 */
export interface Opening {
  readonly prompt: EventId | undefined;
  readonly message: EventId | undefined;
  /** The text; empty if there is none, or if the prompt keeps it. */
  readonly place: string;
}

export function openingOf(events: readonly Event[]): Opening {
  const promptAt = events.findIndex(({ kind }) => kind === 'SystemPromptEvent');
  const messageAt = events.findIndex((event) => event.kind === 'MessageEvent' && event.source === 'user');
  const prompt = events[promptAt] as SystemPromptEvent | undefined;
  return {
    prompt: prompt?.id,
    message: events[messageAt]?.id,
    place: promptAt < messageAt ? (prompt?.dynamic_context?.text ?? '') : '',
  };
}

/** What V0 says of a system message that is not in its event. */
interface SystemFacts {
  readonly version: string | null;
  readonly agentClass: string;
  readonly original: V0Original | undefined;
}

export function systemOut(
  { id, timestamp, system_prompt, dynamic_context, tools }: SystemPromptEvent,
  opening: Opening,
  { version, agentClass, original }: SystemFacts,
): V0Draft {
  const isTold = dynamic_context === undefined || (id === opening.prompt && opening.place !== '');
  const content = textOf(isTold ? [system_prompt] : [system_prompt, dynamic_context]);
  const args = {
    content,
    tools,
    openhands_version: version,
    agent_class: agentClass,
    ...original?.system,
  };
  return { timestamp, source: 'agent', message: content, action: 'system', args };
}

export function messageOut({ timestamp, source, llm_message: said }: MessageEvent): V0Draft {
  const content = textOf(said.content);
  const images = said.content.flatMap((block) => (block.type === 'image' ? [...block.image_urls] : []));
  const reasoning = reasoningText(said);
  return {
    timestamp,
    source: source === 'hook' ? 'environment' : source,
    message: content,
    action: 'message',
    args: {
      content,
      file_urls: null,
      image_urls: images.length === 0 ? null : images,
      wait_for_response: source === 'agent',
      security_risk: -1,
      ...(reasoning === '' ? {} : { reasoning }),
    },
  };
}

/**
 * The recall after a message, as action and observation: V0 recalls knowledge after each message of the user, and the workspace after the
 * first. Undefined for other messages.
 */
export function recallOut(
  event: MessageEvent,
  opening: Opening,
  original: V0Original['recall'],
): readonly [V0Draft, V0Draft] | undefined {
  const knowledge = knowledgeOf(event);
  if (event.source !== 'user' && knowledge.length === 0 && original === undefined) return undefined;
  const { timestamp, llm_message: said } = event;
  const isFirst = event.id === opening.message;
  const place = isFirst ? opening.place : '';
  const type = original?.extras['recall_type'] ?? (isFirst ? 'workspace_context' : 'knowledge');
  const query = textOf(said.content);
  const asked: V0Draft = {
    timestamp,
    source: 'user',
    message: 'Retrieving knowledge',
    action: 'recall',
    args: { recall_type: type, query, thought: '' },
  };
  const head = { timestamp, source: 'environment' } as const;
  if (original === undefined && knowledge.length === 0 && place === '')
    return [asked, { ...head, message: 'Nothing to add', observation: 'null', content: '', extras: {} }];
  const extras: Json = original?.extras ?? {
    recall_type: type,
    ...(isFirst ? workspaceExtras(place) : {}),
    microagent_knowledge: knowledge,
  };
  const content = original?.content ?? '';
  return [asked, { ...head, message: 'Added knowledge', observation: 'recall', content, extras }];
}

/** `numbers`: the ids of the elements in V0, by the ids of our events. */
export function condensationOut(
  event: EventOf<'Condensation'>,
  numbers: ReadonlyMap<EventId, readonly number[]>,
): V0Draft {
  const { timestamp, forgotten_event_ids: ids = [], summary, summary_offset: offset } = event;
  const forgotten = ids.flatMap((id) => numbers.get(id) ?? []).sort((a, b) => a - b);
  const args = {
    forgotten_event_ids: forgotten,
    forgotten_events_start_id: null,
    forgotten_events_end_id: null,
    summary: summary ?? null,
    summary_offset: summary === undefined ? null : (offset ?? 0),
  };
  const message = `Condensation of ${forgotten.length} events`;
  return { timestamp, source: 'agent', message, action: 'condensation', args };
}
