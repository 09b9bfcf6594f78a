import { type Content, ToolError, text, type Workspace } from '@longhand/sdk';
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

/** The result of an edit. */
export interface Edited {
  readonly content: readonly Content[];
  /** Absent if there was no file. */
  readonly old_content?: string;
  /** Absent if there is no file any more. */
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
  if (oldText === newText) throw new ToolError('new_str and old_str are identical: nothing would change.');
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
    throw new ToolError(`insert_line ${behind} is outside the file's lines [0, ${count}].`);
  const at = startOfLine(content, behind);
  // After a last line without a line ending, the ending is inserted first, and the file still ends without one.
  const isUnended = behind === count && content !== '' && !content.endsWith('\n');
  const after = await replaceSpan(read.file, at, at, isUnended ? `\n${inserted}` : `${inserted}\n`);
  const place = { at: isUnended ? at + 1 : at, length: inserted.length };
  return await written(path, read, after, place, editing);
}

/** Undoes the last edit. Throws ToolError if there is none, or if the file has been changed by another program since. */
export async function undo(path: string, editing: Editing): Promise<Edited> {
  const { workspace, history } = editing;
  const edits = await lastEdits(path, editing);
  if (edits.length === 0) throw new ToolError(`There is no edit of ${path} to undo.`);
  const { bytes, file } = await readText(path, editing);
  const found = edits.find(({ last }) => last.isAfter(bytes));
  if (found === undefined) {
    throw new ToolError(
      `${path} was changed by another program since the last edit; undoing would discard that change, so nothing was done.`,
    );
  }
  const { key, last } = found;
  if (last.before === null) {
    await workspace.remove(path);
    history.pop(key);
    const said = `${path} was created by the last edit; it has been removed.`;
    return { content: [text(said)], old_content: file.text };
  }
  await workspace.writeFile(path, last.before);
  history.pop(key);
  const restored = (await readText(path, editing)).file.text;
  const said = `The last edit of ${path} has been undone.`;
  return { content: [text(said)], old_content: file.text, new_content: restored };
}

/** Reads a text file. Throws ToolError if it could not be written back unchanged. */
export async function readEditable(path: string, reading: Reading): Promise<ReadFile> {
  const read = await readText(path, reading);
  if (read.file.isCertain) return read;
  throw new ToolError(
    `${path} is not UTF-8, and its encoding is unknown, so that an edit would damage it. Convert it first, for example with iconv.`,
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

/** Writes a changed file and shows the changed lines. */
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
    ? `\n${before.file.encoding} cannot represent this text; the file is UTF-8 now.`
    : '';
  const said = `${path} was edited. The changed lines and their surroundings:\n${numbered(lines, first)}\nCheck that this is what you intended; otherwise edit again.${utf8}`;
  return { content: [text(said)], old_content: before.file.text, new_content: now };
}

/** Writes the file in its encoding and keeps the previous content for `undo`. */
async function writeText(path: string, before: ReadFile, after: Replaced, editing: Editing): Promise<void> {
  const { workspace, encodings } = editing;
  await workspace.writeFile(path, after.bytes);
  if (after.file.encoding !== 'utf8')
    encodings.set(path, (await workspace.stat(path))?.modifiedMs ?? 0, after.file.encoding);
  await keep(path, { before: before.bytes, after: after.bytes }, editing);
}

/** The last edits under the keys of a file: those of all its names together, if it has several, and those of this name. */
async function lastEdits(path: string, { workspace, history }: Editing) {
  const keys = new Set([await historyKey(path, workspace), await workspace.realPath(path)]);
  return [...keys].flatMap((key) => {
    const last = history.last(key);
    return last === undefined ? [] : [{ key, last }];
  });
}

/** What identifies a file in the history: an edit through a hard link is undone under every name. */
async function historyKey(path: string, workspace: Workspace): Promise<string> {
  const found = await workspace.stat(path);
  return found?.hardLinkId === undefined ? await workspace.realPath(path) : `hard link ${found.hardLinkId}`;
}

/** The file is already written: a failure to keep the undo information must not look like a failed edit. */
async function keep(
  path: string,
  edit: { readonly before: Uint8Array | null; readonly after: Uint8Array },
  { workspace, history, onWarning }: Editing,
): Promise<void> {
  try {
    history.push(await historyKey(path, workspace), edit);
  } catch (error) {
    onWarning(`the edit of ${path} cannot be undone: ${(error as Error).message}`);
  }
}
