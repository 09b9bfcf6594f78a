import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesIn } from './toml-lines.ts';

test('the lines of sections, keys and dotted keys are found', () => {
  const lineOf = linesIn(
    'top = 1\nllm.model = "x"\n\n[core]\na = 1\n  "b c" = 2\n[ "odd.one" ]\na = 3\n[[list]]\na = 4\n[llm.fast]\nb.c = 1',
  );
  assert.deepEqual(
    [
      lineOf('top'),
      lineOf('llm', 'model'),
      lineOf('core'),
      lineOf('core', 'a'),
      lineOf('core', 'b c'),
      lineOf('core', 'nowhere'),
      lineOf('odd.one', 'a'),
      lineOf('llm.fast', 'b'),
      lineOf('list', 'a'),
      lineOf('constructor', 'a'),
    ],
    [':1', ':2', ':4', ':5', ':6', ':4', ':8', ':12', '', ''],
  );
});

test('a key of a megabyte is found', () => {
  const name = 'a'.repeat(1_000_000);
  assert.equal(linesIn(`[core]\n${name} = 1`)('core', name), ':2');
});

test('100,000 keys are found in linear time', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => `k${i}`);
  const lineOf = linesIn(`[core]\n${names.map((name) => `${name} = 1`).join('\n')}`);
  // Looked for one by one in the text, they would take an hour.
  assert.ok(names.every((name, i) => lineOf('core', name) === `:${i + 2}`));
});
