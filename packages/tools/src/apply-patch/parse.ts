/**
 * A patch of several files, as models are trained to write it:
 *
 *     *** Begin Patch
 *     *** Add File: <path>          every line of the file after a +
 *     *** Delete File: <path>
 *     *** Update File: <path>
 *     *** Move to: <path>           optional
 *     @@ <a line above the place>   or a bare @@; several narrow it down; optional before the first hunk
 *      a context line               an empty line also counts as one
 *     -a removed line
 *     +an added line
 *     *** End of File               the hunk is at the end of the file; optional
 *     *** End Patch
 *
 * An added file has no line ending after its last line.
 */
import { ToolError } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';

export type Section =
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly moveTo?: string;
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  /** Lines above the hunk, the farthest first. */
  readonly anchors: readonly string[];
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  readonly isAtEnd: boolean;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const HEADER = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** The paths that a patch names, even if the rest of it is invalid. */
export function pathsOf(patch: string): string[] {
  return patch.split(/\r?\n/).flatMap((line) => {
    const path = HEADER.exec(line)?.[2] ?? MOVE.exec(line)?.[1];
    return path === undefined ? [] : [path.trim()];
  });
}

/** Throws ToolError that names the invalid line. */
export function parsePatch(patch: string): readonly Section[] {
  const lines = patch.trimEnd().split(/\r?\n/);
  if (lines[0]?.trimEnd() !== BEGIN) throw new ToolError(`The first line of a patch must be "${BEGIN}".`);
  if (lines.length < 2 || lines.at(-1) !== END)
    throw new ToolError(`The last line of a patch must be "${END}".`);
  const cursor: Cursor = { lines: lines.slice(0, -1), at: 1 };
  const sections: Section[] = [];
  while (cursor.at < cursor.lines.length) sections.push(section(cursor));
  if (sections.length === 0) throw new ToolError('The patch names no file.');
  return sections;
}

interface Cursor {
  readonly lines: readonly string[];
  at: number;
}

function section(cursor: Cursor): Section {
  const line = take(cursor);
  const [, type, path = ''] = HEADER.exec(line) ?? [];
  switch (type) {
    case 'Add':
      return { type: 'add', path: path.trim(), content: added(cursor) };
    case 'Delete':
      return { type: 'delete', path: path.trim() };
    case 'Update':
      return updated(path.trim(), cursor);
    default:
      throw wrong(
        cursor,
        `does not start a section; use "*** Add File: ", "*** Delete File: " or "*** Update File: ": ${line}`,
      );
  }
}

function added(cursor: Cursor): string {
  const content: string[] = [];
  while (!isSection(cursor)) {
    const line = take(cursor);
    if (!line.startsWith('+')) throw wrong(cursor, `must start with "+", because the file is added: ${line}`);
    content.push(line.slice(1));
  }
  return content.join('\n');
}

function updated(path: string, cursor: Cursor): Section {
  const moveTo = MOVE.exec(cursor.lines[cursor.at] ?? '')?.[1]?.trim();
  if (moveTo !== undefined) cursor.at += 1;
  const hunks: Hunk[] = [];
  while (!isSection(cursor)) hunks.push(hunk(cursor));
  if (hunks.length === 0 && moveTo === undefined)
    throw wrong(cursor, `does not start a hunk, and ${path} needs one`);
  return { type: 'update', path, hunks, ...defined({ moveTo }) };
}

function hunk(cursor: Cursor): Hunk {
  const anchors: string[] = [];
  while (isAnchor(cursor)) anchors.push(take(cursor).slice(2).replace(/^ /, '').trimEnd());
  const lines: { sign: ' ' | '-' | '+'; text: string }[] = [];
  let isAtEnd = false;
  while (!isSection(cursor) && !isAnchor(cursor) && !isAtEnd) {
    const line = take(cursor);
    const sign = line === '' ? ' ' : line[0];
    if (line.trimEnd() === END_OF_FILE) isAtEnd = true;
    else if (sign === ' ' || sign === '-' || sign === '+') lines.push({ sign, text: line.slice(1) });
    else throw wrong(cursor, `must start with a space, "-" or "+": ${line}`);
  }
  if (lines.length === 0) throw wrong(cursor, 'ends a hunk without lines');
  return { anchors: anchors.filter((anchor) => anchor.trim() !== ''), lines, isAtEnd };
}

function isAnchor({ lines, at }: Cursor): boolean {
  return lines[at]?.startsWith('@@') === true;
}

function isSection({ lines, at }: Cursor): boolean {
  const line = lines[at];
  return line === undefined || (line.startsWith('***') && line.trimEnd() !== END_OF_FILE);
}

function take(cursor: Cursor): string {
  cursor.at += 1;
  return cursor.lines[cursor.at - 1] ?? '';
}

/** An error about the line that was read last. */
function wrong({ at }: Cursor, what: string): ToolError {
  return new ToolError(`Line ${at} of the patch ${what}`);
}
