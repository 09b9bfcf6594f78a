import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  LLM_FIELDS,
  type LlmKey,
  llmSetting,
  readVariable,
  resolveModel,
  writeSetting,
} from '@longhand/sdk/internal';
import { nearest } from '@longhand/sdk/value';
import { ENVIRONMENT, readSettings, type Settings } from '../config/config.ts';
import { withKey } from '../config/edit-toml.ts';
import { userConfigFile } from '../config/home.ts';
import { isTable, type Table } from '../config/toml-values.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fileFault } from '../file-fault.ts';
import { type Asked, defineCommand, type Words } from '../flags/command.ts';
import { onFlag } from '../flags/flag.ts';
import { LOG_LEVEL } from '../flags/shared-flags.ts';
import { MODEL } from '../flags/table.ts';
import { readStdin } from '../run/standard-input.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';
import { tableLines } from '../view/table.ts';

const FLAGS = {
  model: MODEL,
  change: { unset: onFlag({ name: 'unset', help: 'remove the key from the file' }) },
  output: { logLevel: LOG_LEVEL },
};

const KEYS = Object.keys(LLM_FIELDS) as LlmKey[];

interface Change {
  readonly key?: LlmKey | undefined;
  readonly value?: string | undefined;
}

const keyAndValue: Words<Change> = {
  completion: KEYS,
  read: ([word, value, more]) => {
    if (more !== undefined)
      throw new UsageError(`config takes a key and a value, but was also given "${more}"`);
    const key = KEYS.find((each) => each === word);
    if (word !== undefined && key === undefined) {
      const near = nearest(word, KEYS);
      throw new UsageError(
        `[llm] has no key "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
    return { key, value };
  },
};

/** `longhand config`: the settings of the model, where each comes from, and a way to store them. */
export const config = defineCommand({
  name: 'config',
  about:
    'longhand config: prints the settings of the model and where each comes from, with keys masked.\nlonghand config KEY VALUE: stores one in [llm] of ~/.longhand/config.toml, or of the file of --config. "-" reads the value from\nstandard input, which keeps a key out of the history of your shell: longhand config api_key - < key.txt',
  flags: FLAGS,
  words: keyAndValue,
  run: configure,
});

async function configure({ words, model, change, output }: Asked<typeof FLAGS, Change>): Promise<ExitCode> {
  const { key, value } = words;
  if (value !== undefined || change.unset) {
    if (key === undefined) throw new UsageError('--unset needs a key: longhand config KEY --unset');
    if (value !== undefined && change.unset) throw new UsageError('--unset takes no value');
    const path = model.configFile ?? userConfigFile();
    await store(path, key, change.unset ? undefined : await written(key, value));
    process.stdout.write(`${path}\n`);
    return EXIT.ok;
  }
  const reporter = createReporter(output, process, process.env);
  const settings = await readSettings({ model }, process.env, process.cwd());
  settings.warnings.forEach(reporter.warn);
  const rows = KEYS.filter((each) => key === undefined || each === key).flatMap((each) =>
    rowOf(each, settings),
  );
  if (rows.length > 0)
    process.stdout.write(
      `${tableLines(rows, 'padEnd')
        .map((line) => line.trimEnd())
        .join('\n')}\n`,
    );
  else
    reporter.say(
      key === undefined
        ? 'nothing is set; longhand config model PROVIDER/MODEL sets the model'
        : `${key} is not set`,
    );
  return EXIT.ok;
}

function rowOf(key: LlmKey, settings: Settings): string[][] {
  const { llm, origin } = settings;
  const value = llmSetting(llm, key);
  if (value === undefined) return key === 'api_key' ? providerKey(settings) : [];
  const from = origin[key] === ENVIRONMENT ? `$LLM_${key.toUpperCase()}` : (origin[key] ?? 'the config file');
  return [[key, sanitizeLine(shown(key, value)), `from ${from}`]];
}

/** The key that a provider's own variable holds, such as OPENAI_API_KEY. */
function providerKey({ llm: { model, endpoint } }: Settings): string[][] {
  if (model === undefined) return [];
  const { keyVariables = [] } = resolveModel(model, endpoint);
  const found = keyVariables.find((name) => process.env[name]);
  return found === undefined ? [] : [['api_key', MASK, `from $${found}`]];
}

const MASK = '**********';

/** Keys, the members of tables (headers may hold tokens) and passwords in addresses are masked. */
function shown(key: LlmKey, value: unknown): string {
  const { kind } = LLM_FIELDS[key];
  if (kind === 'secret') return MASK;
  if (isTable(value) && kind !== 'table of switches')
    return JSON.stringify(Object.fromEntries(Object.keys(value).map((name) => [name, MASK])));
  const inFile = writeSetting(kind, value);
  return typeof inFile === 'string' ? inFile.replace(/\/\/[^/@]*@/, `//${MASK}@`) : JSON.stringify(inFile);
}

/** The value as a file holds it. Throws UsageError, which never contains a secret. */
async function written(key: LlmKey, given: string | undefined): Promise<unknown> {
  const { kind } = LLM_FIELDS[key];
  const words = given === '-' ? (await readStdin()).trim() : (given ?? '');
  if (words === '') throw new UsageError(`the value of ${key} is empty; --unset removes it`);
  if (typeof kind === 'string' && kind.startsWith('table'))
    throw new UsageError(`${key} is a table; write it into the config file`);
  try {
    return writeSetting(kind, readVariable(kind, words));
  } catch (error) {
    throw new UsageError(`${key} ${(error as Error).message}`);
  }
}

/** Readable by its owner only. Throws UsageError if the file cannot be changed without touching anything else. */
async function store(path: string, key: LlmKey, value: unknown): Promise<void> {
  const { parse, stringify } = await import('smol-toml');
  const source = existsSync(path) ? read(path) : '';
  const changed = withKey(
    source,
    'llm',
    key,
    value === undefined ? undefined : stringify({ [key]: value }).trim(),
  );
  const tableOf = (text: string): Table => {
    const table: Table = parse(text);
    return { ...table, llm: { ...(isTable(table['llm']) ? table['llm'] : {}), [key]: value } };
  };
  try {
    const { [key]: found } = { ...(parse(changed)['llm'] as Table | undefined) };
    if (isDeepStrictEqual(found, value) && isDeepStrictEqual(tableOf(changed), tableOf(source)))
      return writeWholeFile(existsSync(path) ? realpathSync(path) : path, changed, 0o600);
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
  throw new UsageError(`${path} is not valid TOML, or writes ${key} in an unusual way; change it by hand`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${fileFault(error)}`);
  }
}
