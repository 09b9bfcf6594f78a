/** Our actions and observations as V0 writes them. */

import type { Content } from '../../event/content.ts';
import { textOf } from '../../event/content.ts';
import type { Action, Observation } from '../../event/kinds.ts';
import { ownValue } from '../../value/own-value.ts';
import type { Json } from '../json-text.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { DEFAULT_DELEGATE, EDITOR_ERROR } from './format.ts';

export interface V0Action {
  readonly action: string;
  readonly args: Json;
  readonly timeout?: number;
  /** For people. */
  readonly message: string;
}

export interface V0Observation {
  readonly observation: string;
  readonly content: string;
  readonly extras: Json;
  readonly success?: boolean;
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

const BROWSER_FIELDS = [
  'url',
  'screenshot_path',
  'open_pages_urls',
  'active_page_index',
  'focused_element_bid',
  'last_browser_action',
  'last_browser_action_error',
];

/** The observation with which V0 answers the action, or else the result of an MCP tool. */
export function observationToV0(action: V0Action, toolName: string, observation: Observation): V0Observation {
  const fit = ownValue(OBSERVATIONS, action.action);
  return fit?.kinds.includes(observation.kind) === true
    ? fit.write(observation, action)
    : foreign(action, toolName, observation);
}

/** Failed observations have no path; V0's always do. */
function pathOf({ path }: Observation, { args }: V0Action): string {
  return String(path ?? args['path'] ?? '');
}

const OBSERVATIONS: {
  readonly [action: string]: {
    readonly kinds: readonly string[];
    readonly write: (observation: Observation, action: V0Action) => V0Observation;
  };
} = {
  run: {
    kinds: ['TerminalObservation'],
    write: ({ content, command, metadata, exit_code }) => {
      const exitCode = typeof exit_code === 'number' ? exit_code : -1;
      return {
        observation: 'run',
        content: textOf(content as readonly Content[]),
        extras: {
          command: command ?? '',
          metadata: {
            exit_code: exitCode,
            pid: -1,
            username: null,
            hostname: null,
            working_dir: null,
            py_interpreter_path: null,
            prefix: '',
            suffix: '',
            ...(metadata as Json | undefined),
          },
          hidden: false,
        },
        success: exitCode === 0,
        message: `Command \`${String(command ?? '')}\` executed with exit code ${exitCode}.`,
      };
    },
  },
  run_ipython: {
    kinds: ['IPythonObservation'],
    write: ({ content, code }) => {
      const images = imagesOf(content as readonly Content[]);
      return {
        observation: 'run_ipython',
        content: textOf(content as readonly Content[]),
        extras: { code: code ?? '', image_urls: images.length === 0 ? null : images },
        success: true,
        message: 'Code executed in IPython cell.',
      };
    },
  },
  browse_interactive: {
    kinds: ['BrowserOutputObservation'],
    write: ({ content, is_error, ...rest }) => ({
      observation: 'browse',
      content: textOf(content as readonly Content[]),
      extras: {
        // V0 accepts no other fields.
        ...Object.fromEntries(BROWSER_FIELDS.flatMap((name) => (name in rest ? [[name, rest[name]]] : []))),
        url: rest['url'] ?? '',
        trigger_by_action: 'browse_interactive',
        screenshot: imagesOf(content as readonly Content[])[0] ?? '',
        set_of_marks: rest['set_of_marks'] ?? '',
        error: is_error === true,
      },
      message: `Visited ${String(rest['url'] ?? 'a page')}`,
    }),
  },
  read: {
    kinds: ['FileEditorObservation'],
    write: (observation, action) => ({
      observation: 'read',
      content: editorContent(observation),
      extras: { path: pathOf(observation, action), impl_source: 'oh_aci' },
      message: `I read the file ${pathOf(observation, action)}.`,
    }),
  },
  edit: {
    kinds: ['FileEditorObservation', 'EditFileObservation'],
    write: (observation, action) => {
      const { prev_exist, old_content: before, new_content: after } = observation;
      const path = pathOf(observation, action);
      const changed = typeof before === 'string' || typeof after === 'string';
      return {
        observation: 'edit',
        content: editorContent(observation),
        extras: {
          path,
          prev_exist: prev_exist === true,
          old_content: before ?? null,
          new_content: after ?? null,
          impl_source: observation.kind === 'EditFileObservation' ? 'llm_based_edit' : 'oh_aci',
          diff: changed ? unifiedDiff(String(before ?? ''), String(after ?? '')).join('\n') : null,
        },
        message: `I edited the file ${path}.`,
      };
    },
  },
  task_tracking: {
    kinds: ['TaskTrackerObservation'],
    write: ({ content, command, task_list }) => ({
      observation: 'task_tracking',
      content: textOf(content as readonly Content[]),
      extras: { command: command ?? '', task_list: task_list ?? [] },
      message: 'The list of tasks',
    }),
  },
  delegate: {
    kinds: ['TaskObservation'],
    write: ({ content, is_error, kind: _, ...rest }) => {
      const said = textOf(content as readonly Content[]);
      return {
        observation: 'delegate',
        content: said,
        extras: { outputs: { content: said, ...rest, ...(is_error === true ? { is_error } : {}) } },
        message: said,
      };
    },
  },
  think: {
    kinds: ['ThinkObservation'],
    write: ({ content }) => ({
      observation: 'think',
      content: textOf(content as readonly Content[]),
      extras: {},
      message: textOf(content as readonly Content[]),
    }),
  },
};

function editorContent({ content, is_error }: Observation): string {
  const [picture] = imagesOf(content as readonly Content[]);
  return `${is_error === true ? EDITOR_ERROR : ''}${picture ?? textOf(content as readonly Content[])}`;
}

/** In MCP's format, so that nothing is lost. */
function foreign(action: V0Action, toolName: string, observation: Observation): V0Observation {
  const { content, is_error, ...structured } = observation;
  const result = {
    meta: null,
    content: (content as readonly Content[]).flatMap((block) =>
      block.type === 'text'
        ? [{ type: 'text', text: block.text }]
        : block.image_urls.map((url) => ({ type: 'image', ...imageData(url) })),
    ),
    structuredContent: structured,
    isError: is_error === true,
  };
  return {
    observation: 'mcp',
    content: JSON.stringify(result),
    extras: { name: toolName, arguments: action.action === 'call_tool_mcp' ? action.args['arguments'] : {} },
    message: `The result of ${toolName}`,
  };
}

function imageData(url: string): object {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { data: url, mimeType: 'text/uri-list' } : { data, mimeType };
}

function imagesOf(content: readonly Content[]): string[] {
  return content.flatMap((block) => (block.type === 'image' ? [...block.image_urls] : []));
}
