import { posix } from 'node:path';
import {
  type Content,
  defineTool,
  type ToolEnvironment,
  ToolError,
  type ToolFactory,
  text,
  type Workspace,
  WorkspaceError,
} from '@longhand/sdk';
import * as z from 'zod';
import { fileText } from '../file-text.ts';
import { temporaryFiles } from '../temporary-files.ts';
import { toolParams } from '../tool-params.ts';
import { adoptCall, inferCommand } from './call-repair.ts';
import { create, type Edited, type Editing, insert, replace, undo } from './edit.ts';
import { EncodingCache } from './encoding-cache.ts';
import { EditHistory } from './history.ts';
import { viewPath } from './view.ts';

export const fileEditorInput = z.object({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']).describe('What to do.'),
  path: z.string().describe('Absolute path of the file or folder.'),
  file_text: fileText().optional().describe('For create: the complete content.'),
  old_str: z
    .string()
    .optional()
    .describe('For str_replace: the text to replace; it must match the file exactly and occur only once.'),
  new_str: fileText()
    .optional()
    .describe('For str_replace: the replacement. For insert: the text to insert.'),
  insert_line: z
    .union([z.int(), z.string().regex(/^\d+$/).transform(Number)], 'must be a line number, 0 for the top')
    .optional()
    .describe('For insert: the line after which to insert, 0 for the top.'),
  view_range: z
    .array(z.int())
    .optional()
    .describe('For view of a file: first and last line, -1 for the end, such as [10, 40].'),
});
export type FileEditorInput = z.output<typeof fileEditorInput>;

export interface FileEditorOutput {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly command: FileEditorInput['command'];
  readonly path?: string;
  readonly prev_exist: boolean;
  readonly old_content?: string;
  readonly new_content?: string;
  readonly [key: string]: unknown;
}

const params = {
  /** Absolute paths of the only files that may be changed. */
  allowed_edits_files: z.array(z.string().startsWith('/', 'must be absolute')).optional(),
};

/** `file_editor`: views files and edits them in place. */
export const fileEditorTool: ToolFactory = {
  name: 'file_editor',
  create: (environment, given) => {
    const { allowed_edits_files: allowed = null } = toolParams('file_editor', params, given);
    const { edit, close } = createEditor(environment, allowed);
    return [
      defineTool<FileEditorInput, FileEditorOutput>({
        name: 'file_editor',
        kind: { tool: 'FileEditorTool', action: 'FileEditorAction', observation: 'FileEditorObservation' },
        description: description(environment),
        input: fileEditorInput as z.ZodType<FileEditorInput>,
        adoptCall,
        completeArguments: inferCommand,
        annotations: {
          title: 'file_editor',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        resources: ({ path }) => [fileKey(path, environment.workspace)],
        run: edit,
        close,
      }),
    ];
  },
};

/** The key that a call on a file must hold exclusively. */
export function fileKey(path: string, { root }: Workspace): string {
  return `file:${posix.resolve(root, path)}`;
}

export interface Editor {
  readonly edit: (call: FileEditorInput) => Promise<FileEditorOutput>;
  readonly close: () => Promise<void>;
}

/** `allowed`: the only files that may be edited; null for all. */
export function createEditor(environment: ToolEnvironment, allowed: readonly string[] | null): Editor {
  const { workspace, vision, onWarning } = environment;
  const temporary = temporaryFiles();
  const history = new EditHistory(environment.files ?? temporary);
  const editing: Editing & { vision: boolean } = {
    workspace,
    vision,
    history,
    encodings: new EncodingCache(),
    onWarning,
  };
  return {
    edit: async (call) => {
      try {
        await checkPath(call, workspace, allowed);
        return answer(call, await carryOut(call, editing));
      } catch (error) {
        if (!(error instanceof ToolError || error instanceof WorkspaceError)) throw error;
        const content = [text(error.message)];
        return { content, is_error: true, command: call.command, prev_exist: true };
      }
    },
    close: async () => temporary.close(),
  };
}

function description({ workspace: { root }, vision }: ToolEnvironment): string {
  return `Views files and folders, and edits text files in place.
- view: a file with line numbers (view_range for a part), or a folder two levels deep.${vision ? ' Images (png, jpg, gif, webp, bmp) are shown.' : ''}
- create: creates a file and its folders; it does not overwrite an existing file.
- str_replace: replaces old_str with new_str. old_str must match the file exactly, including white space, and occur only once: include enough surrounding lines to make it unique.
- insert: inserts new_str after line insert_line.
- undo_edit: undoes the last edit of the file.
Line endings, encoding and permissions of a file are kept. View a file before you edit it. Use absolute paths; the working folder is ${root}.`;
}

async function carryOut(call: FileEditorInput, editing: Editing & { vision: boolean }): Promise<Edited> {
  const { path } = call;
  switch (call.command) {
    case 'view':
      return { content: await viewPath(path, call.view_range, editing) };
    case 'create':
      return await create(path, required(call, 'file_text'), editing);
    case 'str_replace':
      return await replace(path, required(call, 'old_str'), required(call, 'new_str'), editing);
    case 'insert':
      return await insert(path, required(call, 'insert_line'), required(call, 'new_str'), editing);
    case 'undo_edit':
      return await undo(path, editing);
  }
}

function answer({ command, path }: FileEditorInput, { content, ...contents }: Edited): FileEditorOutput {
  return { content, is_error: false, command, path, prev_exist: command !== 'create', ...contents };
}

async function checkPath(
  { command, path }: FileEditorInput,
  workspace: Workspace,
  allowed: readonly string[] | null,
): Promise<void> {
  await checkAbsolute(path, workspace);
  if (command !== 'view' && allowed !== null) await checkAllowed(path, workspace, allowed);
  const found = await workspace.stat(path);
  if (command === 'create') {
    if (found !== null) throw new ToolError(`${path} already exists. Change it with str_replace or insert.`);
  } else if (found === null) {
    throw new ToolError(`${path} does not exist. Find the right path with view or find.`);
  } else if (found.type === 'directory' && command !== 'view') {
    throw new ToolError(`${path} is a folder; use only view on it.`);
  } else if (found.type === 'other') {
    throw new ToolError(`${path} is neither a file nor a folder.`);
  }
}

/** Throws ToolError, with the path that was probably meant. */
async function checkAbsolute(path: string, workspace: Workspace): Promise<void> {
  if (path.startsWith('/')) return;
  const guess = posix.join(workspace.root, path);
  const hint = (await workspace.stat(guess)) === null ? '' : ` Did you mean ${guess}?`;
  throw new ToolError(`path must be absolute, but "${path}" is not.${hint}`);
}

async function checkAllowed(path: string, workspace: Workspace, allowed: readonly string[]): Promise<void> {
  const resolved = await Promise.all([path, ...allowed].map((each) => workspace.realPath(each)));
  if (resolved.lastIndexOf(resolved[0] ?? '') > 0) return;
  throw new ToolError(`${path} can only be viewed here, not edited. You may edit: ${allowed.join(', ')}.`);
}

function required<K extends 'file_text' | 'old_str' | 'new_str' | 'insert_line'>(
  call: FileEditorInput,
  key: K,
): NonNullable<FileEditorInput[K]> {
  const value = call[key];
  if (value === undefined) throw new ToolError(`${call.command} needs ${key}.`);
  return value as NonNullable<FileEditorInput[K]>;
}
