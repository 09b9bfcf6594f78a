/** V0's actions as ours. */

import type { Action } from '../../event/kinds.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { ownValue } from '../../value/own-value.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import { mcpResult } from './mcp-result.ts';

export interface OurAction {
  /** The tool to assume where the trajectory names none. */
  readonly toolName: string;
  readonly action: Action;
}

/** The checked parts of an element of the file. */
export interface Element {
  readonly args: Json;
  readonly timeout: unknown;
  /** What the model wrote, if that is known. */
  readonly written: Json;
}

/** Undefined for an element that is not a call. `result` is the observation that answers it, if there is one. */
export function actionFromV0(
  name: string,
  element: Element,
  result: Json | undefined,
): OurAction | undefined {
  return ownValue(ACTIONS, name)?.(element, result);
}

const ACTIONS: {
  readonly [name: string]: (element: Element, result: Json | undefined) => OurAction;
} = {
  run: ({ args, timeout, written }) => ({
    toolName: 'terminal',
    action: {
      command: words(args['command']),
      is_input: args['is_input'] === true || args['is_input'] === 'true',
      // Every action of V0 has a timeout; only one that the model requested is `blocking`.
      ...(args['blocking'] === true && typeof timeout === 'number' ? { timeout } : {}),
      reset: written['reset'] === true || written['reset'] === 'true',
      kind: 'TerminalAction',
    },
  }),
  run_ipython: ({ args, timeout }) => ({
    toolName: 'execute_ipython_cell',
    action: {
      code: words(args['code']),
      timeout: typeof timeout === 'number' ? timeout : 120,
      kind: 'IPythonAction',
    },
  }),
  browse_interactive: ({ args }) => ({
    toolName: 'browser',
    action: { code: words(args['browser_actions']), kind: 'BrowseInteractiveAction' },
  }),
  browse: ({ args }) => ({
    toolName: 'browser',
    action: { code: `goto(${JSON.stringify(words(args['url']))})`, kind: 'BrowseInteractiveAction' },
  }),
  read: ({ args }) => {
    const range = rangeOf(args);
    return {
      toolName: 'file_editor',
      action: {
        command: 'view',
        path: words(args['path']),
        ...defined({ view_range: range }),
        kind: 'FileEditorAction',
      },
    };
  },
  write: ({ args }) => ({
    toolName: 'file_editor',
    action: {
      command: 'create',
      path: words(args['path']),
      file_text: words(args['content']),
      kind: 'FileEditorAction',
    },
  }),
  edit: ({ args, written }) => {
    const { path, content, start, end } = args;
    // Older versions of V0 stored the editor's parameters only in the model's call.
    const asked = isNamed(args['command']) ? args : isNamed(written['command']) ? written : undefined;
    if (asked === undefined)
      return { toolName: 'edit_file', action: { path, content, start, end, kind: 'EditFileAction' } };
    const given = ['file_text', 'old_str', 'new_str', 'insert_line'].filter(
      (key) => asked[key] !== null && asked[key] !== undefined,
    );
    return {
      toolName: 'file_editor',
      action: {
        command: asked['command'],
        path,
        ...Object.fromEntries(given.map((key) => [key, asked[key]])),
        kind: 'FileEditorAction',
      },
    };
  },
  task_tracking: ({ args }) => ({
    toolName: 'task_tracker',
    action: {
      command: words(args['command'] ?? 'view'),
      task_list: Array.isArray(args['task_list']) ? args['task_list'] : [],
      kind: 'TaskTrackerAction',
    },
  }),
  think: ({ args, written }) => ({
    toolName: 'think',
    action: { thought: words(written['thought'] ?? args['thought']), kind: 'ThinkAction' },
  }),
  finish: ({ args }) => ({
    toolName: 'finish',
    action: { message: words(args['final_thought'] ?? args['thought']), kind: 'FinishAction' },
  }),
  reject: ({ args }) => ({
    toolName: 'finish',
    action: { message: words(args['thought']), kind: 'FinishAction' },
  }),
  condensation_request: () => ({
    toolName: 'request_condensation',
    action: { kind: 'RequestCondensationAction' },
  }),
  delegate: ({ args }) => {
    const { task, ...inputs } = isRecord(args['inputs']) ? args['inputs'] : {};
    return {
      toolName: 'task',
      action: { prompt: words(task), subagent_type: words(args['agent']), ...inputs, kind: 'TaskAction' },
    };
  },
  call_tool_mcp: ({ args }, result) => {
    const given = isRecord(args['arguments']) ? args['arguments'] : {};
    const kind = actionKindOf(result);
    return {
      toolName: words(args['name']),
      action: kind === undefined ? { data: given, kind: 'MCPToolAction' } : { ...given, kind },
    };
  },
};

function isNamed(word: unknown): boolean {
  return typeof word === 'string' && word !== '';
}

/** The class of our action, derived from the class of the stored observation. */
function actionKindOf(result: Json | undefined): string | undefined {
  const { kind } = mcpResult(result?.['content'])?.structured ?? {};
  if (typeof kind !== 'string' || kind === 'MCPToolObservation') return undefined;
  return kind.endsWith('Observation') ? kind.replace(/Observation$/, 'Action') : undefined;
}

function rangeOf({ view_range: range, start, end }: Json): unknown {
  if (Array.isArray(range)) return range;
  const from = typeof start === 'number' ? start : 0;
  const to = typeof end === 'number' ? end : -1;
  return from === 0 && to === -1 ? undefined : [from + 1, to];
}
