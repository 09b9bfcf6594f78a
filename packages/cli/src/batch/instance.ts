/**
 * One line of a task file: an instance, with the names that SWE-bench uses or shorter ones.
 *
 *     {"instance_id": ..., "problem_statement": ..., "repo": OWNER/NAME | address | folder, "base_commit": ...}
 *     {"id": ..., "task": ..., "files": {"path": "content"}}
 *
 * Other keys are ignored; SWE-bench has many. Without `repo` and `files` the workspace is empty at first.
 */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@longhand/sdk/value';
import { type Repository, readRepository } from '../repository/address.ts';
import { UsageError } from '../usage-error.ts';

export interface Instance {
  readonly id: string;
  /** The id as a file name. */
  readonly folder: string;
  readonly task: string;
  readonly source: Source;
  /** A digest of everything in the line. */
  readonly digest: string;
}

export type Source =
  | { readonly from: 'git'; readonly repository: Repository; readonly baseCommit?: string }
  | { readonly from: 'folder'; readonly path: string }
  | { readonly from: 'files'; readonly files: { readonly [path: string]: string } };

type Line = { readonly [key: string]: unknown };

/** Relative paths of folders are resolved against `base`. Throws UsageError that says what is wrong. */
export function readInstance(source: string, base: string): Instance {
  const line = parsed(source);
  const id = textAt(line, 'instance_id', 'id');
  const task = textAt(line, 'problem_statement', 'task').trim();
  const from = sourceOf(line, base);
  const digest = createHash('sha256')
    .update(JSON.stringify([id, task, from]))
    .digest('hex');
  return { id, folder: folderName(id), task, source: from, digest: digest.slice(0, 16) };
}

function parsed(source: string): Line {
  let line: unknown;
  try {
    line = JSON.parse(source);
  } catch (error) {
    throw new UsageError(`not valid JSON: ${(error as Error).message}`);
  }
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw new UsageError('an instance is a JSON object');
  return line as Line;
}

function textAt(line: Line, name: string, short: string): string {
  const found = line[name] ?? line[short];
  if (found === undefined || found === null) throw new UsageError(`"${name}" (or "${short}") is missing`);
  if (typeof found !== 'string' || found.trim() === '')
    throw new UsageError(`"${line[name] === undefined ? short : name}" must be text that is not empty`);
  return found;
}

function optionalText(line: Line, name: string): string | undefined {
  const found = line[name];
  if (found === undefined || found === null || found === '') return undefined;
  if (typeof found !== 'string') throw new UsageError(`"${name}" must be text`);
  return found;
}

function sourceOf(line: Line, base: string): Source {
  const { files } = line;
  const repo = optionalText(line, 'repo');
  const baseCommit = optionalText(line, 'base_commit');
  if (repo === undefined) {
    if (baseCommit !== undefined) throw new UsageError('"base_commit" needs a "repo"');
    return { from: 'files', files: filesOf(files ?? {}) };
  }
  if (files !== undefined && files !== null)
    throw new UsageError('"repo" and "files" exclude each other: each defines the workspace');
  if (baseCommit !== undefined && !/^\w[\w./-]*$/.test(baseCommit))
    throw new UsageError(`"base_commit" is not a commit: "${baseCommit}"`);
  const repository = readRepository(repo, base);
  if (repository.isFolder && !isGit(repository.address)) {
    if (!statSync(repository.address).isDirectory())
      throw new UsageError(`the repo ${repository.address} is not a folder`);
    if (baseCommit !== undefined)
      throw new UsageError(
        `the folder ${repository.address} is not a git repository, but "base_commit" is given`,
      );
    return { from: 'folder', path: repository.address };
  }
  return { from: 'git', repository, ...defined({ baseCommit }) };
}

function isGit(folder: string): boolean {
  const isBare = ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
  return isBare || existsSync(join(folder, '.git'));
}

function filesOf(files: unknown): { readonly [path: string]: string } {
  if (typeof files !== 'object' || files === null || Array.isArray(files))
    throw new UsageError('"files" must be an object of paths and contents');
  for (const [path, content] of Object.entries(files)) {
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git'))
      throw new UsageError(`"files" has the path "${path}", which must be relative and stay inside`);
    const above = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
    const file = above.find((folder) => Object.hasOwn(files, folder));
    if (file !== undefined)
      throw new UsageError(`"files" has "${path}", but also "${file}", which cannot be a file and a folder`);
    if (typeof content !== 'string' || path.includes('\0'))
      throw new UsageError(`"files" must have text for "${path}"`);
  }
  return files as { readonly [path: string]: string };
}

/** The id itself if it is a safe file name; otherwise a safe form of it with a few digits of its hash. */
export function folderName(id: string): string {
  if (/^\w[\w.@+-]{0,120}$/.test(id)) return id;
  const digits = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${id
    .replace(/[^\w.@+-]/g, '_')
    .replace(/^[^\w]/, '_')
    .slice(0, 100)}-${digits}`;
}
