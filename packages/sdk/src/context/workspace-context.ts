/** What there is to know of the place, before anything has been done in it. */
import { posix } from 'node:path';
import type { Workspace } from '../workspace/workspace.ts';
import { repositoryRoot } from './load-skills.ts';
import { readText } from './read-text.ts';

export async function workspaceContext(workspace: Workspace, nowMs: number): Promise<string> {
  const [repository, programs] = await Promise.all([repositoryOf(workspace), programsOf(workspace)]);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return [
    '<WORKSPACE>',
    `Working folder: ${workspace.root}`,
    ...(repository === undefined ? [] : [repository]),
    ...(programs.length === 0 ? [] : [`Programs: ${programs.join(', ')}`]),
    `Platform: ${workspace.platform}`,
    `Date: ${day}`,
    '</WORKSPACE>',
  ].join('\n');
}

/** What work on software asks for most, and may miss. */
const PROGRAMS =
  'git rg python3 pip uv node npm pnpm yarn bun deno go cargo java mvn gradle gcc make cmake docker psql jq curl'.split(
    ' ',
  );

async function programsOf(workspace: Workspace): Promise<readonly string[]> {
  try {
    return await workspace.which(PROGRAMS);
  } catch {
    return []; // nothing that the agent could not find out by itself
  }
}

async function repositoryOf(workspace: Workspace): Promise<string | undefined> {
  try {
    const root = await repositoryRoot(workspace, workspace.root);
    if (root === undefined) return undefined;
    const branch = await branchOf(workspace, root);
    return `Git repository: ${root}${branch === undefined ? '' : `, on ${branch}`}`;
  } catch {
    return undefined; // nothing that the agent could not find out by itself
  }
}

async function branchOf(workspace: Workspace, root: string): Promise<string | undefined> {
  try {
    const git = posix.join(root, '.git');
    const isLink = (await workspace.stat(git))?.type === 'file'; // of a worktree, or of a submodule
    const [, folder = git] = isLink ? (/^gitdir: (.+)$/m.exec(await readText(workspace, git)) ?? []) : [];
    const head = (await readText(workspace, posix.resolve(root, folder, 'HEAD'))).trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? `commit ${head.slice(0, 12)}`;
  } catch {
    return undefined; // nothing that the agent could not find out by itself
  }
}
