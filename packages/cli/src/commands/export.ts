import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ExportFormat, htmlReport, statsOf, toJsonl, toOpenAi, writeEventFolder } from '@longhand/sdk';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneId } from '../flags/command.ts';
import { valueFlag } from '../flags/flag.ts';
import { LOG_LEVEL, STORE } from '../flags/table.ts';
import { file, oneOf } from '../flags/value.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { type Material, modelOf, readMaterial, v0Text } from '../stored/material.ts';
import { toolKnowledge } from '../stored/tool-knowledge.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter } from '../view/reporter.ts';

const FLAGS = {
  to: {
    format: valueFlag(oneOf<ExportFormat>('FORMAT', ['v0', 'events', 'openai', 'jsonl', 'html']), {
      name: 'format',
      help: 'v0 (a trajectory of OpenHands V0), events (a folder for the OpenHands SDK), openai (chat messages), jsonl (one event per line) or html (a report to read)',
      default: 'v0',
    }),
    out: valueFlag(file, {
      name: 'out',
      short: 'o',
      help: 'the file to write, with --format events the folder',
      default: 'standard output',
    }),
    agentRole: valueFlag(oneOf('ROLE', ['agent', 'assistant']), {
      name: 'agent-role',
      help: 'the role in openai messages of what the agent says without a call: agent, or assistant as OpenAI has it',
      default: 'agent',
    }),
  },
  output: { logLevel: LOG_LEVEL },
  store: STORE,
};

/** `longhand export ID`: a conversation in a format that other programs read. */
export const exportCommand = defineCommand({
  name: 'export',
  about:
    'longhand export ID: writes a conversation in a format that other programs read. Secrets of the environment are masked.',
  flags: FLAGS,
  words: oneId,
  run: exportConversation,
});

async function exportConversation({
  words,
  to: { format = 'v0', out, agentRole = 'agent' },
  output,
  store,
}: Asked<typeof FLAGS, string>): Promise<ExitCode> {
  const { id, directory } = findConversation(conversationsDirectory(store.conversationsDir), words);
  const { warn } = createReporter(output, process, process.env);
  const material = await readMaterial(directory, warn);
  if (format === 'events') await exportFolder(material, out);
  else {
    const content = await contentOf(id, material, format, agentRole);
    if (out === undefined) process.stdout.write(content);
    else writeWholeFile(resolve(out), content);
  }
  return EXIT.ok;
}

async function contentOf(
  id: string,
  material: Material,
  format: Exclude<ExportFormat, 'events'>,
  speaker: 'agent' | 'assistant',
): Promise<string> {
  const { directory, events, branch, accounts } = material;
  switch (format) {
    case 'v0':
      return v0Text(material);
    case 'openai': {
      const { render } = await toolKnowledge(directory);
      return `${JSON.stringify(toOpenAi(branch, { render, speaker }), null, 2)}\n`;
    }
    case 'jsonl':
      return [...toJsonl(events)].join('');
    case 'html':
      return htmlReport(branch, { id, stats: statsOf(events, accounts), ...modelOf(directory) });
  }
}

/** It is made beside its place, and put there when it is whole. */
async function exportFolder({ directory, events }: Material, out: string | undefined): Promise<void> {
  if (out === undefined) throw new UsageError('--format events makes a folder: say which with --out DIR');
  const target = resolve(out);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new UsageError(`--out: ${out} is there already, and is not empty`);
  const stored = join(directory, 'base_state.json');
  const unfinished = join(dirname(target), `.longhand-export-${process.pid}.tmp`);
  try {
    await writeEventFolder(unfinished, events, existsSync(stored) ? readFileSync(stored, 'utf8') : undefined);
    rmSync(target, { recursive: true, force: true });
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new UsageError(`--out: ${out} cannot be written: ${(error as Error).message}`);
  }
}
