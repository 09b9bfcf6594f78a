/** Messages of V0 as drafts of our events. */

import { type Content, image, type TextContent, text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import { TrajectoryError } from '../trajectory-error.ts';

/** Throws TrajectoryError. */
export function messageDraft({ source }: Json, args: Json, responseId: string): Draft {
  const { content, image_urls: several, images_urls: old } = args;
  if (typeof content !== 'string') throw new TrajectoryError('a message must have "content" in "args"');
  const urls = several ?? old;
  const images = Array.isArray(urls) ? urls.filter((url): url is string => typeof url === 'string') : [];
  const by = source === 'agent' ? 'agent' : source === 'environment' ? 'environment' : 'user';
  return wordsDraft(
    by,
    [text(content), ...(images.length === 0 ? [] : [image(...images)])],
    by === 'agent' ? responseId : undefined,
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
): Draft {
  return {
    source,
    llm_message: {
      role: source === 'agent' ? 'assistant' : 'user',
      content: [...content],
      thinking_blocks: [],
    },
    ...defined({ llm_response_id: responseId }),
    activated_skills: [],
    extended_content: [] as TextContent[],
    kind: 'MessageEvent',
  };
}
