/**
 * MCP servers from files: those that the user names, and the user's own. A project's own are started only if the user has agreed, since they
 * are programs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { type McpConfig, parseMcpConfig, parseSkill } from '@longhand/sdk';
import { rootedAt } from '@longhand/sdk/internal';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { configDirectory } from './home.ts';
import { trustIn } from './trusted-files.ts';

export const OF_PROJECT = '.mcp.json';

export interface McpSources {
  /** `--mcp`: if a name occurs twice, the last one is used. */
  readonly given: readonly string[];
  /** `[mcp]` of a config file. */
  readonly configured: McpConfig;
  /** From plugins. */
  readonly brought: McpConfig;
  /** The conversation's servers in its last run. */
  readonly stored: McpConfig;
  readonly workingDir: string;
}

/** The most explicitly named server of a name wins. Throws UsageError that names the file. */
export async function readMcp(sources: McpSources, warn: (text: string) => void): Promise<McpConfig> {
  const { given, configured, brought, stored, workingDir } = sources;
  const places = [join(configDirectory(), 'mcp.json'), join(homedir(), '.openhands/mcp.json')];
  const own = places.find((path) => existsSync(path));
  const named = await Promise.all(given.map((path) => serversIn(path)));
  const ofProject = join(workingDir, OF_PROJECT);
  const isAsked = existsSync(ofProject) && !given.some((path) => resolve(path) === ofProject);
  return Object.assign(
    {},
    stored,
    brought,
    isAsked ? await readTrusted(ofProject, warn) : {},
    own === undefined ? {} : await serversIn(own),
    configured,
    ...named,
  ) as McpConfig;
}

/** None unless the user has agreed to the file as it is. */
async function readTrusted(path: string, warn: (text: string) => void): Promise<McpConfig> {
  const trust = trustIn(path, readFileSync(path, 'utf8'));
  if (trust === 'trusted') return await serversIn(path);
  const folder = relative(process.cwd(), dirname(path));
  const command = `longhand trust${folder === '' ? '' : ` -d ${folder}`}`;
  const why = trust === 'changed' ? ', because their file has changed since you agreed' : '';
  const file = relative(process.cwd(), path);
  warn(
    `the MCP servers of this folder are not started${why}: ${command} agrees to them for all runs, --mcp ${file} for one`,
  );
  return {};
}

/** JSON as in `.mcp.json`, or a skill with servers. Throws UsageError that names the file. */
export async function serversIn(path: string): Promise<McpConfig> {
  try {
    const source = readFileSync(path, 'utf8');
    if (!/\.md$/i.test(path)) return parseMcpConfig(rootedAt(JSON.parse(source), dirname(resolve(path))));
    const { mcpServers = {} } = await parseSkill({ path: resolve(path), source, fallbackName: 'skill' });
    return mcpServers;
  } catch (error) {
    throw new UsageError(`the MCP servers in ${path} cannot be used: ${fileFault(error)}`);
  }
}
