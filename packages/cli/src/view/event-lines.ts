/** Events as lines of text, for the live view and for `show`. Pure, and safe for a terminal. */
import type { ActionEvent, Event, MessageEvent } from '@longhand/sdk';
import { showEvent, textOf } from '@longhand/sdk';
import { isBuiltInKind } from '@longhand/sdk/internal';
import { headOf } from '@longhand/sdk/value';
import { actionLines } from './action-lines.ts';
import { clip, indent, type LineOptions, paint, type Shown } from './lines.ts';
import { markdownLines } from './markdown.ts';
import { observationLines } from './observation-lines.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** Empty for an event that has nothing to show. */
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
      return options.timeline === true || isOwn(event) ? timelineLines(event, options) : [];
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
  return [...paint(reasons, style.dim), ...(shown.text ? [] : markdown(words, style))];
}

const NOTHING: Shown = { text: false, reasoning: false };

function markdown(words: string, style: Style): string[] {
  return words.trim() === '' ? [] : markdownLines(sanitize(words).trim(), style);
}

function proseLines(words: string): string[] {
  return words.trim() === '' ? [] : sanitize(words).trim().split('\n');
}

/** What `show` prints and the live view does not. */
function timelineLines(event: Event, options: LineOptions): string[] {
  const { style } = options;
  const words = showEvent(event) ?? unknownWords(event);
  switch (event.kind) {
    case 'ConversationErrorEvent':
      return paint(prefixed('! ', sanitize(words)), style.red);
    case 'PauseEvent':
    case 'InterruptEvent':
      return [style.yellow(words)];
    default:
      return isOwn(event) ? ownLines(words, options) : [style.dim(sanitizeLine(words))];
  }
}

/** An event of an unknown kind: its name and its own fields. */
function unknownWords({ id: _, timestamp: __, source: ___, parent_id: ____, ...event }: Event): string {
  const { kind, ...fields } = event;
  const shown = JSON.stringify(fields);
  return shown === '{}' ? kind : `${kind} ${headOf(shown, 200)}${shown.length > 200 ? '...' : ''}`;
}

/** Whether the program has defined how this event is shown. */
function isOwn(event: Event): boolean {
  return !isBuiltInKind(event.kind) && showEvent(event) !== undefined;
}

/** An event of a kind that the program has defined: its text is meant for people wherever events are shown. */
function ownLines(words: string, { style, maxLines }: LineOptions): string[] {
  return paint(clip(sanitize(words).split('\n'), maxLines), style.dim);
}

/** The prefix before the first line; the other lines are indented by its width. */
function prefixed(prefix: string, words: string): string[] {
  const [first = '', ...rest] = words.trimEnd().split('\n');
  return [`${prefix}${first}`, ...indent(rest, ' '.repeat(prefix.length))];
}
