/** Our actions as V0 writes them. */

import type { Action } from '../../event/kinds.ts';
import { ownValue } from '../../value/own-value.ts';
import type { Json } from '../json-text.ts';
import { DEFAULT_DELEGATE } from './format.ts';

export interface V0Action {
  readonly action: string;
  readonly args: Json;
  readonly timeout?: number;
  /** For people. */
  readonly message: string;
}

/** Actions that V0 lacks become calls of MCP tools; a call that could not be executed becomes `null`. */
export function actionToV0(toolName: string, action: Action | undefined): V0Action {
  if (action === undefined) return { action: 'null', args: {}, message: `No valid call of ${toolName}` };
  const { kind, ...fields } = action;
  const own = ownValue(ACTIONS, kind)?.(fields);
  if (own !== undefined) return own;
  const args = kind === 'MCPToolAction' ? fields['data'] : fields;
  return {
    action: 'call_tool_mcp',
    args: { name: toolName, arguments: args },
    message: `Calling ${toolName}`,
  };
}

const ACTIONS: { readonly [kind: string]: (fields: Json) => V0Action | undefined } = {
  TerminalAction: ({ command, is_input, timeout }) => ({
    action: 'run',
    args: {
      command,
      is_input: is_input === true,
      blocking: typeof timeout === 'number',
      is_static: false,
      cwd: null,
      hidden: false,
      confirmation_state: 'confirmed',
    },
    ...(typeof timeout === 'number' ? { timeout } : {}),
    message: `Running command: ${String(command)}`,
  }),
  IPythonAction: ({ code, timeout }) => ({
    action: 'run_ipython',
    args: { code, include_extra: true, confirmation_state: 'confirmed', kernel_init_code: '' },
    ...(typeof timeout === 'number' ? { timeout } : {}),
    message: `Running Python code: ${String(code)}`,
  }),
  BrowseInteractiveAction: ({ code }) =>
    typeof code !== 'string'
      ? undefined
      : {
          action: 'browse_interactive',
          args: { browser_actions: code, browsergym_send_msg_to_user: '', return_axtree: false },
          message: `In the browser: ${code}`,
        },
  FileEditorAction: ({ command, path, ...rest }) =>
    command === 'view'
      ? {
          action: 'read',
          args: { path, start: 0, end: -1, impl_source: 'oh_aci', view_range: rest['view_range'] ?? null },
          message: `Reading file: ${String(path)}`,
        }
      : {
          action: 'edit',
          args: {
            path,
            command,
            file_text: rest['file_text'] ?? null,
            old_str: rest['old_str'] ?? null,
            new_str: rest['new_str'] ?? null,
            insert_line: rest['insert_line'] ?? null,
            content: '',
            start: 1,
            end: -1,
            impl_source: 'oh_aci',
          },
          message: `Editing file: ${String(path)}`,
        },
  EditFileAction: ({ path, content, start, end }) => ({
    action: 'edit',
    args: {
      path,
      command: '',
      file_text: null,
      old_str: null,
      new_str: null,
      insert_line: null,
      content,
      start,
      end,
      impl_source: 'llm_based_edit',
    },
    message: `Editing file: ${String(path)}`,
  }),
  TaskTrackerAction: ({ command, task_list }) => ({
    action: 'task_tracking',
    args: { command, task_list: task_list ?? [] },
    message: 'Keeping the list of tasks',
  }),
  RequestCondensationAction: () => ({
    action: 'condensation_request',
    args: {},
    message: 'Condensation requested',
  }),
  TaskAction: ({ prompt, subagent_type, ...rest }) => ({
    action: 'delegate',
    args: { agent: subagent_type ?? DEFAULT_DELEGATE, inputs: { task: prompt, ...rest } },
    message: `Delegating to ${String(subagent_type ?? DEFAULT_DELEGATE)}`,
  }),
  ThinkAction: ({ thought }) => ({ action: 'think', args: { thought }, message: 'Thinking' }),
  FinishAction: ({ message }) => ({
    action: 'finish',
    args: { final_thought: message, outputs: {} },
    message: String(message),
  }),
};
