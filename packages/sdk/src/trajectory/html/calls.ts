/** A call and its result: a command with its output, a change as a diff, or the arguments of any other tool. */

import { textOf } from '../../event/content.ts';
import { observationContent } from '../../event/kinds/observation-content.ts';
import type { ActionEvent, Observation, ResultEvent } from '../../event/kinds.ts';
import { isRecord } from '../../value/is-record.ts';
import { ownValue } from '../../value/own-value.ts';
import { isFailure, isStillRunning } from '../failures.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import type { Call } from '../passages.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { badge, box, fold, picture, written } from './markup.ts';
import { say } from './say.ts';

export interface Shown {
  /** The group, for the filters of the page. */
  readonly group: 'commands' | 'files' | 'other';
  readonly failed: boolean;
  readonly markup: string;
}

export function callMarkup({ action, result }: Call): Shown {
  const { kind = '', ...fields } = action.action ?? {};
  const show = ownValue(SHOWN, kind);
  const {
    group = 'other',
    head,
    body,
  } = show?.(fields, observationOf(result)) ?? anyCall(action, fields, result);
  const failed = result !== undefined && isFailure(result);
  const risk =
    action.security_risk === 'HIGH' || action.security_risk === 'MEDIUM' ? action.security_risk : '';
  const badges = [
    risk === '' ? '' : badge(`${risk.toLowerCase()} risk`, 'warn'),
    ...statusBadges(result),
  ].join('');
  return {
    group,
    failed,
    markup: `<section class="call${failed ? ' failed' : ''}"><header><b>${say(action.tool_name)}</b>${head}${badges}</header>${body}${resultMarkup(result, body !== '' && group === 'files' && !failed)}</section>`,
  };
}

interface Head {
  readonly group?: Shown['group'];
  readonly head: string;
  readonly body: string;
}

const SHOWN: { readonly [kind: string]: (fields: Json, observation: Observation | undefined) => Head } = {
  TerminalAction: ({ command, is_input: isInput }) => ({
    group: 'commands',
    head: isInput === true ? badge('input') : '',
    body: box(words(command), 'command'),
  }),
  IPythonAction: ({ code }) => ({ group: 'commands', head: '', body: box(words(code), 'command') }),
  BrowseInteractiveAction: ({ code }) => ({ head: '', body: box(words(code), 'command') }),
  FileEditorAction: (fields, observation) => ({
    group: 'files',
    head: `${badge(words(fields['command']))}<code>${say(words(fields['path']))}</code>`,
    body: fields['command'] === 'view' ? '' : diffMarkup(fields, observation),
  }),
  ApplyPatchAction: ({ patch }) => ({
    group: 'files',
    head: '',
    body: diffLinesMarkup(words(patch).split('\n')),
  }),
  ThinkAction: ({ thought }) => ({ head: '', body: written(words(thought)) }),
  FinishAction: ({ message }) => ({ head: '', body: written(words(message)) }),
  TaskTrackerAction: ({ task_list: tasks }) => ({
    head: '',
    body:
      Array.isArray(tasks) && tasks.length > 0
        ? `<ul class="tasks">${tasks.filter(isRecord).map(taskMarkup).join('')}</ul>`
        : '',
  }),
};

function anyCall(action: ActionEvent, fields: Json, result: ResultEvent | undefined): Head {
  const observation = observationOf(result);
  if (typeof observation?.['new_content'] === 'string')
    return {
      group: 'files',
      head: `<code>${say(words(observation['path'] ?? fields['path']))}</code>`,
      body: diffMarkup(fields, observation),
    };
  const shown = action.action === undefined ? action.tool_call.arguments : JSON.stringify(fields, null, 2);
  return { head: '', body: shown === '{}' ? '' : box(shown, 'command') };
}

function taskMarkup(task: Json): string {
  const status = words(task['status']);
  const mark = status === 'done' ? '✓' : status === 'in_progress' ? '▸' : '·';
  return `<li class="${status === 'done' ? 'done' : ''}">${mark} ${say(words(task['title']))}</li>`;
}

/** A diff of the file if its content was stored, or else of the requested change. */
function diffMarkup(fields: Json, observation: Observation | undefined): string {
  const { file_text, old_str, new_str } = fields;
  const before = observation?.['old_content'] ?? old_str;
  const after = observation?.['new_content'] ?? file_text ?? new_str;
  if (before === undefined && after === undefined) return '';
  return diffLinesMarkup(unifiedDiff(words(before), words(after)));
}

function diffLinesMarkup(lines: readonly string[]): string {
  const markup = lines.map((line) => `<span class="${classOf(line)}">${say(line) || ' '}</span>`).join('\n');
  const pre = `<pre class="diff">${markup}</pre>`;
  return lines.length <= 60 ? pre : fold(`${lines.length} lines of changes`, pre);
}

function classOf(line: string): string {
  if (line.startsWith('@@') || line.startsWith('***')) return 'at';
  if (line.startsWith('+')) return 'plus';
  return line.startsWith('-') ? 'minus' : 'same';
}

function observationOf(result: ResultEvent | undefined): Observation | undefined {
  return result?.kind === 'ObservationEvent' ? result.observation : undefined;
}

function statusBadges(result: ResultEvent | undefined): string[] {
  if (result === undefined) return [badge('no result', 'warn')];
  if (result.kind === 'UserRejectObservation') return [badge('refused', 'bad')];
  if (result.kind === 'AgentErrorEvent') return [badge('error', 'bad')];
  const code = result.observation['exit_code'];
  if (isStillRunning(result.observation)) return [badge('still running', 'warn')];
  if (typeof code === 'number' && code >= 0) return [badge(`exit ${code}`, code === 0 ? 'good' : 'bad')];
  return result.observation.is_error === true ? [badge('failed', 'bad')] : [];
}

/** Empty for a change that is shown as a diff, and for results without information. */
function resultMarkup(result: ResultEvent | undefined, isShownAlready: boolean): string {
  if (result === undefined) return '';
  if (result.kind === 'AgentErrorEvent') return box(result.error, 'output bad');
  if (result.kind === 'UserRejectObservation') return box(result.rejection_reason ?? '', 'output bad');
  const { observation } = result;
  if (['FinishObservation', 'ThinkObservation'].includes(observation.kind)) return '';
  const content = observationContent(observation);
  const pictures = content.flatMap((block) => (block.type === 'image' ? block.image_urls.map(picture) : []));
  const text = textOf(content);
  const said =
    isShownAlready && text !== ''
      ? fold('answer', box(text, 'output'))
      : box(text, 'output', isFailure(result));
  const knowledge = textOf(result.extended_content ?? []);
  const told = knowledge === '' ? '' : fold('added knowledge', box(knowledge));
  return `${said}${pictures.join('')}${told}`;
}
