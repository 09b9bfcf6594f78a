/** Facts about the workspace for the start of a conversation. */
import { posix } from 'node:path';
import type { Workspace } from '../workspace/workspace.ts';
import type { AgentContext } from './agent-context.ts';
import { repositoryRoot } from './load-skills.ts';
import { readText } from './read-text.ts';

/** The block of the prompt that says where the agent is, and what it finds there. */
export async function workspaceContext(
  workspace: Workspace,
  nowMs: number,
  { variables = [], secrets = [] }: Pick<AgentContext, 'variables' | 'secrets'> = {},
): Promise<string> {
  const [repository, programs] = await Promise.all([repositoryOf(workspace), programsOf(workspace)]);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return [
    '<WORKSPACE>',
    `Working folder: ${workspace.root}`,
    ...(repository === undefined ? [] : [repository]),
    'Hosts: localhost, where servers that you start can use any free port',
    ...(programs.length === 0 ? [] : [`Programs: ${programs.join(', ')}`]),
    ...(variables.length === 0 ? [] : [`Variables that your programs get: ${variables.join(', ')}`]),
    ...(secrets.length === 0
      ? []
      : [`Secret variables that your programs get (use them, never print them): ${secrets.join(', ')}`]),
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
    const git = await gitFolder(workspace, root);
    const [name, branch] = await Promise.all([nameOf(workspace, root, git), branchOf(workspace, git)]);
    return `Git repository: ${name} in ${root}${branch === undefined ? '' : `, on ${branch}`}`;
  } catch {
    return undefined; // the agent can find out by itself
  }
}

/** The folder with HEAD; in a worktree or submodule `.git` is a file that names it. */
async function gitFolder(workspace: Workspace, root: string): Promise<string> {
  const git = posix.join(root, '.git');
  if ((await workspace.stat(git))?.type !== 'file') return git;
  const [, folder = git] = /^gitdir: (.+)$/m.exec(await readText(workspace, git)) ?? [];
  return posix.resolve(root, folder);
}

async function branchOf(workspace: Workspace, git: string): Promise<string | undefined> {
  const head = await optionalText(workspace, posix.join(git, 'HEAD'));
  if (head === undefined) return undefined;
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? `commit ${head.slice(0, 12)}`;
}

/** `owner/name` as the remote has it, else the name of the folder. */
async function nameOf(workspace: Workspace, root: string, git: string): Promise<string> {
  const common = await optionalText(workspace, posix.join(git, 'commondir'));
  const config = await optionalText(workspace, posix.resolve(git, common ?? '.', 'config'));
  return repositoryName(remoteIn(config ?? '') ?? root);
}

/** The address of `origin`, else of the first remote. */
function remoteIn(config: string): string | undefined {
  const remotes = [...config.matchAll(/^\s*\[remote "(.*)"\]\s*\n(?:(?!\s*\[).*\n?)*/gm)].flatMap(
    ([section, name]) => {
      const [, url] = /^\s*url\s*=\s*(.+?)\s*$/m.exec(section) ?? [];
      return url === undefined ? [] : [{ name, url }];
    },
  );
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.url;
}

/** Of an address the path, without host and credentials; of a folder its own name. */
function repositoryName(address: string): string {
  const path = address.replace(/\/+$/, '').replace(/\.git$/, '');
  const [, onHost] = /^(?!file:)(?:[a-z+]+:\/\/[^/]+\/|[^/:]+:\/?)(.+)$/i.exec(path) ?? [];
  return onHost ?? posix.basename(path);
}

async function optionalText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return (await readText(workspace, path)).trim();
  } catch {
    return undefined;
  }
}
