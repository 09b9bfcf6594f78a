import { posix } from 'node:path';
import {
  type Content,
  defineTool,
  ToolError,
  type ToolFactory,
  text,
  type Workspace,
  WorkspaceError,
} from '@longhand/sdk';
import * as z from 'zod';
import { readEditable } from '../file-editor/edit.ts';
import { replaceSpans } from '../file-editor/encoding.ts';
import { EncodingCache } from '../file-editor/encoding-cache.ts';
import type { Reading } from '../file-editor/reader.ts';
import { fileKey } from '../file-editor/tool.ts';
import { fileText } from '../file-text.ts';
import { commit, type FileChange } from './commit.ts';
import { matchHunks } from './match.ts';
import { parsePatch, pathsOf, type Section } from './parse.ts';

const input = z.object({ patch: fileText().describe('The patch, from Begin Patch to End Patch.') });
type Input = z.output<typeof input>;

interface Change {
  readonly type: 'add' | 'delete' | 'update';
  readonly old_content?: string;
  readonly new_content?: string;
  readonly move_path?: string;
}

interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly message: string;
  readonly fuzz: number;
  readonly commit?: { readonly changes: { readonly [path: string]: Change } };
  readonly [key: string]: unknown;
}

const DONE = 'Done.';

const DESCRIPTION = `Changes files with a patch. If any part does not match, nothing is changed.

*** Begin Patch
*** Update File: src/a.py
@@ def f():
     kept = 1
-    old = 2
+    new = 3
*** Add File: b.txt
+every line with a plus
*** Delete File: c.txt
*** End Patch

- Each line of an update starts with a space (context), - (removed) or + (added). Include about three context lines before and after a change. If these lines occur more than once, write a line above them (a class, a function) after @@. Start every further hunk of the file with @@, in the order of the file.
- "*** Move to: path" under the Update line renames the file. "*** End of File" after a hunk anchors it at the end of the file.
- Paths are relative to the workspace and must stay inside it. An added file must not exist.`;

/** `apply_patch`: several changes in several files at once. */
export const applyPatchTool: ToolFactory = {
  name: 'apply_patch',
  create: ({ workspace }) => {
    const reading: Reading = { workspace, encodings: new EncodingCache() };
    return [
      defineTool<Input, Output>({
        name: 'apply_patch',
        kind: { tool: 'ApplyPatchTool', action: 'ApplyPatchAction', observation: 'ApplyPatchObservation' },
        description: DESCRIPTION,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'apply_patch',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        touchedPaths: ({ commit }) => Object.keys((commit as Output['commit'])?.changes ?? {}),
        resources: ({ patch }) => pathsOf(patch).map((path) => fileKey(path, workspace)),
        run: async ({ patch }, { signal }) => {
          try {
            return await applied(parsePatch(patch), reading, signal);
          } catch (error) {
            if (!(error instanceof ToolError || error instanceof WorkspaceError)) throw error;
            return { content: [text(error.message)], is_error: true, message: '', fuzz: 0 };
          }
        },
      }),
    ];
  },
};

async function applied(sections: readonly Section[], reading: Reading, signal: AbortSignal): Promise<Output> {
  const { workspace } = reading;
  await checkPaths(sections, workspace);
  const changes: FileChange[] = [];
  const told: { [path: string]: Change } = {};
  let fuzz = 0;
  for (const section of sections) {
    const planned = await plan(section, reading);
    changes.push(...planned.changes);
    told[section.path] = planned.told;
    fuzz += planned.fuzz;
  }
  signal.throwIfAborted();
  await commit(changes, workspace);
  return { content: [text(DONE)], is_error: false, message: DONE, fuzz, commit: { changes: told } };
}

/** Checks that every path is inside the workspace, with links resolved, and named only once. Throws ToolError. */
async function checkPaths(sections: readonly Section[], workspace: Workspace): Promise<void> {
  const root = await workspace.realPath(workspace.root);
  const seen = new Set<string>();
  for (const section of sections) {
    const moveTo = section.type === 'update' ? section.moveTo : undefined;
    if (moveTo !== undefined && (posix.isAbsolute(moveTo) || moveTo.split('/').includes('..')))
      throw new ToolError(`"*** Move to: ${moveTo}": the path must be relative and without "..".`);
    for (const path of moveTo === undefined ? [section.path] : [section.path, moveTo]) {
      const full = fullPath(path, workspace);
      const real = await workspace.realPath(full);
      if (!isInside(full, workspace.root) || !isInside(real, root))
        throw new ToolError(`${path} is outside the workspace ${workspace.root}. Nothing was changed.`);
      if (seen.has(real))
        throw new ToolError(`${path} is named twice. Put all changes of a file under one header.`);
      seen.add(real);
    }
  }
}

function fullPath(path: string, { root }: Workspace): string {
  return posix.resolve(root, path);
}

function isInside(path: string, root: string): boolean {
  const relative = posix.relative(root, path);
  return relative !== '' && relative !== '..' && !relative.startsWith('../');
}

interface Planned {
  readonly changes: readonly FileChange[];
  readonly told: Change;
  readonly fuzz: number;
}

async function plan(section: Section, reading: Reading): Promise<Planned> {
  const { workspace } = reading;
  const path = fullPath(section.path, workspace);
  if (section.type === 'add') {
    await checkFree(section.path, workspace);
    const { content } = section;
    const change: FileChange = { type: 'create', path, bytes: Buffer.from(content) };
    return { changes: [change], told: { type: 'add', new_content: content }, fuzz: 0 };
  }
  await checkThere(section.path, workspace);
  if (section.type === 'delete') {
    const told: Change = { type: 'delete', ...(await contentOf(path, reading)) };
    return { changes: [{ type: 'remove', path }], told, fuzz: 0 };
  }
  const { bytes: before, file } = await readEditable(path, reading);
  const { spans, fuzz } = matchHunks(file.text, section.hunks, section.path);
  const { bytes, file: after } = await replaceSpans(file, spans);
  const told: Change = { type: 'update', old_content: file.text, new_content: after.text };
  if (section.moveTo === undefined) return { changes: [{ type: 'write', path, bytes, before }], told, fuzz };
  await checkFree(section.moveTo, workspace);
  const mode = (await workspace.stat(path))?.mode ?? 0o644;
  const target = fullPath(section.moveTo, workspace);
  return {
    changes: [
      { type: 'create', path: target, bytes, mode },
      { type: 'remove', path },
    ],
    told: { ...told, move_path: section.moveTo },
    fuzz,
  };
}

async function checkFree(path: string, workspace: Workspace): Promise<void> {
  if ((await workspace.stat(fullPath(path, workspace))) !== null)
    throw new ToolError(`${path} already exists. Change it with "*** Update File: ". Nothing was changed.`);
}

async function checkThere(path: string, workspace: Workspace): Promise<void> {
  const found = await workspace.stat(fullPath(path, workspace));
  if (found === null) throw new ToolError(`${path} does not exist. Nothing was changed.`);
  if (found.type !== 'file') throw new ToolError(`${path} is not a file. Nothing was changed.`);
}

/** The content of a deleted file, for the observation; absent if it is not text. */
async function contentOf(path: string, reading: Reading): Promise<{ readonly old_content?: string }> {
  try {
    return { old_content: (await readEditable(path, reading)).file.text };
  } catch (error) {
    if (error instanceof ToolError) return {};
    throw error;
  }
}
