import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place, type Running } from '../test-support/command.ts';

interface Interruptible {
  readonly place: Place;
  readonly run: Running;
  readonly resume: () => Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** The agent runs a command that takes long; asked again, it finishes. */
async function running(t: TestContext, command = 'touch begun; sleep 600.25'): Promise<Interruptible> {
  const place = makePlace(t);
  const server = await startModelServer(({ body }) =>
    (body['messages'] as object[]).length < 3
      ? { toolCalls: [{ name: 'terminal', arguments: { command } }] }
      : { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] },
  );
  t.after(() => server.close());
  const run = place.start(['-t', 'wait', '--model', 'openai/test-model', '--base-url', `${server.url}/v1`]);
  await run.shows(`$ ${command}`);
  while (!existsSync(join(place.work, 'begun'))) await sleep(20);
  return { place, run, resume: () => place.longhand(['--quiet', '--resume']) };
}

const RESUME = /\ninterrupted after .*\nresume: {2}longhand --resume [0-9a-f]{8}\n/;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends the run in order with exit code 130; it can be resumed`, async (t) => {
    const { run, resume } = await running(t);
    run.child.kill(signal);
    const { code, stdout } = await run.result;
    assert.equal(code, 130);
    assert.match(stdout, RESUME);
    const { code: resumed, stdout: said } = await resume();
    assert.deepEqual([resumed, said], [0, 'done\n']);
  });
}

test('the first signal shows an effect while a command runs; the second does not wait for the command, says how to resume and leaves the conversation paused', async (t) => {
  const { place, run, resume } = await running(t, "trap '' INT; touch begun; while :; do sleep 600.25; done");
  run.child.kill('SIGINT');
  await run.shows('interrupting; press Ctrl-C again');
  run.child.kill('SIGINT');
  const { code, stdout } = await run.result;
  assert.equal(code, 130);
  assert.match(stdout, RESUME);
  const { stdout: list } = await place.longhand(['ls', '--json']);
  assert.equal(JSON.parse(list).status, 'paused');
  const resumed = await resume();
  assert.deepEqual([resumed.code, resumed.stdout], [0, 'done\n']);
});

test('a first signal while the model is asked shows an effect and ends the run', async (t) => {
  const place = makePlace(t);
  const asked = Promise.withResolvers<void>();
  const server = await startModelServer(() => {
    asked.resolve();
    return { text: 'too late', delayMs: 600_000 };
  });
  t.after(() => server.close());
  const run = place.start(['-t', 'wait', '--model', 'openai/test-model', '--base-url', `${server.url}/v1`]);
  await asked.promise;
  run.child.kill('SIGINT');
  const { code, stdout } = await run.result;
  assert.equal(code, 130);
  assert.match(stdout, /\ninterrupting; .*\n\ninterrupted after /);
  assert.match(stdout, RESUME);
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

test('one signal ends the process at the deadline, whatever hangs', async () => {
  const interrupts = JSON.stringify(join(import.meta.dirname, 'interrupts.ts'));
  const hanging = {
    'the orderly end': 'onInterrupt(() => undefined, undefined, 50)',
    'the hurried end too': 'onInterrupt(() => undefined, () => undefined, 50)',
    'what comes after it': 'const off = onInterrupt(() => off(), () => { throw new Error("late") }, 50)',
  };
  for (const [what, script] of Object.entries(hanging)) {
    const source = `import { onInterrupt } from ${interrupts}; ${script}; setInterval(() => {}, 1000); console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    assert.equal(code, 130, what);
  }
});

test('a hook that does not end does not keep the process: one signal ends it, and the conversation is paused', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'too late', delayMs: 600_000 }));
  t.after(() => server.close());
  const hooks = { session_end: [{ hooks: [{ command: "trap '' TERM; sleep 600.25", timeout: 900 }] }] };
  writeFileSync(join(place.work, 'hooks.json'), JSON.stringify(hooks));
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  const run = place.start(['-t', 'wait', '--hooks', 'hooks.json', ...model]);
  await run.shows('wait');
  while (server.requests.length === 0) await sleep(20);
  run.child.kill('SIGTERM');
  const { code, stdout } = await run.result;
  assert.equal(code, 130);
  assert.match(stdout, RESUME);
  const { stdout: list } = await place.longhand(['ls', '--json']);
  assert.equal(JSON.parse(list).status, 'paused');
});
