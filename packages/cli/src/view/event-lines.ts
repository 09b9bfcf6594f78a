/** From an event to lines of text: what the live view and `show` print. Pure, and safe for a terminal. */
import type { ActionEvent, Event, MessageEvent, SystemPromptEvent } from '@longhand/sdk';
import { textOf } from '@longhand/sdk';
import { actionLines } from './action-lines.ts';
import { clip, indent, type LineOptions, paint, type Shown } from './lines.ts';
import { observationLines } from './observation-lines.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';

/** None for an event that has nothing to show. */
export function eventLines(event: Event, options: LineOptions): string[] {
  const { style, maxLines } = options;
  switch (event.kind) {
    case 'MessageEvent':
      return messageLines(event, options);
    case 'ActionEvent':
      return [...thoughtLines(event, options), ...actionLines(event, options)];
    case 'ObservationEvent':
      return observationLines(event, options);
    case 'AgentErrorEvent':
      return paint(clip(prefixed('! ', sanitize(event.error)), maxLines), style.red);
    case 'UserRejectObservation':
      return paint(prefixed('! refused: ', sanitize(event.rejection_reason ?? '')), style.yellow);
    default:
      return options.timeline === true ? timelineLines(event, options) : [];
  }
}

export function messageLines(event: MessageEvent, options: LineOptions, shown?: Shown): string[] {
  const { style, maxLines } = options;
  const words = textOf(event.llm_message.content);
  if (event.source === 'agent') {
    return answerLines(words, event.llm_message.reasoning_content, options, shown);
  }
  const lines = clip(prefixed('> ', sanitize(words)), maxLines);
  return paint(lines, event.source === 'user' ? style.bold : style.dim);
}

/** What the agent says before it acts. */
export function thoughtLines(event: ActionEvent, options: LineOptions, shown?: Shown): string[] {
  return answerLines(textOf(event.thought), event.reasoning_content, options, shown);
}

function answerLines(
  words: string,
  reasoning: string | undefined,
  { style, maxLines }: LineOptions,
  shown: Shown = NOTHING,
): string[] {
  const reasons = shown.reasoning ? [] : clip(proseLines(reasoning ?? ''), maxLines);
  return [...paint(reasons, style.dim), ...(shown.text ? [] : proseLines(words))];
}

const NOTHING: Shown = { text: false, reasoning: false };

function proseLines(words: string): string[] {
  return words.trim() === '' ? [] : sanitize(words).trim().split('\n');
}

/** What only `show` shows: one line each. */
function timelineLines(event: Event, { style }: LineOptions): string[] {
  switch (event.kind) {
    case 'SystemPromptEvent':
      return [style.dim(systemPromptLine(event))];
    case 'ConversationErrorEvent':
      return paint(prefixed('! ', sanitize(`${event.code}: ${event.detail}`)), style.red);
    case 'ConversationStateUpdateEvent':
      return [style.dim(sanitizeLine(stateUpdateLine(event.key, event.value)))];
    case 'PauseEvent':
      return [style.yellow('paused by the user')];
    case 'InterruptEvent':
      return [style.yellow('interrupted by the user')];
    case 'Condensation':
      return [
        style.dim(
          `forgets ${event.forgotten_event_ids?.length ?? 0} events; ${sanitizeLine(event.summary ?? 'no summary')}`,
        ),
      ];
    case 'HookExecutionEvent':
      return [
        style.dim(
          sanitizeLine(`hook ${event.hook_event_type}: ${event.hook_command} ended with ${event.exit_code}`),
        ),
      ];
    default:
      return [style.dim(sanitizeLine(event.kind))];
  }
}

function systemPromptLine(event: SystemPromptEvent): string {
  const characters = event.system_prompt.text.length + (event.dynamic_context?.text.length ?? 0);
  return `system prompt: ${characters} characters, ${event.tools.length} tools`;
}

function stateUpdateLine(key: string, value: unknown): string {
  if (key === 'execution_status') return `status: ${String(value)}`;
  if (key === 'stats') return 'accounts';
  const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `${key}: ${shown.length > 100 ? `${shown.slice(0, 100)}...` : shown}`;
}

/** The prefix before the first line, the others indented to it. */
function prefixed(prefix: string, words: string): string[] {
  const [first = '', ...rest] = words.trimEnd().split('\n');
  return [`${prefix}${first}`, ...indent(rest, ' '.repeat(prefix.length))];
}
