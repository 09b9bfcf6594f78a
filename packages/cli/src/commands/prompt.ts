import { homedir } from 'node:os';
import {
  createToolSet,
  DEFAULT_TOOLS,
  modelInfoOf,
  openKnowledge,
  openLocalWorkspace,
  type PromptPart,
  toolSchema,
} from '@longhand/sdk';
import { builtinTools } from '@longhand/tools';
import { readSettings } from '../config/config.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { PromptCommand } from '../flags/commands.ts';
import { chooseAgent } from '../run/agents.ts';
import { createReporter } from '../run/reporter.ts';
import { CONTEXT } from '../run/session.ts';
import { systemPromptFrom } from '../run/system-prompt-file.ts';
import { workingDirectory } from '../stored/directory.ts';
import { ownLine } from '../view/own-lines.ts';
import { sanitize } from '../view/sanitize.ts';
import { styleFor } from '../view/style.ts';

/** `longhand prompt`: what a new conversation here would begin with, and where each part comes from. */
export async function prompt(command: PromptCommand): Promise<ExitCode> {
  const { warn } = createReporter({ ...command, quiet: false }, process, process.env);
  const settings = await readSettings(command, process.env, process.cwd());
  settings.warnings.forEach(warn);
  const model = settings.llm.model ?? 'unknown';
  const root = workingDirectory(command.directory ?? '.', 'choose one with -d');
  const { agent, agents } = await chooseAgent(command.agent ?? settings.agentName, root, [], warn);
  const workspace = openLocalWorkspace(root);
  const files = openLocalWorkspace(homedir());
  const knowledge = openKnowledge({
    workspace,
    context:
      agent?.instructions === undefined ? CONTEXT : { ...CONTEXT, systemMessageSuffix: agent.instructions },
    home: { path: homedir(), files },
    model,
    warn,
  });
  const { vision, briefTools } = modelInfoOf({ ...settings.llm, model });
  const tools = await createToolSet(agent?.tools ?? DEFAULT_TOOLS, builtinTools, {
    workspace,
    directory: null,
    vision,
    onWarning: warn,
    inert: true,
    ...(agents === undefined ? {} : { agents: agents.filter(({ isForUsers }) => isForUsers !== true) }),
  });
  const names = tools.tools.map(({ name }) => name);
  const parts: PromptPart[] = [
    ...(command.systemPrompt === undefined
      ? await knowledge.staticPrompt(names)
      : [
          {
            section: 'all',
            source: command.systemPrompt,
            text: await systemPromptFrom(command.systemPrompt, model, names),
          },
        ]),
    {
      section: 'context',
      source: 'this place, behind the part that is cached',
      text: await knowledge.dynamicContext(Date.now()),
    },
  ];
  const schemas = tools.tools.map((tool) => toolSchema(tool, briefTools));
  await tools.close();
  if (command.json) process.stdout.write(ownLine({ type: 'prompt', parts, tools: schemas }));
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
