import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRunning, tryTerminal } from '../../test-support/try-terminal.ts';

const PID = 'echo $$';

test('parallel calls get their own shells in the folder of the first; later calls use the first', async (t) => {
  const { folder, run, tool } = await tryTerminal(t);
  tool.prepare?.({ workspace: {} as never });
  tool.prepare?.({ workspace: {} as never });
  await run('mkdir d && cd d');
  const [first, second, third] = await Promise.all([
    run(`sleep 0.3; ${PID}`),
    run(`sleep 0.3; ${PID}; pwd`),
    run(`sleep 0.3; ${PID}`),
  ]);
  assert.equal(new Set([first.said, second.said.split('\n')[0], third.said]).size, 3);
  assert.ok(second.said.endsWith(`\n${folder}/d`));
  assert.equal((await run(PID)).said, first.said);
  await run('cd ..');
  const [again, reused] = await Promise.all([run(`sleep 0.3; ${PID}`), run(`${PID}; pwd`)]);
  assert.equal(again.said, first.said);
  assert.equal(reused.said, `${second.said.split('\n')[0]}\n${folder}`);
  assert.deepEqual(tool.resources?.({ command: '', is_input: false, reset: false } as never), []);
});

test('input and empty commands go to the shell whose command was left running last', async (t) => {
  const { run, input } = await tryTerminal(t);
  const [slow, asks] = await Promise.all([
    run('sleep 0.4; echo slept'),
    run('read -p "A? " a && echo "got $a"', { timeout: 1.2 }),
  ]);
  assert.equal(slow.said, 'slept');
  assertRunning(asks);
  assert.equal((await run('echo meanwhile')).said, 'meanwhile');
  assert.equal((await input('x')).said, 'got x');
});

test('with one shell, calls wait for each other', async (t) => {
  const { run, tool } = await tryTerminal(t, { max_panes: 1 });
  assert.deepEqual(tool.resources?.({ command: '', is_input: false, reset: false } as never), [
    'terminal:session',
  ]);
  const [first, second] = await Promise.all([run(`sleep 0.2; ${PID}`), run(PID)]);
  assert.equal(first.said, second.said);
});

test('when all shells are busy a call waits for one of them', async (t) => {
  const { run } = await tryTerminal(t, { max_panes: 2 });
  const told = await Promise.all([1, 2, 3, 4, 5].map((i) => run(`sleep 0.1; ${PID}; echo ${i}`)));
  assert.deepEqual(
    told.map(({ said }) => said.split('\n')[1]),
    ['1', '2', '3', '4', '5'],
  );
  assert.equal(new Set(told.map(({ said }) => said.split('\n')[0])).size, 2);
});

test('a reset spares shells in use, and several resets may run at once', async (t) => {
  const { run } = await tryTerminal(t);
  const [, before] = await Promise.all([run('sleep 0.2'), run('B=kept; echo $B')]);
  assert.equal(before.said, 'kept');
  const calls = [run(`A=1; sleep 0.3; ${PID}`), run('sleep 1; echo "$B here"', { timeout: 20 })] as const;
  await sleep(100);
  const resets = [1, 2, 3].map(() => run('', { reset: true }));
  const [first, second] = await Promise.all(calls);
  for (const { exit } of await Promise.all(resets)) assert.equal(exit, 0);
  assert.equal(second.said, 'kept here');
  assert.notEqual((await run(`${PID}`)).said, first.said);
  assert.equal((await run('echo "[$A]"')).said, '[]');
});

test('a closed terminal stays closed', async (t) => {
  const { run, tool } = await tryTerminal(t);
  await run('true');
  await tool.close?.();
  await assert.rejects(run('true'), /closed/);
});
