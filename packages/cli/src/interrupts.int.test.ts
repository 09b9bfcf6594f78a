import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Running } from '../test-support/command.ts';

/** The agent runs a command that takes long; asked again, it finishes. */
async function running(
  t: TestContext,
): Promise<{ run: Running; resume: () => Promise<{ code: number | null; stdout: string }> }> {
  const place = makePlace(t);
  const server = await startModelServer(({ body }) =>
    (body['messages'] as object[]).length < 3
      ? { toolCalls: [{ name: 'terminal', arguments: { command: 'echo begun; sleep 600.25' } }] }
      : { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] },
  );
  t.after(() => server.close());
  const run = place.start(['-t', 'wait', '--model', 'openai/test-model', '--base-url', `${server.url}/v1`]);
  await run.shows('$ echo begun');
  await sleep(300); // the command is shown just before it is typed
  return { run, resume: () => place.longhand(['--quiet', '--resume']) };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends the run in order with exit code 130; it can be resumed`, async (t) => {
    const { run, resume } = await running(t);
    run.child.kill(signal);
    const { code, stdout } = await run.result;
    assert.equal(code, 130);
    assert.match(stdout, /interrupted after .*\nresume: {2}longhand --resume [0-9a-f]{8}\n/);
    const { code: resumed, stdout: said } = await resume();
    assert.deepEqual([resumed, said], [0, 'done\n']);
  });
}

test('a second signal ends it at once; it can be resumed', async (t) => {
  const { run, resume } = await running(t);
  run.child.kill('SIGINT');
  run.child.kill('SIGTERM');
  assert.equal((await run.result).code, 130);
  const { code, stdout } = await resume();
  assert.deepEqual([code, stdout], [0, 'done\n']);
});

test('killed without warning, it can be resumed', async (t) => {
  const { run, resume } = await running(t);
  run.child.kill('SIGKILL');
  await run.result;
  const { code, stdout } = await resume();
  assert.deepEqual([code, stdout], [0, 'done\n']);
});

test('a reader that goes away ends the run without a word', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({
    toolCalls: [{ name: 'terminal', arguments: { command: 'seq 1 500' } }],
  }));
  t.after(() => server.close());
  const run = place.start([
    '--json',
    '-t',
    'count',
    '--model',
    'openai/test-model',
    '--base-url',
    `${server.url}/v1`,
  ]);
  await run.shows('SystemPromptEvent');
  run.child.stdout?.destroy();
  const { code, stderr } = await run.result;
  assert.deepEqual([code, stderr], [130, '']);
});

test('standard output on a disk that is full: an exit code and one line, and a run ends in order', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('needs /dev/full');
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'done' }));
  t.after(() => server.close());
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  for (const args of [['agents'], ['-t', 'x', '--json', ...model]]) {
    const { code, stderr } = await place.start(args, { stdout: full }).result;
    assert.equal(code, 1);
    assert.match(stderr, /^longhand: cannot write to standard output: ENOSPC[^\n]*\n$/);
  }
});

test('a reader that takes its time gets all of it', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'x'.repeat(1_000_000) }));
  t.after(() => server.close());
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  const slow = async (...args: string[]) => {
    const run = place.start(args);
    run.child.stdout?.pause();
    await sleep(1_500);
    run.child.stdout?.resume();
    return (await run.result).stdout;
  };
  const told = await slow('-t', 'go', '--json', ...model);
  assert.ok(/\n\{"schema_version":1,"type":"outcome".*\}\n$/.test(told));
  const id = (JSON.parse(told.split('\n')[0] ?? '') as { conversation_id: string }).conversation_id;
  assert.ok((await slow('show', id, '--json')).length > 1_000_000);
});
