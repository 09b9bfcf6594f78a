import type { ObservationEvent } from '@longhand/sdk';
import { shownResult, textOf } from '@longhand/sdk';
import { observationContent, unifiedDiff } from '@longhand/sdk/internal';
import { isRecord, ownValue } from '@longhand/sdk/value';
import { type Fields, stringOf } from './action-lines.ts';
import { clip, indent, type LineOptions, paint } from './lines.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** What a person wants to see of an observation. */
export function observationLines(
  { tool_name, observation }: ObservationEvent,
  options: LineOptions,
): string[] {
  const { style, maxLines, tool } = options;
  const words = outputLines(textOf(observationContent(observation)));
  if (
    observation.is_error === true &&
    !(observation.kind === 'TerminalObservation' && hasExitCode(observation))
  ) {
    return indent(paint(clip(words, maxLines), style.red));
  }
  const shown = shownResult(tool?.(tool_name), observation);
  if (shown !== undefined) return indent(paint(clip(outputLines(shown), maxLines), style.dim));
  switch (observation.kind) {
    case 'TerminalObservation':
      return indent([...paint(clip(words, maxLines), style.dim), ...exitLines(observation, style)]);
    case 'FileEditorObservation':
      return indent(editLines(observation, words, options));
    case 'TaskTrackerObservation':
      return taskLines(observation, style);
    case 'FinishObservation':
    case 'ThinkObservation':
      return []; // shown with the action
    default:
      return indent(paint(clip(words, maxLines), style.dim));
  }
}

function outputLines(output: string): string[] {
  const safe = sanitize(output).replace(/^\n+/, '').trimEnd();
  return safe === '' ? [] : safe.split('\n');
}

function exitLines(observation: Fields, style: Style): string[] {
  const code = observation['exit_code'];
  if (typeof code !== 'number' || code === 0) return [];
  return code === -1 ? [style.yellow('(still running)')] : [style.red(`exit code ${code}`)];
}

/** A command that was refused has none. */
function hasExitCode({ exit_code: code }: Fields): boolean {
  return typeof code === 'number' && code >= 0;
}

function editLines(
  observation: Fields,
  words: readonly string[],
  { style, maxLines }: LineOptions,
): string[] {
  const before = observation['old_content'];
  const after = observation['new_content'];
  if (typeof after !== 'string') return [style.dim(`${shownLines(words)} lines`)];
  const diff = unifiedDiff(sanitize(stringOf(before)), sanitize(after));
  if (diff.length === 0) return [style.dim('no change')];
  return clip(diff, maxLines).map((line) => paintDiff(line, style));
}

/** The numbered lines of a file; all lines of a folder. */
function shownLines(words: readonly string[]): number {
  const numbered = words.filter((line) => /^\s*\d+\t/.test(line)).length;
  return numbered === 0 ? words.length : numbered;
}

function paintDiff(line: string, style: Style): string {
  if (line.startsWith('+')) return style.green(line);
  if (line.startsWith('-')) return style.red(line);
  return line.startsWith('@@') ? style.cyan(line) : line;
}

const MARKS: { readonly [status: string]: string } = { done: '[x]', in_progress: '[>]', todo: '[ ]' };

function taskLines(observation: Fields, style: Style): string[] {
  const list = Array.isArray(observation['task_list']) ? (observation['task_list'] as readonly Fields[]) : [];
  return list.filter(isRecord).map((task) => {
    const status = stringOf(task['status']);
    const line = `${ownValue(MARKS, status) ?? '[ ]'} ${sanitizeLine(stringOf(task['title']))}`;
    return status === 'done' ? style.dim(line) : line;
  });
}
