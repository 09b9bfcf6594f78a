import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EXPORTERS, type Exporter } from '@longhand/sdk';
import { EXPORT_FORMATS } from '@longhand/sdk/internal';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneId } from '../flags/command.ts';
import { valueFlag } from '../flags/flag.ts';
import { LOG_LEVEL } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { file, listed, oneOf } from '../flags/value.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { readMaterial } from '../stored/material.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter } from '../view/reporter.ts';

/** As a file, standard output. */
const STDOUT = '-';

const FLAGS = {
  to: {
    format: valueFlag(oneOf('FORMAT', EXPORT_FORMATS), {
      name: 'format',
      help: listed(EXPORT_FORMATS.map((format) => `${format} (${EXPORTERS[format].about})`)),
      default: 'v0',
    }),
    out: valueFlag(file, {
      name: 'out',
      short: 'o',
      help: 'the file to write, - for standard output; with --format events the folder',
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
  const material = await readMaterial(id, directory, warn);
  const { folder, text }: Exporter = EXPORTERS[format];
  if (folder !== undefined) {
    await exportFolder((target) => folder(material, target), format, out);
    process.stderr.write(`wrote ${out}\n`);
  }
  const content = await text?.(material, { speaker: agentRole });
  if (content === undefined) return EXIT.ok;
  if (out === undefined || out === STDOUT) process.stdout.write(content);
  else {
    writeWholeFile(resolve(out), content);
    process.stderr.write(`wrote ${out}\n`);
  }
  return EXIT.ok;
}

/** Made under another name and moved into place when it is complete. */
async function exportFolder(
  write: (directory: string) => Promise<void>,
  format: string,
  out: string | undefined,
): Promise<void> {
  if (out === undefined || out === STDOUT)
    throw new UsageError(`--format ${format} writes a folder: name it with --out DIR`);
  const target = resolve(out);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new UsageError(`--out: ${out} exists already and is not empty`);
  const unfinished = join(dirname(target), `.longhand-export-${process.pid}.tmp`);
  try {
    await write(unfinished);
    rmSync(target, { recursive: true, force: true });
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new UsageError(`--out: ${out} cannot be written: ${(error as Error).message}`);
  }
}
