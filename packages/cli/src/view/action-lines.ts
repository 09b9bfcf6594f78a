import type { ActionEvent } from '@longhand/sdk';
import { shownCall } from '@longhand/sdk';
import { headOf, ownValue } from '@longhand/sdk/value';
import { clip, indent, type LineOptions, paint } from './lines.ts';
import { markdownLines } from './markdown.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';

/** The fields of an action or observation. They come from a model or a file, so each is checked before it is used. */
export type Fields = { readonly [name: string]: unknown };

/** What the agent is about to do. */
export function actionLines(event: ActionEvent, options: LineOptions): string[] {
  const { style } = options;
  const lines = callLines(event, options);
  const isRisky = event.security_risk === 'HIGH' && lines.length > 0;
  return isRisky ? [...lines, style.yellow('  (the agent considers this risky)')] : lines;
}

function callLines(event: ActionEvent, { style, maxLines, tool }: LineOptions): string[] {
  const { action } = event;
  if (action === undefined) return unknownCall(event.tool_name, event.tool_call.arguments);
  const shown = shownCall(tool?.(event.tool_name), action);
  if (shown !== undefined) return paint(clip(sanitize(shown).trim().split('\n'), maxLines), style.cyan);
  switch (action.kind) {
    case 'TerminalAction':
      return paint(clip(commandLines(action), maxLines), style.cyan);
    case 'FileEditorAction':
      return [style.cyan(editLine(action))];
    case 'FinishAction':
      return stringOf(action['message']) === ''
        ? []
        : markdownLines(sanitize(stringOf(action['message'])).trim(), style);
    case 'ThinkAction':
      return paint(clip(sanitize(stringOf(action['thought'])).trim().split('\n'), maxLines), style.dim);
    case 'TaskTrackerAction':
      return []; // its result shows the list
    default:
      return paint(unknownCall(event.tool_name, event.tool_call.arguments), style.cyan);
  }
}

function commandLines(action: Fields): string[] {
  const command = sanitize(stringOf(action['command'])).split('\n');
  const [first = '', ...rest] = command;
  if (action['reset'] === true && first === '') return ['$ (a new shell)'];
  if (action['is_input'] === true) return [`< ${first}`, ...indent(rest)];
  if (first === '' && rest.length === 0) return ['$ (waits for more output)'];
  return [`$ ${first}`, ...indent(rest)];
}

const VERBS: { readonly [command: string]: string } = {
  view: 'reads',
  create: 'creates',
  str_replace: 'edits',
  insert: 'inserts into',
  undo_edit: 'undoes the last edit of',
};

function editLine(action: Fields): string {
  const command = stringOf(action['command']);
  const range = Array.isArray(action['view_range']) ? `, lines ${action['view_range'].join(' to ')}` : '';
  const verb = ownValue(VERBS, command) ?? command;
  return sanitizeLine(`${verb} ${stringOf(action['path'])}${range}`);
}

function unknownCall(toolName: string, json: string): string[] {
  const call = sanitizeLine(json);
  return [sanitizeLine(`${toolName} ${call.length > 300 ? `${headOf(call, 300)}...` : call}`)];
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
