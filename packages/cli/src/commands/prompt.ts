import { openLocalWorkspace } from '@longhand/sdk';
import {
  createToolSet,
  enabledServers,
  knowledgeOf,
  modelInfoOf,
  type PromptPart,
  toolSchema,
  toolSpecsOf,
} from '@longhand/sdk/internal';
import { builtinTools } from '@longhand/tools';
import { readSettings } from '../config/config.ts';
import { readMcp } from '../config/mcp-files.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { AGENT, AGENT_CONFIG, DIRECTORY, OUTPUT, PLUGINS, SYSTEM_PROMPT } from '../flags/shared-flags.ts';
import { MODEL, STORE } from '../flags/table.ts';
import { agentOf } from '../run/agent-of.ts';
import { chooseAgent, settingsWith } from '../run/agents.ts';
import { systemPromptFile } from '../run/configured-prompt.ts';
import { openPlugins } from '../run/plugins.ts';
import { systemPromptFrom } from '../run/system-prompt-file.ts';
import { toldVariables } from '../run/told-variables.ts';
import { workingDirectory } from '../stored/directory.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitize } from '../view/sanitize.ts';
import { styleFor } from '../view/style.ts';

const FLAGS = {
  place: { directory: DIRECTORY },
  model: MODEL,
  agent: { systemPrompt: SYSTEM_PROMPT, plugins: PLUGINS, agent: AGENT, agentConfig: AGENT_CONFIG },
  output: OUTPUT,
  store: STORE,
};

/** `longhand prompt`: what a new conversation here would start with, and where each part comes from. */
export const prompt = defineCommand({
  name: 'prompt',
  about:
    'longhand prompt: prints the system prompt and the tools that a new conversation here would start with, part by part, and\nthe file that each part comes from. No request is sent and nothing is started, so the tools of MCP servers are missing.',
  flags: FLAGS,
  words: noWords,
  run: printPrompt,
});

async function printPrompt(asked: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const { output, place, agent: wanted } = asked;
  const { warn } = createReporter(output, process, process.env);
  const given = await readSettings(asked, process.env, process.cwd());
  const root = workingDirectory(place.directory ?? given.place.directory ?? '.', 'choose one with -d');
  const { plugins, skills, mcpServers } = await openPlugins(wanted.plugins ?? [], process.cwd(), warn);
  const chosen = await chooseAgent(wanted.agent ?? given.agentName, root, plugins, warn);
  const settings = await settingsWith(chosen, asked, given);
  settings.warnings.forEach(warn);
  const { section } = settings;
  const llm = { ...settings.llm, model: settings.llm.model ?? 'unknown' };
  const sources = { given: [], configured: settings.mcp ?? {}, brought: mcpServers, stored: {} };
  const mcp = await readMcp({ ...sources, workingDir: root }, () => undefined);
  const { mcpConfig = {}, ...agent } = agentOf({
    ...{ ...chosen, llm, section, skills, mcp },
    told: toldVariables(process.env, settings.place),
  });
  // The tools of servers are known only once they run, and nothing is started here.
  const servers = Object.keys(enabledServers(mcpConfig));
  if (servers.length > 0)
    warn(
      `the tools of MCP servers are not shown, because they would have to be started: ${servers.join(', ')}`,
    );
  const workspace = openLocalWorkspace(root);
  const knowledge = knowledgeOf({ workspace, onWarning: warn }, agent);
  const { vision, briefTools } = modelInfoOf(llm);
  const tools = await createToolSet(toolSpecsOf(agent), builtinTools, {
    workspace,
    files: null,
    vision,
    onWarning: warn,
    inert: true,
    ...(chosen.helpers === undefined
      ? {}
      : { agents: chosen.helpers.filter(({ isForUsers }) => isForUsers !== true) }),
  });
  const names = tools.tools.map(({ name }) => name);
  const own = systemPromptFile(wanted.systemPrompt, section);
  const parts = [
    ...(own === undefined
      ? await knowledge.staticPrompt(tools.tools)
      : [{ section: 'all', source: own, text: await systemPromptFrom(own, llm.model, names) }]),
    ...(await knowledge.dynamicContext(Date.now())),
  ];
  const schemas = tools.tools.map((tool) => toolSchema(tool, { brief: briefTools }));
  await tools.close();
  if (output.json) process.stdout.write(ownLine({ type: 'prompt', parts, tools: schemas }));
  else print(parts, schemas);
  return EXIT.ok;
}

function print(
  parts: readonly PromptPart[],
  tools: readonly { readonly name: string; readonly description: string }[],
): void {
  const { dim } = styleFor(process.stdout, process.env);
  for (const { section, source, text } of parts)
    process.stdout.write(`${dim(`── ${section} (${source})`)}\n${sanitize(text)}\n\n`);
  for (const { name, description } of tools)
    process.stdout.write(`${dim(`── tool ${name}`)}\n${sanitize(description)}\n\n`);
}
