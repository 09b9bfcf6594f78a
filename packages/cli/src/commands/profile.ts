import { type LlmConfig, listProfiles, llmToWire, removeProfile, saveProfile } from '@longhand/sdk';
import { readSettings } from '../config/config.ts';
import { profileDirectories } from '../config/home.ts';
import { namedLlm } from '../config/named-models.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { ProfileCommand } from '../flags/commands.ts';
import { UsageError } from '../usage-error.ts';

/** `longhand profile`: models under names of the user's own. */
export async function profile(command: ProfileCommand): Promise<ExitCode> {
  const [own, reference] = profileDirectories();
  const name = command.name ?? '';
  switch (command.action) {
    case 'list':
      return list([own, reference]);
    case 'show':
      return print(redacted(namedLlm(name, {}, [])));
    case 'save':
      return await save(command, name, own);
    case 'remove':
      if (!named(() => removeProfile(own, name)))
        throw new UsageError(`there is no profile "${name}" in ${own}`);
      return EXIT.ok;
  }
}

function list(directories: readonly string[]): ExitCode {
  for (const name of new Set(directories.flatMap(listProfiles))) process.stdout.write(`${name}\n`);
  return EXIT.ok;
}

/** What the flags, the environment and the files say now. */
async function save(command: ProfileCommand, name: string, directory: string): Promise<ExitCode> {
  const { llm } = await readSettings(command, process.env, process.cwd());
  if (llm.model === undefined) throw new UsageError('profile save needs a model: give --model');
  const { fallbacks: _, routing: __, ...config } = { ...llm, model: llm.model };
  const path = await named(() => saveProfile(directory, name, config, { withSecrets: command.withSecrets }));
  const left =
    config.endpoint?.apiKey !== undefined && !command.withSecrets
      ? ' (without its key; --with-key stores it)'
      : '';
  process.stdout.write(`${path}${left}\n`);
  return EXIT.ok;
}

function redacted(config: LlmConfig): object {
  return llmToWire(config, () => '**********');
}

function print(value: object): ExitCode {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  return EXIT.ok;
}

function named<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
