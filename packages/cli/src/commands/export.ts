import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { htmlReport, statsOf, toJsonl, toOpenAi, writeEventFolder } from '@longhand/sdk';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { ExportCommand } from '../flags/commands.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { type Material, modelOf, readMaterial, v0Text } from '../stored/material.ts';
import { toolKnowledge } from '../stored/tool-knowledge.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter } from '../view/reporter.ts';

/** `longhand export ID`: a conversation in a form that others read. */
export async function exportConversation(command: ExportCommand): Promise<ExitCode> {
  const { id, directory } = findConversation(conversationsDirectory(command.conversationsDir), command.id);
  const { warn } = createReporter({ ...command, quiet: false }, process, process.env);
  const material = await readMaterial(directory, warn);
  if (command.format === 'events') await exportFolder(material, command.out);
  else {
    const content = await contentOf(id, material, command.format, command.agentRole);
    if (command.out === undefined) process.stdout.write(content);
    else writeWholeFile(resolve(command.out), content);
  }
  return EXIT.ok;
}

async function contentOf(
  id: string,
  material: Material,
  format: Exclude<ExportCommand['format'], 'events'>,
  speaker: ExportCommand['agentRole'],
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
