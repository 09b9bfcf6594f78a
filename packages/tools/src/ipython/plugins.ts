import { posix } from 'node:path';
import type { ToolEnvironment, Workspace } from '@longhand/sdk';
import { pluginsProgram } from './programs.ts';

/** V0's names. Cells always run in Jupyter where it is available. */
const AGENT_SKILLS = 'agent_skills';
const KNOWN = [AGENT_SKILLS, 'jupyter', 'vscode'];
export const DEFAULT_PLUGINS = [AGENT_SKILLS, 'jupyter'];

/** What cells find predefined. */
export interface Plugins {
  readonly hasAgentSkills: boolean;
  /** Python files, as absolute paths, in order: later definitions replace earlier ones of the same name. */
  readonly files: readonly PluginFile[];
}

export interface PluginFile {
  readonly path: string;
  /** The names that it defines, for the tool's description. */
  readonly names: readonly string[];
}

/**
 * The plugins of an agent's specification: V0's names, or paths of Python files, absolute or relative to the workspace.
 * Throws an Error that names the plugin that does not exist; files are not read if the environment is inert.
 */
export async function pluginsOf(
  given: readonly string[],
  { workspace, inert, onWarning }: ToolEnvironment,
): Promise<Plugins> {
  const unknown = given.find((name) => !KNOWN.includes(name) && !name.endsWith('.py'));
  if (unknown !== undefined)
    throw new Error(
      `${PARAM}: there is no plugin "${unknown}"; available: ${KNOWN.join(', ')}, and paths of Python files (.py)`,
    );
  if (given.includes('vscode') && inert !== true) onWarning(`${PARAM}: vscode is not supported and ignored`);
  const paths = given
    .filter((name) => name.endsWith('.py'))
    .map((name) => posix.resolve(workspace.root, name));
  const files = await Promise.all(
    paths.map(async (path) => ({ path, names: inert === true ? [] : await namesIn(path, workspace) })),
  );
  return { hasAgentSkills: given.includes(AGENT_SKILLS), files };
}

/** The cell that defines what the files define; null if there are none. */
export function definingCell({ files }: Plugins): string | null {
  if (files.length === 0) return null;
  // A string of JSON is a string of Python's.
  return `${pluginsProgram()}\ndefine(${JSON.stringify(files.map(({ path }) => path))})`;
}

/** As `plugins.py` decides, from the text alone: the file is not run to describe the tool. */
async function namesIn(path: string, workspace: Workspace): Promise<readonly string[]> {
  const bytes = await workspace.readFile(path).catch((error: Error) => {
    throw new Error(`${PARAM}: the file ${path} cannot be read: ${error.message}`);
  });
  const source = Buffer.from(bytes).toString();
  const all = /^__all__\s*=\s*[[(]([^\])]*)[\])]/m.exec(source)?.[1];
  if (all !== undefined) return [...all.matchAll(/["'](\w+)["']/g)].map(([, name = '']) => name);
  const defined = source.matchAll(/^(?:async\s+def|def|class)\s+([^\W_]\w*)/gm);
  return [...new Set([...defined].map(([, name = '']) => name))];
}

const PARAM = 'execute_ipython_cell: param sandbox_plugins';
