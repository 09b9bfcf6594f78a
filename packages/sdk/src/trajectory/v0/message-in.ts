/** Messages of V0 as drafts of our events. */

import { type Content, image, type TextContent, text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import { TrajectoryError } from '../trajectory-error.ts';

/** Throws TrajectoryError. */
export function messageDraft({ source }: Json, args: Json, responseId: string): Draft {
  const { content, image_urls: several, images_urls: old, reasoning } = args;
  if (typeof content !== 'string') throw new TrajectoryError('a message must have "content" in "args"');
  const urls = several ?? old;
  const images = Array.isArray(urls) ? urls.filter((url): url is string => typeof url === 'string') : [];
  const by = source === 'agent' ? 'agent' : source === 'environment' ? 'environment' : 'user';
  return wordsDraft(
    by,
    [text(content), ...(images.length === 0 ? [] : [image(...images)])],
    by === 'agent' ? responseId : undefined,
    typeof reasoning === 'string' ? reasoning : undefined,
  );
}

export function systemDraft({ content, tools }: Json): Draft {
  const described = Array.isArray(tools)
    ? tools.filter((tool) => isRecord(tool) && typeof tool['kind'] === 'string')
    : [];
  return {
    source: 'agent',
    system_prompt: text(words(content)),
    tools: described as never[],
    kind: 'SystemPromptEvent',
  };
}

export function wordsDraft(
  source: 'user' | 'agent' | 'environment',
  content: readonly Content[],
  responseId?: string,
  reasoning?: string,
): Draft {
  return {
    source,
    llm_message: {
      role: source === 'agent' ? 'assistant' : 'user',
      content: [...content],
      ...defined({ reasoning_content: reasoning }),
      thinking_blocks: [],
    },
    ...defined({ llm_response_id: responseId }),
    activated_skills: [],
    extended_content: [] as TextContent[],
    kind: 'MessageEvent',
  };
}

/** `eventOfId`: our events by the ids of their elements in V0. */
export function condensationDraft(args: Json, eventOfId: ReadonlyMap<unknown, Event>): Draft {
  const { forgotten_event_ids: ids, forgotten_events_start_id: from, forgotten_events_end_id: to } = args;
  const { summary, summary_offset: offset } = args;
  const wanted = new Set<unknown>(Array.isArray(ids) ? ids : []);
  const inRange = (id: unknown) =>
    typeof from === 'number' && typeof to === 'number' && typeof id === 'number' && id >= from && id <= to;
  const forgotten = [...eventOfId].filter(([id]) => (Array.isArray(ids) ? wanted.has(id) : inRange(id)));
  return {
    source: 'environment',
    forgotten_event_ids: forgotten.map(([, event]) => event.id),
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof offset === 'number' ? { summary_offset: offset } : {}),
    llm_response_id: 'v0-condensation',
    kind: 'Condensation',
  };
}
