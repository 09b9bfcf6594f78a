/** Facts about the workspace for the start of a conversation. */
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

/** Programs that software work often needs. */
const PROGRAMS =
  'git rg python3 pip uv node npm pnpm yarn bun deno go cargo java mvn gradle gcc make cmake docker psql jq curl'.split(
    ' ',
  );

async function programsOf(workspace: Workspace): Promise<readonly string[]> {
  try {
    return await workspace.which(PROGRAMS);
  } catch {
    return []; // the agent can find out by itself
  }
}

async function repositoryOf(workspace: Workspace): Promise<string | undefined> {
  try {
    const root = await repositoryRoot(workspace, workspace.root);
    if (root === undefined) return undefined;
    const branch = await branchOf(workspace, root);
    return `Git repository: ${root}${branch === undefined ? '' : `, on ${branch}`}`;
  } catch {
    return undefined; // the agent can find out by itself
  }
}

async function branchOf(workspace: Workspace, root: string): Promise<string | undefined> {
  try {
    const git = posix.join(root, '.git');
    const isLink = (await workspace.stat(git))?.type === 'file'; // in a worktree or submodule
    const [, folder = git] = isLink ? (/^gitdir: (.+)$/m.exec(await readText(workspace, git)) ?? []) : [];
    const head = (await readText(workspace, posix.resolve(root, folder, 'HEAD'))).trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? `commit ${head.slice(0, 12)}`;
  } catch {
    return undefined; // the agent can find out by itself
  }
}
