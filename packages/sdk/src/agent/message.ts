import { type Content, type TextContent, text } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';

/** What skills and hooks add to a message: the names of the skills, and the texts. */
export interface Added {
  readonly names: readonly string[];
  readonly content: readonly TextContent[];
}

const NOTHING: Added = { names: [], content: [] };

/** A message to the model, as its event. */
export function message(
  source: 'user' | 'environment',
  said: string | readonly Content[],
  added: Added = NOTHING,
): Draft {
  const content = typeof said === 'string' ? [text(said)] : [...said];
  return {
    source,
    llm_message: { role: 'user', content, thinking_blocks: [] },
    activated_skills: [...added.names],
    extended_content: [...added.content],
    kind: 'MessageEvent',
  };
}
