/** Plugins that the user names: a folder, or a repository of git at one commit. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type HookConfig,
  type McpConfig,
  openLocalWorkspace,
  parseHookConfig,
  type Skill,
} from '@longhand/sdk';
import { firstOfEachName, loadPlugin, mergeHooks, type Plugin } from '@longhand/sdk/internal';
import { dataDirectory } from '../config/home.ts';
import { withoutLogin } from '../repository/address.ts';
import { checkedOut, headOf } from '../repository/checkout.ts';
import { UsageError } from '../usage-error.ts';

const COMMIT = /^[0-9a-f]{40}$/;
const isGit = (source: string) => /^(github:|https?:|ssh:|git@|file:)/.test(source);

export interface Plugins {
  readonly plugins: readonly Plugin[];
  /** The first of each name wins. */
  readonly skills: readonly Skill[];
  /** All of them merged, in order. */
  readonly hooks: HookConfig | undefined;
  /** The first of each name wins. */
  readonly mcpServers: McpConfig;
}

/** Throws UsageError that names the plugin. */
export async function openPlugins(
  sources: readonly string[],
  cwd: string,
  warn: (text: string) => void,
): Promise<Plugins> {
  const plugins: Plugin[] = [];
  let hooks: HookConfig | undefined;
  for (const source of sources) {
    const directory = isGit(source) ? await checkedOutPlugin(source) : folder(source, cwd);
    try {
      const plugin = await loadPlugin(openLocalWorkspace(directory), directory, warn);
      plugins.push(plugin);
      if (plugin.hooks !== undefined) hooks = mergeHooks(hooks ?? {}, hooksOf(plugin));
    } catch (error) {
      throw new UsageError(`the plugin ${withoutLogin(source)} cannot be used: ${(error as Error).message}`);
    }
  }
  const servers = plugins.map(({ mcpServers }) => mcpServers ?? {}).toReversed();
  const skills = firstOfEachName(plugins.flatMap((plugin) => plugin.skills));
  return { plugins, skills, hooks, mcpServers: Object.assign({}, ...servers) };
}

function hooksOf({ hooks, directory }: Plugin): HookConfig {
  try {
    return parseHookConfig(hooks);
  } catch (error) {
    throw new Error(`${join(directory, 'hooks/hooks.json')}: ${(error as Error).message}`);
  }
}

function folder(source: string, cwd: string): string {
  const path = resolve(cwd, source);
  if (!existsSync(path)) throw new UsageError(`the plugin ${source} cannot be used: there is no such folder`);
  return path;
}

async function checkedOutPlugin(source: string): Promise<string> {
  const [address = '', commit = ''] = source.split('#');
  const url = address.replace(/^github:/, 'https://github.com/');
  if (!COMMIT.test(commit)) throw new UsageError(await unpinned(source, url));
  try {
    return await checkedOut(join(dataDirectory(), 'plugins'), url, commit);
  } catch (error) {
    throw new UsageError(`the plugin ${withoutLogin(source)} cannot be fetched: ${(error as Error).message}`);
  }
}

/** The message names the present commit, to be added to the source. */
async function unpinned(source: string, url: string): Promise<string> {
  const why = `the plugin ${withoutLogin(source)} needs a commit after a #, since its programs are run`;
  try {
    return `${why}; today it is ${await headOf(url, AbortSignal.timeout(10_000))}`;
  } catch {
    return why;
  }
}
