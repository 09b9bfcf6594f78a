import { DEFAULT_TOOLS } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { AgentsCommand } from '../flags/commands.ts';
import { knownAgents } from '../run/agents.ts';
import { workingDirectory } from '../stored/directory.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';

/** `longhand agents`: those that `--agent` takes here. */
export async function agents(command: AgentsCommand): Promise<ExitCode> {
  const { warn } = createReporter({ ...command, quiet: false }, process, process.env);
  const { openPlugins } = await import('../run/plugins.ts');
  const { plugins } = await openPlugins(command.plugins ?? [], process.cwd(), warn);
  const root = workingDirectory(command.directory ?? '.', 'choose one with -d');
  const known = await knownAgents(root, plugins, warn);
  const width = Math.max(...known.map(({ name }) => name.length));
  for (const { name, description, source, tools = DEFAULT_TOOLS } of known) {
    const names = tools.map((tool) => tool.name);
    const line = command.json
      ? ownLine({ type: 'agent', name, description, source: source ?? 'built in', tools: names }).trimEnd()
      : `${name.padEnd(width)}  ${sanitizeLine(description)}\n${' '.repeat(width)}  ${sanitizeLine(`${names.join(', ')}${source === undefined ? '' : ` (${source})`}`)}`;
    process.stdout.write(`${line}\n`);
  }
  return EXIT.ok;
}
