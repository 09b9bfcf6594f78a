import { posix } from 'node:path';
import { ToolError, type Workspace, WorkspaceError } from '@longhand/sdk';
import { decode, isBinary } from '../file-editor/encoding.ts';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from './ignore-rules.ts';
import type { Found, Search } from './search.ts';

/** Longer files are not searched for a pattern. */
const MAX_BYTES = 50 * 1024 * 1024;

/** Searches without ripgrep. Throws a ToolError if the pattern is not valid. */
export async function searchByWalking(search: Search): Promise<Found> {
  const { limit, signal } = search;
  const expression = search.pattern === undefined ? undefined : compiled(search.pattern);
  const files: string[] = [];
  for (const path of await newestFirst(search)) {
    if (signal.aborted || files.length > limit) break;
    if (expression === undefined || (await holds(path, expression, search))) files.push(path);
  }
  return { files: files.slice(0, limit), truncated: files.length > limit };
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch (error) {
    throw new ToolError(`The search failed. ${(error as Error).message}`);
  }
}

async function newestFirst(search: Search): Promise<readonly string[]> {
  const { workspace, folder } = search;
  const root = await workspace.realPath(folder);
  const found: { readonly path: string; readonly modifiedMs: number }[] = [];
  const rules = await rulesAbove(search);
  for await (const path of filesBelow({ path: folder, real: root, above: [root], rules }, search)) {
    if (!search.accepts(posix.relative(folder, path))) continue;
    found.push({ path, modifiedMs: (await workspace.stat(path))?.modifiedMs ?? 0 });
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs).map(({ path }) => path);
}

interface Folder {
  readonly path: string;
  readonly real: string;
  /** Real paths of the folder and its parents, so that a cycle of links is noticed. */
  readonly above: readonly string[];
  /** For paths relative to the workspace, or to the searched folder if that is outside of it. */
  readonly rules: readonly IgnoreFile[];
}

async function* filesBelow(folder: Folder, search: Search): AsyncGenerator<string> {
  const { workspace, hidden, follows, signal } = search;
  if (signal.aborted) return;
  const entries = await workspace.list(folder.path).catch(() => []); // an unreadable folder counts as empty
  const rules = entries.some(({ name }) => name === '.gitignore')
    ? [...folder.rules, ...(await rulesIn(folder.path, search))]
    : folder.rules;
  for (const { name, type } of entries) {
    const path = posix.join(folder.path, name);
    const isFolder = type === 'directory';
    const isHidden = name.startsWith('.');
    if (type === 'other' || (isHidden && !(isFolder ? hidden.folders : hidden.files))) continue;
    if (isIgnored(rules, posix.relative(baseOf(search), path), isFolder)) continue;
    if (!isFolder) {
      yield path;
      continue;
    }
    const real = await workspace.realPath(path);
    const isLink = real !== posix.join(folder.real, name);
    if (folder.above.includes(real) || (isLink && !follows)) continue;
    yield* filesBelow({ path, real, above: [...folder.above, real], rules }, search);
  }
}

/** What the paths of rules are relative to. */
function baseOf({ workspace: { root }, folder }: Search): string {
  const relative = posix.relative(root, folder);
  return relative === '..' || relative.startsWith('../') ? folder : root;
}

/** Rules of the folders between the workspace and the searched folder. */
async function rulesAbove(search: Search): Promise<readonly IgnoreFile[]> {
  const parts = posix
    .relative(baseOf(search), search.folder)
    .split('/')
    .filter((part) => part !== '');
  const folders = parts.map((_, i) => posix.join(baseOf(search), ...parts.slice(0, i)));
  return (await Promise.all(folders.map((each) => rulesIn(each, search)))).flat();
}

async function rulesIn(folder: string, search: Search): Promise<readonly IgnoreFile[]> {
  const content = await readOrNothing(posix.join(folder, '.gitignore'), search.workspace);
  if (content === undefined) return [];
  return [parseIgnoreFile(Buffer.from(content).toString(), posix.relative(baseOf(search), folder))];
}

/** A file that is gone or unreadable counts as empty. */
async function readOrNothing(path: string, workspace: Workspace): Promise<Uint8Array | undefined> {
  try {
    return await workspace.readFile(path);
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

async function holds(path: string, expression: RegExp, { workspace, follows }: Search): Promise<boolean> {
  if (((await workspace.stat(path))?.sizeBytes ?? 0) > MAX_BYTES) return false;
  const bytes = await readOrNothing(path, workspace);
  if (bytes === undefined || isBinary(bytes)) return false;
  const { text } = await decode(bytes);
  if (!text.split('\n').some((line) => expression.test(line))) return false;
  return follows || (await isOwnFile(path, workspace));
}

async function isOwnFile(path: string, workspace: Workspace): Promise<boolean> {
  const parent = await workspace.realPath(posix.dirname(path));
  return (await workspace.realPath(path)) === posix.join(parent, posix.basename(path));
}
