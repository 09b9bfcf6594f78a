import type { ThinkingBlock } from '../../event/message.ts';

/** The reasoning as text; empty if there is none, or if it is encrypted. */
export function reasoningText({
  reasoning_content: words,
  thinking_blocks: blocks = [],
}: {
  readonly reasoning_content?: string | undefined;
  readonly thinking_blocks?: readonly ThinkingBlock[] | undefined;
}): string {
  return words ?? joined(blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')));
}

/** The `thought` of the first action of a turn, as V0 writes it: reasoning, then what was said. */
export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** The text of a `thought` that may begin with the reasoning. */
export function withoutReasoning(thought: string, reasoning: string): string {
  if (reasoning === '' || thought === reasoning) return reasoning === '' ? thought : '';
  return thought.startsWith(`${reasoning}\n`) ? thought.slice(reasoning.length + 1) : thought;
}
