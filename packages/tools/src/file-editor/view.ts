import { CLIPPED, type Content, image, ToolError, text, truncateMiddle, type Workspace } from '@longhand/sdk';

const LIMIT = 16_000;
export const MAX_BYTES = 10 * 1024 * 1024;

const IMAGES: { readonly [extension: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
};

/** Lines with their numbers, six wide, and a tab. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}`).join('\n');
}

export function viewText(path: string, content: string, range: readonly number[] | undefined): string {
  const lines = content.split('\n');
  // Counted by line ends: the empty piece behind the last one is no line.
  const count = content === '' ? 0 : content.endsWith('\n') ? lines.length - 1 : lines.length;
  if (range === undefined || range.length === 0) {
    const clipped = truncateMiddle(
      content,
      LIMIT,
      `\n${CLIPPED} View a range of lines, or search for what you need.\n`,
    );
    return `${path}:\n${numbered(clipped.split('\n'), 1)}\n`;
  }
  const [first, last, note] = checkedRange(range, count);
  const shown = truncateMiddle(
    lines.slice(first - 1, last).join('\n'),
    LIMIT,
    `\n${CLIPPED} View a smaller range.\n`,
  );
  return `${path}, lines ${first} to ${last}:\n${numbered(shown.split('\n'), first)}\n${note}`;
}

function checkedRange(range: readonly number[], count: number): readonly [number, number, string] {
  const [first, last] = range;
  if (range.length !== 2 || first === undefined || last === undefined || !range.every(Number.isInteger)) {
    throw new ToolError('view_range must be two integers: the first line and the last, -1 for the end.');
  }
  if (first < 1 || first > count) {
    throw new ToolError(
      `view_range begins at line ${first}, which is outside of the file's lines [1, ${count}].`,
    );
  }
  if (last === -1) return [first, count, ''];
  if (last < first) throw new ToolError(`view_range ends at line ${last}, before it begins at ${first}.`);
  if (last > count) return [first, count, `NOTE: the file has only ${count} lines.\n`];
  return [first, last, ''];
}

/** Two levels, names in byte order, hidden ones left out and counted. */
export async function viewDirectory(path: string, workspace: Workspace): Promise<string> {
  const top = await workspace.list(path);
  const hidden = top.filter((entry) => entry.name.startsWith('.')).length;
  const paths: string[] = [];
  for (const entry of top.filter((each) => !each.name.startsWith('.'))) {
    const full = joined(path, entry.name);
    paths.push(entry.type === 'directory' ? `${full}/` : full);
    if (entry.type === 'directory') paths.push(...(await children(full, workspace)));
  }
  const listing = [path.endsWith('/') ? path : `${path}/`, ...paths.sort(byBytes)].join('\n');
  const clipped = truncateMiddle(
    listing,
    LIMIT,
    `\n${CLIPPED} View a folder further down, or use find with filters.\n`,
  );
  const note =
    hidden === 0 ? '' : `\n\n${hidden} hidden entries are left out; list them with: ls -la ${path}`;
  return `Files and folders of ${path}, two levels deep:\n${clipped}${note}\n`;
}

async function children(path: string, workspace: Workspace): Promise<string[]> {
  const entries = await workspace.list(path).catch(() => []); // one that may not be read is shown without its content
  return entries
    .filter((entry) => !entry.name.startsWith('.'))
    .map((entry) => joined(path, entry.name) + (entry.type === 'directory' ? '/' : ''));
}

function joined(path: string, name: string): string {
  return path.endsWith('/') ? path + name : `${path}/${name}`;
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Undefined if the path is not an image's. Throws ToolError if it is no image inside. */
export function viewImage(path: string, bytes: Uint8Array): readonly Content[] | undefined {
  const type = imageType(path);
  if (type === undefined) return undefined;
  if (!hasMagic(bytes)) throw new ToolError(`${path} is named like an image, but is none.`);
  return [text(`${path}:`), image(`data:${type};base64,${Buffer.from(bytes).toString('base64')}`)];
}

export function imageType(path: string): string | undefined {
  return IMAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

function hasMagic(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return (
    /^(\x89PNG|\xff\xd8\xff|GIF8|BM)/.test(start) || (start.startsWith('RIFF') && start.slice(8) === 'WEBP')
  );
}
