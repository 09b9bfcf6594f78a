/** Our observations as V0 writes them. */

import { type Content, textOf } from '../../event/content.ts';
import type { Observation } from '../../event/kinds.ts';
import { ownValue } from '../../value/own-value.ts';
import type { Json } from '../json-text.ts';
import { unifiedDiff } from '../unified-diff.ts';
import type { V0Action } from './action-out.ts';
import { EDITOR_ERROR } from './format.ts';

export interface V0Observation {
  readonly observation: string;
  readonly content: string;
  readonly extras: Json;
  readonly success?: boolean;
  readonly message: string;
}

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
