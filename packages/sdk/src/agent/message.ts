import { type Content, type TextContent, text } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { defined } from '../value/defined.ts';

export interface MessageExtras {
  /** Who says it, if that is not plain from the source; see `sender.ts`. */
  readonly sender?: string | undefined;
  /** Names of the skills that the message activates. */
  readonly names?: readonly string[] | undefined;
  /** What skills and hooks add. */
  readonly content?: readonly TextContent[] | undefined;
}

/** A message to the model, as its event. */
export function message(
  source: 'user' | 'environment',
  said: string | readonly Content[],
  { sender, names = [], content: added = [] }: MessageExtras = {},
): Draft {
  const content = typeof said === 'string' ? [text(said)] : [...said];
  return {
    source,
    llm_message: { role: 'user', content, thinking_blocks: [] },
    activated_skills: [...names],
    extended_content: [...added],
    ...defined({ sender }),
    kind: 'MessageEvent',
  };
}
