import { posix } from 'node:path';
import {
  type Content,
  defineTool,
  type ToolContext,
  ToolError,
  type ToolFactory,
  text,
  type Workspace,
  WorkspaceError,
} from '@longhand/sdk';
import * as z from 'zod';
import { decode, type FileText, isBinary, replaceSpan } from './encoding.ts';
import { EditHistory } from './history.ts';
import { imageType, MAX_BYTES, numbered, viewDirectory, viewImage, viewText } from './view.ts';

const input = z.object({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']).describe('What to do.'),
  path: z.string().describe('Absolute path of the file or folder.'),
  file_text: z.string().optional().describe('For create: the whole content.'),
  old_str: z
    .string()
    .optional()
    .describe('For str_replace: the text to replace, exactly as it stands in the file, and only once in it.'),
  new_str: z
    .string()
    .optional()
    .describe('For str_replace: what to put there. For insert: the text to insert.'),
  insert_line: z
    .union([z.int(), z.string().regex(/^\d+$/).transform(Number)])
    .optional()
    .describe('For insert: the line behind which to insert, 0 for the top.'),
  view_range: z
    .array(z.int())
    .optional()
    .describe('For view of a file: first and last line, -1 for the end, such as [10, 40].'),
});
type Input = z.output<typeof input>;

interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly command: Input['command'];
  readonly path?: string;
  readonly prev_exist: boolean;
  readonly old_content?: string;
  readonly new_content?: string;
  readonly [key: string]: unknown;
}

const CONTEXT_LINES = 4;

/** `file_editor`: looks at files and edits them in place. */
export const fileEditorTool: ToolFactory = {
  name: 'file_editor',
  create: ({ workspace, vision }) => {
    const history = new EditHistory();
    return [
      defineTool<Input, Output>({
        name: 'file_editor',
        kind: { tool: 'FileEditorTool', action: 'FileEditorAction', observation: 'FileEditorObservation' },
        description: description(workspace.root, vision),
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'file_editor',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        resources: (call) => [`file:${posix.normalize(call.path)}`],
        run: async (call, context) => {
          try {
            return await edit(call, context, history);
          } catch (error) {
            if (!(error instanceof ToolError || error instanceof WorkspaceError)) throw error;
            return {
              content: [text(error.message)],
              is_error: true,
              command: call.command,
              prev_exist: true,
            };
          }
        },
      }),
    ];
  },
};

function description(root: string, vision: boolean): string {
  return `Looks at files and folders, and edits text files in place.
- view: a file with line numbers (view_range for a part), or a folder two levels deep.${vision ? ' Images (png, jpg, gif, webp, bmp) are shown.' : ''}
- create: a new file with its folders; not over a file that exists.
- str_replace: replaces old_str by new_str. old_str must stand in the file exactly so, blanks included, and only once: take in enough lines around the place to make it unique.
- insert: puts new_str behind line insert_line.
- undo_edit: takes the last edit of the file back.
Line ends, encoding and permissions of a file stay as they are. Look at a file before you edit it. Paths are absolute; your work lies in ${root}.`;
}

async function edit(call: Input, { workspace }: ToolContext, history: EditHistory): Promise<Output> {
  await checkPath(call, workspace);
  switch (call.command) {
    case 'view':
      return { ...answer(call), content: await view(call, workspace) };
    case 'create':
      return await create(call, workspace, history);
    case 'str_replace':
      return await replace(call, workspace, history);
    case 'insert':
      return await insert(call, workspace, history);
    case 'undo_edit':
      return await undo(call, workspace, history);
  }
}

function answer(call: Input, said = ''): Output {
  return { content: [text(said)], is_error: false, command: call.command, path: call.path, prev_exist: true };
}

async function checkPath({ command, path }: Input, workspace: Workspace): Promise<void> {
  if (!path.startsWith('/')) {
    const guess = posix.join(workspace.root, path);
    const hint = (await workspace.stat(guess)) === null ? '' : ` Did you mean ${guess}?`;
    throw new ToolError(`path must be absolute, and "${path}" is not.${hint}`);
  }
  const found = await workspace.stat(path);
  if (command === 'create') {
    if (found !== null) throw new ToolError(`${path} exists already. Change it with str_replace or insert.`);
  } else if (found === null) {
    throw new ToolError(`There is nothing at ${path}. Look for the right path with view or find.`);
  } else if (found.type === 'directory' && command !== 'view') {
    throw new ToolError(`${path} is a folder: only view works on it.`);
  } else if (found.type === 'other') {
    throw new ToolError(`${path} is neither a file nor a folder.`);
  }
}

function required<K extends 'file_text' | 'old_str' | 'new_str' | 'insert_line'>(
  call: Input,
  key: K,
): NonNullable<Input[K]> {
  const value = call[key];
  if (value === undefined) throw new ToolError(`${call.command} needs ${key}.`);
  return value as NonNullable<Input[K]>;
}

async function view(call: Input, workspace: Workspace): Promise<readonly Content[]> {
  const { path, view_range: range } = call;
  if ((await workspace.stat(path))?.type === 'directory') {
    if (range !== undefined && range.length > 0)
      throw new ToolError('view_range is for files; a folder has no lines.');
    return [text(await viewDirectory(path, workspace))];
  }
  const bytes = await readChecked(path, workspace);
  return viewImage(path, bytes) ?? [text(viewText(path, decode(bytes).text, range))];
}

/** Throws ToolError for what is too big or no text. */
async function readChecked(path: string, workspace: Workspace): Promise<Uint8Array> {
  const size = (await workspace.stat(path))?.sizeBytes ?? 0;
  if (size > MAX_BYTES) {
    throw new ToolError(
      `${path} has ${(size / 1024 / 1024).toFixed(1)} MB; files over 10 MB are not opened. Use head, tail or grep.`,
    );
  }
  const bytes = await workspace.readFile(path);
  if (imageType(path) === undefined && isBinary(bytes))
    throw new ToolError(`${path} is a binary file and cannot be shown or edited as text.`);
  return bytes;
}

async function readText(path: string, workspace: Workspace): Promise<{ file: FileText; bytes: Uint8Array }> {
  const bytes = await readChecked(path, workspace);
  const file = decode(bytes);
  if (file.encoding === 'latin1')
    throw new ToolError(
      `${path} is not UTF-8 and cannot be edited without harm. Convert it first, for example with iconv.`,
    );
  return { file, bytes };
}

async function create(call: Input, workspace: Workspace, history: EditHistory): Promise<Output> {
  const content = required(call, 'file_text');
  const bytes = Buffer.from(content);
  await workspace.makeDirectory(posix.dirname(call.path));
  await workspace.writeFile(call.path, bytes);
  history.push(call.path, { before: null, after: bytes });
  return { ...answer(call, `Created ${call.path}.`), prev_exist: false, new_content: content };
}

async function replace(call: Input, workspace: Workspace, history: EditHistory): Promise<Output> {
  const oldText = required(call, 'old_str').replaceAll('\r\n', '\n');
  const newText = required(call, 'new_str').replaceAll('\r\n', '\n');
  if (oldText === newText) throw new ToolError('new_str is the same as old_str: nothing would change.');
  const { file, bytes } = await readText(call.path, workspace);
  const { at, length } = findOnce(file.text, oldText, call.path);
  const after = replaceSpan(file, at, at + length, newText);
  return await written(call, workspace, history, { file, before: bytes, after, at, length: newText.length });
}

/** As it is written, else without the white space around it. Throws ToolError unless there is exactly one place. */
function findOnce(content: string, wanted: string, path: string): { at: number; length: number } {
  for (const candidate of new Set([wanted, wanted.trim()])) {
    const places = placesOf(content, candidate);
    if (places.length === 0) continue;
    if (places.length === 1) return { at: places[0] ?? 0, length: candidate.length };
    const lines = [...new Set(places.map((place) => lineOf(content, place)))];
    throw new ToolError(
      `old_str stands more than once in ${path}, in lines [${lines.join(', ')}]; nothing was changed. Take in more of what is around the place you mean.`,
    );
  }
  throw new ToolError(
    `old_str does not stand in ${path} as it was given; nothing was changed. Look at the file again. It was:\n${wanted.slice(0, 1_000)}`,
  );
}

/** Without overlaps. The empty text stands before every line; in an empty file once. */
function placesOf(content: string, wanted: string): number[] {
  const places: number[] = [];
  if (wanted === '') {
    for (let at = 0; at !== -1; at = content.indexOf('\n', at) + 1 || -1)
      if (at < content.length || at === 0) places.push(at);
    return places;
  }
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function lineOf(content: string, position: number): number {
  return content.slice(0, position).split('\n').length;
}

async function insert(call: Input, workspace: Workspace, history: EditHistory): Promise<Output> {
  const behind = required(call, 'insert_line');
  const words = required(call, 'new_str').replaceAll('\r\n', '\n');
  const { file, bytes } = await readText(call.path, workspace);
  const count = file.text === '' ? 0 : file.text.replace(/\n$/, '').split('\n').length;
  if (behind < 0 || behind > count)
    throw new ToolError(`insert_line ${behind} is outside of the file's lines [0, ${count}].`);
  const at = startOfLine(file.text, behind);
  // Behind a last line without a line end, the end comes first, and the file goes on without one.
  const unended = behind === count && file.text !== '' && !file.text.endsWith('\n');
  const inserted = unended ? `\n${words}` : `${words}\n`;
  const after = replaceSpan(file, at, at, inserted);
  return await written(call, workspace, history, {
    file,
    before: bytes,
    after,
    at: unended ? at + 1 : at,
    length: words.length,
  });
}

function startOfLine(content: string, behind: number): number {
  let at = 0;
  for (let line = 0; line < behind; line += 1) {
    const end = content.indexOf('\n', at);
    if (end === -1) return content.length;
    at = end + 1;
  }
  return at;
}

interface Change {
  readonly file: FileText;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Where the new text stands. */
  readonly at: number;
  readonly length: number;
}

async function written(
  call: Input,
  workspace: Workspace,
  history: EditHistory,
  change: Change,
): Promise<Output> {
  await workspace.writeFile(call.path, change.after);
  history.push(call.path, { before: change.before, after: change.after });
  const now = decode(change.after).text;
  const first = Math.max(1, lineOf(now, change.at) - CONTEXT_LINES);
  const last = lineOf(now, change.at + change.length) + CONTEXT_LINES;
  const lines = now
    .replace(/\n$/, '')
    .split('\n')
    .slice(first - 1, last);
  const said = `${call.path} was edited. Around the place it now reads:\n${numbered(lines, first)}\nCheck that this is what you meant; edit again if not.`;
  return { ...answer(call, said), old_content: change.file.text, new_content: now };
}

async function undo(call: Input, workspace: Workspace, history: EditHistory): Promise<Output> {
  const { path } = call;
  const last = history.last(path);
  if (last === undefined) throw new ToolError(`There is no edit of ${path} that could be undone.`);
  const now = await workspace.readFile(path);
  if (!Buffer.from(now).equals(last.after)) {
    throw new ToolError(
      `${path} was changed by somebody else since the last edit; undoing would discard that, so nothing was done.`,
    );
  }
  const oldContent = decode(last.after).text;
  if (last.before === null) await workspace.remove(path);
  else await workspace.writeFile(path, last.before);
  history.pop(path);
  if (last.before === null)
    return {
      ...answer(call, `${path} was created by the last edit; it is removed again.`),
      old_content: oldContent,
    };
  const restored = decode(last.before).text;
  return {
    ...answer(call, `The last edit of ${path} is undone.`),
    old_content: oldContent,
    new_content: restored,
  };
}
