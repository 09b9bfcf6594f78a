import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUIET, tryTerminal } from '../../test-support/try-terminal.ts';
import { dataLiteral } from './bash/literal-guard.ts';
import { foregroundCap } from './settings.ts';

const LITERALS = {
  '[[1,2],[3]]': 'nested list literal',
  '[{"a":1}]': 'list literal',
  '  ["x"]': 'list literal',
  "\t['x']": 'list literal',
  '{"a":1}': 'dict literal',
  "{'a':1}": 'dict literal',
};

test('lists and objects are refused without reaching the shell', async (t) => {
  const { run } = await tryTerminal(t);
  for (const [literal, kind] of Object.entries(LITERALS)) {
    const { isError, said, exit, observation } = await run(literal);
    assert.deepEqual([isError, exit, observation['command']], [true, undefined, literal.trim()]);
    assert.ok(said.includes(kind) && said.includes(literal.trim()), said);
  }
  const long = await run(`["${'x'.repeat(500)}"]`);
  assert.ok(long.said.includes(`["${'x'.repeat(58)}\n`) && !long.said.includes('x'.repeat(59)));
});

test('bracket tests, groups and arguments with data are commands', async (t) => {
  const { run } = await tryTerminal(t);
  for (const command of ['[ -d / ]', '[[ -z $V ]]', '{ ls; }', "echo '[1, 2]'"]) {
    assert.equal((await run(command)).exit, 0);
  }
  for (const command of ['[ -f x ]', `curl -d '{"a":1}' u`, '[', '{', '', '  ']) {
    assert.equal(dataLiteral(command), null);
  }
});

test('a list is valid input', async (t) => {
  const { run, input } = await tryTerminal(t, QUIET);
  await run('cat');
  assert.equal((await input('["x"]')).said, '["x"]');
});

test('a timeout beyond the idle limit of the machine is refused', async (t) => {
  process.env['OH_RUNTIME_IDLE_TIMEOUT_SECONDS'] = '1200';
  t.after(() => delete process.env['OH_RUNTIME_IDLE_TIMEOUT_SECONDS']);
  const { run, input } = await tryTerminal(t, QUIET);
  assert.equal((await run('true', { timeout: 1_080 })).exit, 0);
  const refused = await run('true', { timeout: 1_500 });
  assert.deepEqual([refused.isError, refused.exit], [true, undefined]);
  for (const number of ['1500', '1200', '1080']) assert.ok(refused.said.includes(number));
  await run('read a; read b');
  await input('x');
  assert.equal((await input('x', { timeout: 1_500 })).exit, 0);
  await run('sleep 3');
  assert.equal((await run('', { timeout: 1_500 })).exit, 0);
});

test('an idle limit that is not a number of seconds sets no cap', () => {
  for (const value of [undefined, '', '  ', 'soon', '0', '-5', 'Infinity', 'NaN']) {
    assert.equal(foregroundCap(value), null);
  }
  assert.deepEqual(foregroundCap(' 1200 '), { idleSeconds: 1_200, capSeconds: 1_080 });
});
