import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentText, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

const finish: Reply = { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] };

/** Resolves to the number in a file, once it is there. */
async function pidIn(path: string): Promise<number> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await sleep(10);
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('programs of a killed run are ended when it is resumed, and the result of the cut call says so', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (t) => {
  const { work, start, longhand } = makePlace(t);
  // Deaf to the hangup of its terminal, and one of them in a session of its own.
  const command =
    "trap '' HUP; setsid sh -c 'echo $$ > sleeper; exec sleep 600' & echo $BASHPID > shell; sleep 600; echo late >> l.txt";
  const results: string[] = [];
  const server = await startModelServer(({ body }) => {
    const messages = body['messages'] as { role: string; content: unknown }[];
    results.push(
      ...messages.filter(({ role }) => role === 'tool').map(({ content }) => contentText(content)),
    );
    return results.length > 0 ? finish : { toolCalls: [{ name: 'terminal', arguments: { command } }] };
  });
  t.after(() => server.close());
  const run = start(['-t', 'wait', '--model', 'x', '--base-url', `${server.url}/v1`]);
  const pids = [await pidIn(join(work, 'sleeper')), await pidIn(join(work, 'shell'))];
  t.after(() => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  run.child.kill('SIGKILL');
  await run.result;
  assert.deepEqual(pids.map(isRunning), [true, true]);
  const { code, stdout, stderr } = await longhand(['--json', '--resume']);
  assert.equal(code, 0);
  const lines = stdout.split('\n').filter((line) => line.includes('"kind":"AgentErrorEvent"'));
  assert.deepEqual(
    [lines.length, lines[0]?.includes('ended before the result')],
    [1, true],
    'recovery is told',
  );
  assert.match(stderr, /the previous run was killed: \d programs were still running/);
  assert.deepEqual(pids.map(isRunning), [false, false]);
  assert.equal(existsSync(join(work, 'l.txt')), false);
  assert.match(
    results[0] ?? '',
    /ended before the result .* \d programs were still running .* and were ended\.$/,
  );
});
