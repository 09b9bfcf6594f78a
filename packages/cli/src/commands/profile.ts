import type { LlmConfig } from '@longhand/sdk';
import { listProfiles, llmToWire, removeProfile, saveProfile } from '@longhand/sdk/internal';
import { readSettings } from '../config/config.ts';
import { profileDirectories } from '../config/home.ts';
import { namedLlm } from '../config/named-models.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, type Words } from '../flags/command.ts';
import { onFlag } from '../flags/flag.ts';
import { LOG_LEVEL } from '../flags/shared-flags.ts';
import { MODEL, type ModelOptions, STORE } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';

const FLAGS = {
  model: MODEL,
  key: {
    withSecrets: onFlag({
      name: 'with-key',
      help: 'store the key in the file too, readable by its owner only',
    }),
  },
  output: { logLevel: LOG_LEVEL },
  store: STORE,
};

const ACTIONS = ['list', 'show', 'save', 'remove'] as const;

interface Action {
  readonly action: (typeof ACTIONS)[number];
  /** Empty for `list`. */
  readonly name: string;
}

const actionAndName: Words<Action> = {
  completion: ACTIONS,
  read: ([word = 'list', name, more]) => {
    const action = ACTIONS.find((each) => each === word);
    if (action === undefined)
      throw new UsageError(`profile takes one of ${ACTIONS.join(', ')}, not "${word}"`);
    if (action !== 'list' && name === undefined) throw new UsageError(`profile ${action} needs a name`);
    const stray = action === 'list' ? name : more;
    if (stray !== undefined) throw new UsageError(`profile ${action} takes no "${stray}"`);
    return { action, name: name ?? '' };
  },
};

/** `longhand profile`: models under names of the user's own. */
export const profile = defineCommand({
  name: 'profile',
  about:
    'longhand profile list | show NAME | save NAME | remove NAME: keeps models under names, in ~/.longhand/profiles. Profiles of\nOpenHands in ~/.openhands/profiles are found as well. "save" stores the settings that flags, environment and files give.',
  flags: FLAGS,
  words: actionAndName,
  run: manage,
});

async function manage({
  words: { action, name },
  model,
  key,
}: Asked<typeof FLAGS, Action>): Promise<ExitCode> {
  const [own, reference] = profileDirectories();
  switch (action) {
    case 'list':
      return list([own, reference]);
    case 'show':
      return print(redacted(namedLlm(name, {}, [])));
    case 'save':
      return await save(model, name, own, key.withSecrets);
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

/** Saves what flags, environment and config files say. */
async function save(
  model: ModelOptions,
  name: string,
  directory: string,
  withSecrets: boolean,
): Promise<ExitCode> {
  const { llm } = await readSettings({ model }, process.env, process.cwd());
  if (llm.model === undefined) throw new UsageError('profile save needs a model: give --model');
  const { fallbacks: _, routing: __, ...config } = { ...llm, model: llm.model };
  const path = await named(() => saveProfile(directory, name, config, { withSecrets }));
  const left =
    config.endpoint?.apiKey !== undefined && !withSecrets ? ' (without its key; --with-key stores it)' : '';
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
