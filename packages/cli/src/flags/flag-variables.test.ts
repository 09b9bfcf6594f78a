import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../usage-error.ts';
import { type CommandName, FLAGS } from './flag-table.ts';
import { variableOf } from './flag-variables.ts';
import type { Flag } from './flags.ts';
import { parseCommand } from './parse-command.ts';

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
  'agent-role': 'assistant',
};

/** What a command needs besides. */
const WORDS: { readonly [K in CommandName]?: readonly string[] } = {
  show: ['1a2b'],
  fork: ['1a2b'],
  replay: ['1a2b'],
  export: ['1a2b'],
  import: ['file'],
  stats: ['1a2b'],
  batch: ['tasks.jsonl', '--out=out'],
};
/** And a flag. */
const COMPANIONS: { readonly [name: string]: readonly string[] } = {
  branch: ['--repo=own/er'],
  'agent-role': ['--format=openai'],
};

const cases = (Object.keys(FLAGS) as CommandName[]).flatMap((command) =>
  FLAGS[command].flatMap((flag) => {
    const variable = variableOf(flag);
    return variable === undefined || flag.name === 'out' ? [] : [{ command, flag, variable }];
  }),
);

for (const { command, flag, variable } of cases) {
  test(`longhand ${command}: $${variable} says what --${flag.name} says`, () => {
    const { words, value } = wordsOf(flag);
    const others = [command, ...(WORDS[command] ?? []), ...(COMPANIONS[flag.name] ?? [])];
    assert.deepEqual(parseCommand(others, { [variable]: value }), parseCommand([...others, ...words]));
  });
}

function wordsOf({ name, value }: Flag): { readonly words: readonly string[]; readonly value: string } {
  if (value === undefined) return { words: [`--${name}`], value: '1' };
  const sample = VALUES[name] ?? 'word';
  return { words: [`--${name}=${sample}`], value: sample };
}

test('every flag but those that only ask for something to be told has a variable', () => {
  const without = Object.values(FLAGS)
    .flat()
    .filter((flag) => variableOf(flag) === undefined);
  assert.deepEqual(new Set(without.map(({ name }) => name)), new Set(['help', 'version']));
});

const parse = (line: string, env: { readonly [name: string]: string }) => parseCommand(line.split(' '), env);

test('a flag wins over the environment, and so does one that excludes the other', () => {
  assert.deepEqual(parse('-t a --model x', { LONGHAND_MODEL: 'y' }), parse('-t a --model x', {}));
  const env = { LONGHAND_TASK: 'b', LONGHAND_QUIET: 'true', LONGHAND_RESUME: 'true', LONGHAND_RECORD: 'r' };
  assert.deepEqual(parse('-f a --json -n mine --replay p', env), parse('-f a --json -n mine --replay p', {}));
  assert.deepEqual(parse('-', { LONGHAND_FILE: 'b' }), parse('-', {}));
});

test('switches are on for 1 and true, off for 0, false and nothing; lists have commas', () => {
  for (const off of ['0', 'false', ''])
    assert.deepEqual(parse('-t a', { LONGHAND_JSON: off }), parse('-t a', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_JSON: 'true' }), parse('-t a --json', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_PLUGIN: 'x,y' }), parse('-t a --plugin x --plugin y', {}));
  assert.deepEqual(parse('-t a', { LONGHAND_RESUME: 'true' }), parse('-t a --resume', {}));
  assert.throws(
    () => parse('-t a', { LONGHAND_QUIET: 'yes' }),
    (error) => error instanceof UsageError && error.message === '$LONGHAND_QUIET is 1 or 0, not "yes"',
  );
});

test('a value that is wrong is looked for where it came from', () => {
  const complaint = (line: string, env: { readonly [name: string]: string }) => {
    try {
      parse(line, env);
    } catch (error) {
      return (error as UsageError).message;
    }
    return undefined;
  };
  const env = { LONGHAND_MAX_ITERATIONS: 'many', LONGHAND_BRANCH: 'b' };
  assert.equal(complaint('-t a', env), '$LONGHAND_MAX_ITERATIONS is a whole number from 1 on, not "many"');
  assert.equal(complaint('-t a -i some', env), '--max-iterations is a whole number from 1 on, not "some"');
  assert.equal(complaint('-t a -i 1', env), '$LONGHAND_BRANCH needs --repo');
});

test('variables of other commands do not matter', () => {
  assert.deepEqual(parse('ls', { LONGHAND_TASK: 'x', LONGHAND_MODEL: 'y' }), parse('ls', {}));
});
