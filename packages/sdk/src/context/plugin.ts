/**
 * A folder with skills, commands, hooks and more, in the layout of Claude Code (reference: SDK 1.43, section 9.6):
 * `.plugin/plugin.json` or `.claude-plugin/plugin.json`, `skills/`, `microagents/` or a `SKILL.md`, `commands/*.md`, `hooks/hooks.json`,
 * `.mcp.json`, `agents/*.md`.
 */
import { posix } from 'node:path';
import { defined } from '../value/defined.ts';
import { commandsIn } from './commands.ts';
import { firstOfEachName, skillsUnder } from './load-skills.ts';
import { type McpConfig, parseMcpConfig, rootedAt } from './mcp-config.ts';
import { type Files, readText } from './read-text.ts';
import type { Skill } from './skill.ts';

export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly directory: string;
  /** Includes its commands, which are called with `/<plugin>:<command>`. */
  readonly skills: readonly Skill[];
  /** The content of its file, with `${CLAUDE_PLUGIN_ROOT}` replaced. */
  readonly hooks?: unknown;
  readonly mcpServers?: McpConfig;
  /** Files that define agents. */
  readonly agents: readonly string[];
}

type Warn = (text: string) => void;

/** Loads a plugin. Throws an Error that names the file if its manifest, hooks or servers are not valid. */
export async function loadPlugin(files: Files, directory: string, warn: Warn): Promise<Plugin> {
  const manifest =
    (await jsonIn(files, directory, '.plugin/plugin.json')) ??
    (await jsonIn(files, directory, '.claude-plugin/plugin.json')) ??
    {};
  const {
    name = posix.basename(directory),
    version = '1.0.0',
    description = '',
  } = manifest as { readonly [key: string]: unknown };
  const [skills, commands, hooks, mcp, agents] = await Promise.all([
    skillsBroughtBy(files, directory, warn),
    commandsIn(files, posix.join(directory, 'commands'), `${name}:`, warn),
    jsonIn(files, directory, 'hooks/hooks.json'),
    jsonIn(files, directory, '.mcp.json'),
    markdownIn(files, posix.join(directory, 'agents')),
  ]);
  const servers = mcp === undefined ? undefined : serversOf(mcp, directory);
  return {
    name: String(name),
    version: String(version),
    description: String(description),
    directory,
    skills: [...skills, ...commands],
    agents,
    ...defined({ hooks: rootedAt(hooks, directory), mcpServers: servers }),
  };
}

function serversOf(json: unknown, directory: string): McpConfig {
  try {
    return parseMcpConfig(rootedAt(json, directory));
  } catch (error) {
    throw new Error(`${posix.join(directory, '.mcp.json')} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Of several with one name the first counts. `microagents` is the folder that organisations use for OpenHands. */
export async function skillsBroughtBy(files: Files, directory: string, warn: Warn): Promise<Skill[]> {
  const folders = ['skills', 'microagents'].map((name) => posix.join(directory, name));
  const found = await Promise.all(folders.map((folder) => skillsUnder(files, folder, directory, warn)));
  return firstOfEachName(found.flat());
}

async function markdownIn(files: Files, folder: string): Promise<string[]> {
  try {
    const entries = await files.list(folder);
    const names = entries
      .filter(({ name, type }) => type === 'file' && /\.md$/i.test(name))
      .map(({ name }) => name);
    return names.toSorted().map((name) => posix.join(folder, name));
  } catch {
    return []; // there is no such folder
  }
}

async function jsonIn(files: Files, directory: string, name: string): Promise<unknown> {
  const path = posix.join(directory, name);
  if ((await files.stat(path)) === null) return undefined;
  try {
    return JSON.parse(await readText(files, path));
  } catch (error) {
    throw new Error(`${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
