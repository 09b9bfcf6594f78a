import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS, commandNamed } from '../commands/registry.ts';
import { UsageError } from '../usage-error.ts';
import type { Command } from './command.ts';
import { type Environment, variableOf } from './environment.ts';
import type { Flag } from './flag.ts';
import { flagsIn } from './groups.ts';
import { INFORM } from './table.ts';

/** A value that each flag takes; others take a word. */
const VALUES: { readonly [name: string]: string } = {
  'log-level': 'debug',
  'max-iterations': '7',
  'max-budget': '0.5',
  'max-total-budget': '2.5',
  'max-tokens': '1000',
  'max-time': '15m',
  'base-url': 'http://127.0.0.1:1/v1',
  id: '1a2b3c4d-0000-4000-8000-000000000000',
  at: '3',
  jobs: '8',
  limit: '3',
  format: 'v0',
  status: 'stuck',
  'agent-role': 'assistant',
};

/** What a command needs besides. */
const WORDS: { readonly [command: string]: readonly string[] } = {
  show: ['1a2b'],
  fork: ['1a2b'],
  rm: ['1a2b'],
  replay: ['1a2b'],
  export: ['1a2b'],
  import: ['file'],
  stats: ['1a2b'],
  batch: ['tasks.jsonl', '--out=out'],
  completion: ['bash'],
  config: ['timeout'],
};
/** And a flag. */
const COMPANIONS: { readonly [name: string]: readonly string[] } = {
  branch: ['--repo=own/er'],
  'agent-role': ['--format=openai'],
};

const loaded = await Promise.all(COMMANDS.map(({ load }) => load()));

function parsed(command: Command | undefined, argv: readonly string[], env: Environment) {
  const invocation = command?.parse(argv, env);
  return invocation?.wants === 'run' ? invocation.asked : invocation?.wants;
}

for (const command of loaded)
  for (const flag of flagsIn(command.flags)) {
    const variable = variableOf(flag) ?? '';
    if (flag.name === 'out' && command.name === 'batch') continue; // stands in the words above
    test(`longhand ${command.name}: $${variable} sets what --${flag.name} sets`, () => {
      const { words, value } = wordsOf(flag);
      const others = [...(WORDS[command.name] ?? []), ...(COMPANIONS[flag.name] ?? [])];
      const byFlag = parsed(command, [...others, ...words], {});
      assert.deepEqual(parsed(command, others, { [variable]: value }), byFlag);
      assert.notDeepEqual(byFlag, parsed(command, others, {}));
    });
  }

function wordsOf({ name, takes }: Flag): { readonly words: readonly string[]; readonly value: string } {
  if (takes === 'nothing') return { words: [`--${name}`], value: '1' };
  const sample = VALUES[name] ?? 'word';
  return { words: [`--${name}=${sample}`], value: sample };
}

test('every flag has a variable, but for --help and --version', () => {
  const without = loaded
    .flatMap(({ flags }) => flagsIn({ ...flags, ...INFORM }))
    .filter((flag) => variableOf(flag) === undefined);
  assert.deepEqual(new Set(without.map(({ name }) => name)), new Set(['help', 'version']));
});

/** A run, unless the first word is a command. */
const parse = (line: string, env: Environment) => {
  const words = line.split(' ');
  const named = commandNamed(words[0]);
  const command = loaded.find(({ name }) => name === (named?.name ?? 'run'));
  return parsed(command, named === undefined ? words : words.slice(1), env);
};

test('a flag overrides its variable, and the variable of a flag that it excludes', () => {
  assert.deepEqual(parse('-t a --model x', { LONGHAND_MODEL: 'y' }), parse('-t a --model x', {}));
  const env = { LONGHAND_TASK: 'b', LONGHAND_QUIET: 'true', LONGHAND_RESUME: 'true', LONGHAND_RECORD: 'r' };
  assert.deepEqual(parse('-f a --json -n mine --replay p', env), parse('-f a --json -n mine --replay p', {}));
  assert.deepEqual(parse('-', { LONGHAND_FILE: 'b' }), parse('-', {}));
});

test('a switch is on for 1 and true, off for 0, false and an empty variable; lists are separated by commas', () => {
  for (const off of ['0', 'false', ''])
    assert.deepEqual(parse('-t a', { LONGHAND_JSON: off }), parse('-t a', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_JSON: 'true' }), parse('-t a --json', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_PLUGIN: 'x,y' }), parse('-t a --plugin x --plugin y', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_RESUME: 'true' }), parse('-t a --resume', {}));
  assert.throws(
    () => parse('-t a', { LONGHAND_QUIET: 'yes' }),
    (error) => error instanceof UsageError && error.message === '$LONGHAND_QUIET must be 1 or 0, not "yes"',
  );
});

test('a message about a wrong value names where it came from', () => {
  const complaint = (line: string, env: Environment) => {
    try {
      parse(line, env);
    } catch (error) {
      return (error as UsageError).message;
    }
    return undefined;
  };
  const env = { LONGHAND_MAX_ITERATIONS: 'many', LONGHAND_BRANCH: 'b' };
  assert.equal(
    complaint('-t a', env),
    '$LONGHAND_MAX_ITERATIONS must be a whole number of at least 1, not "many"',
  );
  assert.equal(
    complaint('-t a -i some', env),
    '--max-iterations must be a whole number of at least 1, not "some"',
  );
  assert.equal(complaint('-t a -i 1', env), '$LONGHAND_BRANCH needs --repo');
});

test('variables of other commands are ignored', () => {
  assert.deepEqual(parse('ls', { LONGHAND_TASK: 'x', LONGHAND_MODEL: 'y' }), parse('ls', {}));
});
