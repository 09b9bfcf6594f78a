import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from './capture.ts';
import { openLocalWorkspace } from './local-workspace.ts';

const workspace = openLocalWorkspace(import.meta.dirname);
after(() => workspace.close());

const sh = (script: string, options: Partial<Parameters<typeof capture>[2]> = {}) =>
  capture(workspace, ['sh', '-c', script], { timeoutMs: 60_000, ...options });

/** Resolves when there is no such process; one that has ended is there until its end was looked at. */
async function gone(pid: string): Promise<void> {
  try {
    for (;;) {
      process.kill(Number(pid), 0);
      await sleep(5);
    }
  } catch {
    return;
  }
}

test('the output of a program by stream and in order, and its exit', async () => {
  const captured = await sh('read line; echo "$line"; sleep 0.1; echo err >&2; sleep 0.1; echo out; exit 3', {
    input: 'first\n',
  });
  assert.deepEqual(captured, {
    exit: { code: 3, signal: null },
    stdout: 'first\nout\n',
    stderr: 'err\n',
    output: 'first\nerr\nout\n',
  });
});

test('input larger than a pipe does not block if the program reads nothing', async () => {
  assert.equal((await sh('exit 0', { input: 'x'.repeat(1_000_000) })).exit?.code, 0);
});

test('each stream is cut at the limit', async () => {
  const { stdout, stderr } = await sh('yes | head -c 500000; echo why >&2', { maxBytes: 1_000 });
  assert.deepEqual([stdout.length, stderr], [1_000, 'why\n']);
});

test('after a timeout the program has ended, and its output so far is returned', async () => {
  const { exit, stdout } = await sh('echo $$; exec sleep 600', { timeoutMs: 500 });
  assert.equal(exit, null);
  await gone(stdout.trim());
});

test('an interrupt rejects with its reason, and ends the program', async () => {
  const interrupted = new AbortController();
  const running = sh('exec sleep 600', { signal: interrupted.signal });
  interrupted.abort(new Error('enough'));
  await assert.rejects(running, /enough/);
  await assert.rejects(sh('exit 0', { signal: interrupted.signal }), /enough/);
});

test('a missing program is a WorkspaceError', async () => {
  await assert.rejects(capture(workspace, ['no-such-program'], { timeoutMs: 1_000 }), {
    name: 'WorkspaceError',
    code: 'not_found',
  });
});
