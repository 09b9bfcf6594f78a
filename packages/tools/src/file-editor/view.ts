import { type Content, image, ToolError, text, type Workspace } from '@longhand/sdk';
import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';
import { headOf, tailOf } from '@longhand/sdk/value';
import { countOf } from './encoding.ts';
import { type Reading, readBytes, readText } from './reader.ts';

const LIMIT = 16_000;
/** Space for the notice of a cut, which names lines. */
const NOTICE = 200;

const IMAGES: { readonly [extension: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
};

export interface ViewOptions extends Reading {
  /** Whether the model can see images. */
  readonly vision: boolean;
}

/** Shows the model a file, a folder or an image. Throws ToolError for what cannot be shown. */
export async function viewPath(
  path: string,
  range: readonly number[] | undefined,
  options: ViewOptions,
): Promise<readonly Content[]> {
  const { workspace, vision } = options;
  if ((await workspace.stat(path))?.type === 'directory') {
    if (range !== undefined && range.length > 0)
      throw new ToolError('view_range applies only to files; a folder has no lines.');
    return [text(await viewDirectory(path, workspace))];
  }
  const type = imageType(path);
  if (type !== undefined) return viewImage(path, type, (await readBytes(path, workspace)).bytes, vision);
  const { file } = await readText(path, options);
  const guess = file.isCertain
    ? ''
    : 'NOTE: the encoding of this file is unknown. It is shown as Latin-1 and cannot be edited; convert it to UTF-8 first, for example with iconv.\n';
  return [text(viewText(path, file.text, range) + guess)];
}

/** Lines with their numbers, six wide, and a tab. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}`).join('\n');
}

/** The lines; the empty string after the last line ending is not a line. */
export function lineCount(content: string): number {
  return countOf(content, '\n') + (content === '' || content.endsWith('\n') ? 0 : 1);
}

function viewText(path: string, content: string, range: readonly number[] | undefined): string {
  if (range === undefined || range.length === 0) return `${path}:\n${clipped(content, 1)}\n`;
  const [first, last, note] = checkedRange(range, lineCount(content));
  const lines = content.split('\n').slice(first - 1, last);
  return `${path}, lines ${first} to ${last}:\n${clipped(lines.join('\n'), first)}\n${note}`;
}

/** Numbers the lines correctly on both sides of a cut. */
function clipped(content: string, first: number): string {
  if (content.length <= LIMIT) return numbered(content.split('\n'), first);
  const half = Math.floor((LIMIT - NOTICE) / 2);
  const head = headOf(content, half).split('\n');
  const end = tailOf(content, half);
  const tail = end.split('\n');
  const resumes = first + countOf(content.slice(0, -end.length), '\n');
  const breaks = first + head.length - 1;
  const notice = `${CLIPPED} The cut is from line ${breaks} to line ${resumes}. View a smaller part with view_range, or search for what you need.`;
  return `${numbered(head, first)}\n${notice}\n${numbered(tail, resumes)}`;
}

function checkedRange(range: readonly number[], count: number): readonly [number, number, string] {
  const [first, last] = range;
  if (range.length !== 2 || first === undefined || last === undefined || !range.every(Number.isInteger)) {
    throw new ToolError('view_range must be two integers: the first line and the last, -1 for the end.');
  }
  if (first < 1 || first > count) {
    throw new ToolError(
      `view_range starts at line ${first}, which is outside the file's lines [1, ${count}].`,
    );
  }
  if (last === -1) return [first, count, ''];
  if (last < first) throw new ToolError(`view_range ends at line ${last}, before its start at ${first}.`);
  if (last > count) return [first, count, `NOTE: the file has only ${count} lines.\n`];
  return [first, last, ''];
}

/** Lists two levels, names in byte order; hidden entries are left out and counted. */
async function viewDirectory(path: string, workspace: Workspace): Promise<string> {
  const top = await workspace.list(path);
  const hidden = top.filter((entry) => entry.name.startsWith('.')).length;
  const paths: string[] = [];
  for (const entry of top.filter((each) => !each.name.startsWith('.'))) {
    const full = joined(path, entry.name);
    paths.push(entry.type === 'directory' ? `${full}/` : full);
    if (entry.type === 'directory') paths.push(...(await children(full, workspace)));
  }
  const listing = [path.endsWith('/') ? path : `${path}/`, ...paths.sort(byBytes)].join('\n');
  const short = truncateMiddle(
    listing,
    LIMIT,
    `\n${CLIPPED} View a folder further down, or use find with filters.\n`,
  );
  const note =
    hidden === 0 ? '' : `\n\n${hidden} hidden entries are left out; list them with: ls -la ${path}`;
  return `Files and folders of ${path}, two levels deep:\n${short}${note}\n`;
}

async function children(path: string, workspace: Workspace): Promise<string[]> {
  const entries = await workspace.list(path).catch(() => []); // an unreadable folder is shown without its content
  return entries
    .filter((entry) => !entry.name.startsWith('.'))
    .map((entry) => joined(path, entry.name) + (entry.type === 'directory' ? '/' : ''));
}

function joined(path: string, name: string): string {
  return path.endsWith('/') ? path + name : `${path}/${name}`;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function viewImage(path: string, type: string, bytes: Uint8Array, vision: boolean): readonly Content[] {
  if (!hasMagic(bytes)) throw new ToolError(`${path} has the name of an image, but is not one.`);
  if (!vision) return [text(`${path} is an image (${type}, ${bytes.length} bytes); you cannot see images.`)];
  return [text(`${path}:`), image(`data:${type};base64,${Buffer.from(bytes).toString('base64')}`)];
}

/** The type of an image by its name; undefined if it is not an image. */
export function imageType(path: string): string | undefined {
  return IMAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

function hasMagic(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return (
    /^(\x89PNG|\xff\xd8\xff|GIF8|BM)/.test(start) || (start.startsWith('RIFF') && start.slice(8) === 'WEBP')
  );
}
