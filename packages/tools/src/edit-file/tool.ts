import { posix } from 'node:path';
import { type Content, defineTool, type ToolContext, ToolError, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';
import { createFile } from '../create-file.ts';
import { readEditable } from '../file-editor/edit.ts';
import { replaceSpan } from '../file-editor/encoding.ts';
import { EncodingCache } from '../file-editor/encoding-cache.ts';
import type { ReadFile, Reading } from '../file-editor/reader.ts';
import { fileKey } from '../file-editor/tool.ts';
import { numbered } from '../file-editor/view.ts';
import { fileText } from '../file-text.ts';
import { toolParams } from '../tool-params.ts';
import { told } from '../workspace-errors.ts';
import { changedLines, likeliest, linesOf } from './lines.ts';
import { faultsOf, newFaults, SHOWN_FAULTS } from './lint.ts';
import { merged } from './merge.ts';

const MAX_LINES = 300;
const CHUNK_LINES = 20;
const CHUNKS = 3;
/** How often the other model is asked to fix what a linter reports. */
const REPAIRS = 5;
/** The purpose under which its model is configured and its cost is counted. */
const PURPOSE = 'draft_editor';

const input = z.object({
  path: z.string().describe('Path of the file, absolute or relative to the workspace.'),
  content: fileText().describe(
    'The draft of the range; unchanged lines may be replaced by a comment that says so.',
  ),
  start: z.int().default(1).describe('First line of the range; -1 to append the draft to the file.'),
  end: z.int().default(-1).describe('Last line of the range; -1 for the end of the file.'),
});
type Input = z.output<typeof input>;

interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly path: string;
  readonly prev_exist: boolean;
  readonly old_content?: string;
  readonly new_content: string;
  readonly [key: string]: unknown;
}

const DESCRIPTION = `Edits a file from a draft: another model merges the draft into the old lines.
- If the file does not exist, it is created with the draft as its content.
- Pass start and end, the lines that the draft replaces (counted from 1, inclusive); at most ${MAX_LINES} lines. start -1 appends the draft.
- In the draft, you may replace unchanged lines with a comment such as "# ... as before ...". Keep enough lines around it to identify the place. Indent as in the file.`;

const params = {
  /** Whether new errors of a linter are sent back to the other model, and reported. V0's name. */
  enable_auto_lint: z.boolean().default(false),
};

interface Editing extends Reading {
  readonly lints: boolean;
}

/** `edit_file`: V0's editor, in which another model merges a draft into the file. */
export const editFileTool: ToolFactory = {
  name: 'edit_file',
  create: ({ workspace }, given) => {
    const { enable_auto_lint: lints } = toolParams('edit_file', params, given);
    const editing: Editing = { workspace, encodings: new EncodingCache(), lints };
    return [
      defineTool<Input, Output>({
        name: 'edit_file',
        kind: { tool: 'EditFileTool', action: 'EditFileAction', observation: 'EditFileObservation' },
        description: DESCRIPTION,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'edit_file',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        resources: ({ path }) => [fileKey(path, workspace)],
        run: (call, context) => told(() => edit(call, context, editing)),
      }),
    ];
  },
};

async function edit(call: Input, context: ToolContext, editing: Editing): Promise<Output> {
  const { workspace } = editing;
  const path = posix.resolve(workspace.root, call.path);
  const found = await workspace.stat(path);
  if (found !== null && found.type !== 'file') throw new ToolError(`${path} is not a file.`);
  if (found === null) {
    await createFile(path, Buffer.from(call.content), workspace);
    const content = [text(`Created ${path}.`)];
    return { content, is_error: false, path: call.path, prev_exist: false, new_content: call.content };
  }
  const read = await readEditable(path, editing);
  const draft = call.content.replaceAll('\r\n', '\n');
  const lines = linesOf(read.file.text);
  if (call.start === -1) {
    const end = { from: lines.length, to: lines.length };
    const appended = linesOf(draft);
    const faults = await faultsOfEdit(path, read, end, appended, editing, context.signal);
    return await write(call, path, read, end, { updated: appended, faults }, editing);
  }
  const range = rangeOf(call, lines, path);
  const old = lines.slice(range.from, range.to);
  if (old.length > MAX_LINES) throw tooLong(path, lines, draft, old.length);
  const llm = await context.conversation.llm(PURPOSE);
  let updated = await merged(old, draft, [], llm, context.signal);
  let faults = await faultsOfEdit(path, read, range, updated, editing, context.signal);
  for (let i = 0; i < REPAIRS && faults.length > 0; i += 1) {
    updated = await merged(updated, draft, faults, llm, context.signal);
    faults = await faultsOfEdit(path, read, range, updated, editing, context.signal);
  }
  return await write(call, path, read, range, { updated, faults }, editing);
}

/** The new errors that the edit would cause; empty unless linting is enabled. */
async function faultsOfEdit(
  path: string,
  { file }: ReadFile,
  range: Range,
  updated: readonly string[],
  { workspace, lints }: Editing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!lints) return [];
  const [before, after] = await Promise.all(
    [file.text, wholeOf(file.text, range, updated)].map((content) =>
      faultsOf(path, content, workspace, signal),
    ),
  );
  return newFaults(before ?? [], after ?? []);
}

/** The text with a range of lines replaced; its final line ending is kept. */
function wholeOf(content: string, { from, to }: Range, updated: readonly string[]): string {
  const lines = linesOf(content);
  const all = [...lines.slice(0, from), ...updated, ...lines.slice(to)];
  const end = content === '' || content.endsWith('\n') ? '\n' : '';
  return all.length === 0 ? '' : all.join('\n') + end;
}

interface Range {
  /** Counted from 0. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

function rangeOf({ start, end }: Input, lines: readonly string[], path: string): Range {
  const last = end === -1 ? lines.length : end;
  const isEmpty = lines.length === 0 && start === 1 && end === -1;
  if (isEmpty || (start >= 1 && start <= lines.length && last >= start && last <= lines.length))
    return { from: start - 1, to: last };
  throw new ToolError(
    `Lines ${start} to ${end} are not a range of ${path}, which has lines [1, ${lines.length}]; nothing was changed.`,
  );
}

function tooLong(path: string, lines: readonly string[], draft: string, count: number): ToolError {
  const chunks = likeliest(lines, linesOf(draft), { size: CHUNK_LINES, count: CHUNKS });
  const shown = chunks.map(
    ({ first, lines: piece }) => `Lines ${first} to ${first + piece.length - 1}:\n${numbered(piece, first)}`,
  );
  return new ToolError(
    `The range has ${count} lines, but at most ${MAX_LINES} can be edited at once; nothing was changed. Pass start and end. These parts of ${path} are the most similar to the draft:\n${shown.join('\n')}`,
  );
}

async function write(
  call: Input,
  path: string,
  { file }: ReadFile,
  range: Range,
  { updated, faults }: { readonly updated: readonly string[]; readonly faults: readonly string[] },
  { workspace }: Editing,
): Promise<Output> {
  const whole = wholeOf(file.text, range, updated);
  const span = changedSpan(file.text, whole);
  const after = await replaceSpan(
    file,
    span.from,
    file.text.length - span.behind,
    whole.slice(span.from, whole.length - span.behind),
  );
  await workspace.writeFile(path, after.bytes);
  const { from, to } = range;
  const changes = changedLines(linesOf(file.text).slice(from, to), updated);
  const broken =
    faults.length === 0 ? '' : `\nThe edit caused these errors:\n${faults.slice(0, SHOWN_FAULTS).join('\n')}`;
  const said = changes.every((line) => line.startsWith(' '))
    ? `The draft changes nothing in ${path}.`
    : `${path} was edited. Changes in lines ${from + 1} to ${from + updated.length}:\n${changes.join('\n')}${broken}`;
  return {
    content: [text(said)],
    is_error: false,
    path: call.path,
    prev_exist: true,
    old_content: file.text,
    new_content: after.file.text,
  };
}

/** The common beginning and end of two texts, so that only the part between them is written. */
function changedSpan(before: string, after: string): { readonly from: number; readonly behind: number } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let behind = 0;
  while (behind < shorter - from && before[before.length - 1 - behind] === after[after.length - 1 - behind])
    behind += 1;
  return { from, behind };
}
