/** V0's observations as ours. */

import { type Content, image, text } from '../../event/content.ts';
import type { Action, Observation } from '../../event/kinds.ts';
import { isRecord } from '../../value/is-record.ts';
import { ownValue } from '../../value/own-value.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import { EDITOR_ERROR } from './format.ts';
import { mcpResult } from './mcp-result.ts';

/** The observation of V0 as ours; by default as that of an MCP tool. */
export function observationFromV0(
  name: string,
  content: string,
  extras: Json,
  called: { readonly toolName: string; readonly action: Action | undefined },
): Observation {
  const read = ownValue(OBSERVATIONS, name);
  return (
    read?.(content, extras, called.action) ?? {
      content: [text(content)],
      is_error: false,
      tool_name: called.toolName,
      kind: 'MCPToolObservation',
    }
  );
}

const OBSERVATIONS: {
  readonly [name: string]: (
    content: string,
    extras: Json,
    action: Action | undefined,
  ) => Observation | undefined;
} = {
  run: (content, extras, action) => {
    const stored = isRecord(extras['metadata']) ? extras['metadata'] : {};
    const exitCode = stored['exit_code'] ?? extras['exit_code'];
    return {
      content: [text(content)],
      is_error: false,
      command: words(extras['command'] ?? action?.['command']),
      exit_code: typeof exitCode === 'number' ? exitCode : -1,
      timeout: false,
      metadata: Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== null)),
      kind: 'TerminalObservation',
    };
  },
  run_ipython: (content, extras) => ({
    content: [text(content), ...images(extras['image_urls'])],
    is_error: false,
    code: words(extras['code']),
    timeout: false,
    kind: 'IPythonObservation',
  }),
  read: (content, extras) => editor(content, { command: 'view', path: extras['path'], prev_exist: true }),
  write: (content, extras) => editor(content, { command: 'create', path: extras['path'], prev_exist: false }),
  edit: (content, { path, prev_exist, old_content: before, new_content: after }, action) => {
    const file = {
      path,
      prev_exist: prev_exist === true,
      ...(typeof before === 'string' ? { old_content: before } : {}),
      ...(typeof after === 'string' ? { new_content: after } : {}),
    };
    if (action?.kind === 'EditFileAction')
      return { content: [text(content)], is_error: false, ...file, kind: 'EditFileObservation' };
    const command = typeof action?.['command'] === 'string' ? action['command'] : 'str_replace';
    return editor(content, { command, ...file });
  },
  task_tracking: (content, { command, task_list }) => ({
    content: [text(content)],
    is_error: false,
    command: words(command),
    task_list: Array.isArray(task_list) ? task_list : [],
    kind: 'TaskTrackerObservation',
  }),
  delegate: (content, { outputs }, action) => {
    const { content: said, is_error, ...rest } = isRecord(outputs) ? outputs : {};
    return {
      content: [text(typeof said === 'string' ? said : content)],
      is_error: is_error === true,
      task_id: '',
      subagent: words(action?.['subagent_type']),
      status: 'completed',
      ...rest,
      kind: 'TaskObservation',
    };
  },
  think: (content) => ({ content: [text(content)], is_error: false, kind: 'ThinkObservation' }),
  browse: (content, { screenshot, error, trigger_by_action: _, ...rest }) => ({
    content: [text(content), ...images(screenshot === '' ? [] : [screenshot])],
    is_error: error === true,
    ...rest,
    kind: 'BrowserOutputObservation',
  }),
  mcp: (content, { name }) => {
    const result = mcpResult(content);
    if (result === undefined) return undefined;
    const { kind, ...fields } = result.structured ?? {};
    const said = { content: [...result.content], is_error: result.isError };
    return typeof kind === 'string'
      ? { ...said, ...fields, kind }
      : { ...said, tool_name: words(name), kind: 'MCPToolObservation' };
  },
};

function editor(content: string, fields: Json): Observation {
  if (content.startsWith(EDITOR_ERROR)) {
    const { command } = fields;
    return {
      content: [text(content.slice(EDITOR_ERROR.length))],
      is_error: true,
      command,
      prev_exist: true,
      kind: 'FileEditorObservation',
    };
  }
  const said = content.startsWith('data:image/') ? image(content) : text(content);
  return { content: [said], is_error: false, ...fields, kind: 'FileEditorObservation' };
}

function images(urls: unknown): Content[] {
  const all = Array.isArray(urls) ? urls.filter((url): url is string => typeof url === 'string') : [];
  return all.length === 0 ? [] : [image(...all)];
}
