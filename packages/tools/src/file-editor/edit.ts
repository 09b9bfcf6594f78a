import { type Content, ToolError, text } from '@longhand/sdk';
import { createFile } from '../create-file.ts';
import { type Replaced, replaceSpan } from './encoding.ts';
import type { EditHistory } from './history.ts';
import { around, findOnce, type Place } from './places.ts';
import { type ReadFile, type Reading, readText } from './reader.ts';
import { lineCount, numbered } from './view.ts';

export interface Editing extends Reading {
  readonly history: EditHistory;
  readonly onWarning: (text: string) => void;
}

/** What became of a file. */
export interface Edited {
  readonly content: readonly Content[];
  /** Absent if there was no file. */
  readonly old_content?: string;
  /** Absent if there is none any more. */
  readonly new_content?: string;
}

const CONTEXT_LINES = 4;

export async function create(path: string, content: string, editing: Editing): Promise<Edited> {
  const bytes = Buffer.from(content);
  await createFile(path, bytes, editing.workspace);
  await keep(path, { before: null, after: bytes }, editing);
  return { content: [text(`Created ${path}.`)], new_content: content };
}

export async function replace(path: string, from: string, to: string, editing: Editing): Promise<Edited> {
  const oldText = from.replaceAll('\r\n', '\n');
  const newText = to.replaceAll('\r\n', '\n');
  if (oldText === newText) throw new ToolError('new_str is the same as old_str: nothing would change.');
  const read = await readEditable(path, editing);
  const { at, length } = findOnce(read.file.text, oldText, path);
  const after = await replaceSpan(read.file, at, at + length, newText);
  return await written(path, read, after, { at, length: newText.length }, editing);
}

export async function insert(path: string, behind: number, words: string, editing: Editing): Promise<Edited> {
  const inserted = words.replaceAll('\r\n', '\n');
  const read = await readEditable(path, editing);
  const { text: content } = read.file;
  const count = lineCount(content);
  if (behind < 0 || behind > count)
    throw new ToolError(`insert_line ${behind} is outside of the file's lines [0, ${count}].`);
  const at = startOfLine(content, behind);
  // Behind a last line without a line end, the end comes first, and the file goes on without one.
  const isUnended = behind === count && content !== '' && !content.endsWith('\n');
  const after = await replaceSpan(read.file, at, at, isUnended ? `\n${inserted}` : `${inserted}\n`);
  const place = { at: isUnended ? at + 1 : at, length: inserted.length };
  return await written(path, read, after, place, editing);
}

/** Throws ToolError if there is no edit, or if somebody else has changed the file since. */
export async function undo(path: string, editing: Editing): Promise<Edited> {
  const { workspace, history } = editing;
  const key = await workspace.realPath(path);
  const last = history.last(key);
  if (last === undefined) throw new ToolError(`There is no edit of ${path} that could be undone.`);
  const { bytes, file } = await readText(path, editing);
  if (!last.isAfter(bytes)) {
    throw new ToolError(
      `${path} was changed by somebody else since the last edit; undoing would discard that, so nothing was done.`,
    );
  }
  if (last.before === null) {
    await workspace.remove(path);
    history.pop(key);
    const said = `${path} was created by the last edit; it is removed again.`;
    return { content: [text(said)], old_content: file.text };
  }
  await workspace.writeFile(path, last.before);
  history.pop(key);
  const restored = (await readText(path, editing)).file.text;
  const said = `The last edit of ${path} is undone.`;
  return { content: [text(said)], old_content: file.text, new_content: restored };
}

/** Throws ToolError for a file that could not be written back as it is. */
export async function readEditable(path: string, reading: Reading): Promise<ReadFile> {
  const read = await readText(path, reading);
  if (read.file.isCertain) return read;
  throw new ToolError(
    `${path} is not UTF-8, and its encoding is not known: it cannot be edited without harm. Convert it first, for example with iconv.`,
  );
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

/** Writes a changed file, and shows the place. */
async function written(
  path: string,
  before: ReadFile,
  after: Replaced,
  place: Place,
  editing: Editing,
): Promise<Edited> {
  await writeText(path, before, after, editing);
  const now = after.file.text;
  const { first, lines } = around(now, place, CONTEXT_LINES);
  const utf8 = after.becameUtf8
    ? `\n${before.file.encoding} has no signs for this text; the file is UTF-8 now.`
    : '';
  const said = `${path} was edited. Around the place it now reads:\n${numbered(lines, first)}\nCheck that this is what you meant; edit again if not.${utf8}`;
  return { content: [text(said)], old_content: before.file.text, new_content: now };
}

/** Writes it in its encoding, and keeps what was there for `undo`. */
async function writeText(path: string, before: ReadFile, after: Replaced, editing: Editing): Promise<void> {
  const { workspace, encodings } = editing;
  await workspace.writeFile(path, after.bytes);
  if (after.file.encoding !== 'utf8')
    encodings.set(path, (await workspace.stat(path))?.modifiedMs ?? 0, after.file.encoding);
  await keep(path, { before: before.bytes, after: after.bytes }, editing);
}

/** The file is written by now: that it cannot be kept for undoing must not look like a failure of the edit. */
async function keep(
  path: string,
  edit: { readonly before: Uint8Array | null; readonly after: Uint8Array },
  { workspace, history, onWarning }: Editing,
): Promise<void> {
  try {
    history.push(await workspace.realPath(path), edit);
  } catch (error) {
    onWarning(`the edit of ${path} cannot be undone: ${(error as Error).message}`);
  }
}
