import { DEFAULT_TOOLS } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { DIRECTORY, OUTPUT, PLUGINS } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { knownAgents } from '../run/agents.ts';
import { workingDirectory } from '../stored/directory.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';

const FLAGS = { place: { directory: DIRECTORY }, agent: { plugins: PLUGINS }, output: OUTPUT, store: STORE };

/** `longhand agents`: the agents that `--agent` accepts here. */
export const agents = defineCommand({
  name: 'agents',
  about:
    'longhand agents: lists the agents that --agent accepts here, with their tools: those of plugins, of the folder, of the\nuser, and the built-in ones.',
  flags: FLAGS,
  words: noWords,
  run: listAgents,
});

async function listAgents({ place, agent, output }: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const { warn } = createReporter(output, process, process.env);
  const { openPlugins } = await import('../run/plugins.ts');
  const { plugins } = await openPlugins(agent.plugins ?? [], process.cwd(), warn);
  const root = workingDirectory(place.directory ?? '.', 'choose one with -d');
  const known = await knownAgents(root, plugins, warn);
  const width = Math.max(...known.map(({ name }) => name.length));
  for (const { name, description, source, tools = DEFAULT_TOOLS } of known) {
    const names = tools.map((tool) => tool.name);
    const line = output.json
      ? ownLine({ type: 'agent', name, description, source: source ?? 'built in', tools: names }).trimEnd()
      : `${name.padEnd(width)}  ${sanitizeLine(description)}\n${' '.repeat(width)}  ${sanitizeLine(`${names.join(', ')}${source === undefined ? '' : ` (${source})`}`)}`;
    process.stdout.write(`${line}\n`);
  }
  return EXIT.ok;
}
