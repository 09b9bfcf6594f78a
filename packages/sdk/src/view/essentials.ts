import type { PromptEvent } from '../event/kinds.ts';

/**
 * The events that every view keeps, whatever is forgotten: the system prompt, and the task, which is the user's first message. An agent
 * without its task works on something else, and providers reject a prompt that starts with an assistant message.
 */
export function essentialsOf(events: readonly PromptEvent[]): ReadonlySet<PromptEvent> {
  const task = events.find((event) => event.kind === 'MessageEvent' && event.source === 'user');
  const essentials = new Set(events.filter(({ kind }) => kind === 'SystemPromptEvent'));
  if (task !== undefined) essentials.add(task);
  return essentials;
}
