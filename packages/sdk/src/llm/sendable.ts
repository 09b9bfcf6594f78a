/**
 * The one guard before every request, whichever provider it goes to. Providers reject a request without messages, a blank text block and a
 * message without content, and some a system message behind others.
 */
import { type Content, text } from '../event/content.ts';
import type { Message } from '../event/message.ts';
import { remembered } from '../value/remembered.ts';
import { LLMError } from './errors.ts';
import type { Prompt } from './llm.ts';

/** Replaces the content of a message that has none. */
export const NO_CONTENT = '(no content)';

/**
 * The messages in a form that every provider accepts: system messages first, no blank text blocks, no message without content. Messages
 * that need no change are the same objects.
 */
export function sendable(messages: readonly Message[]): readonly Message[] {
  const filled = messages
    .map(withContent)
    .filter(({ role, content }) => role !== 'system' || content.length > 0);
  const others = filled.findIndex(({ role }) => role !== 'system');
  const isOrdered = others === -1 || !filled.slice(others).some(({ role }) => role === 'system');
  return isOrdered
    ? filled
    : [...filled.filter(({ role }) => role === 'system'), ...filled.filter(({ role }) => role !== 'system')];
}

/** The prompt with its messages made `sendable`. Throws LLMError if there is nothing to answer. */
export function guarded(prompt: Prompt): Prompt {
  const messages = sendable(prompt.messages);
  if (messages.some(({ role }) => role !== 'system')) return { ...prompt, messages };
  throw new LLMError('LLMBadRequestError', 'there is no message for the model to answer', {
    remedy: 'Send a message, or give a task.',
  });
}

/** A blank system message stays empty, and is left out. */
const withContent = remembered((message: Message): Message => {
  const { role, content, tool_calls: calls = [] } = message;
  const said = content.filter((block) => !isBlank(block));
  if (said.length === 0 && role !== 'system' && calls.length === 0)
    return { ...message, content: [text(NO_CONTENT)] };
  return said.length === content.length ? message : { ...message, content: said };
});

function isBlank(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() === '' : block.image_urls.length === 0;
}
