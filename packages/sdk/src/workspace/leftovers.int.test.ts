import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { endMarked, listProcesses, markedIn } from './leftovers.ts';
import { openLocalWorkspace } from './local-workspace.ts';

const hasProc = { skip: process.platform !== 'linux' && 'needs /proc' };

test('only programs of the named runs are ended, with their descendants', hasProc, async (t) => {
  const name = crypto.randomUUID();
  const start = async (mark: string) => {
    const child = spawn('sh', ['-c', 'sleep 600 & echo begun; wait'], {
      env: { ...process.env, LONGHAND_PROCESS: mark },
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  };
  const [cut, other] = await Promise.all([start(`${name}.cut.1`), start(`${name}.cutter.1`)]);
  const gone = once(cut, 'exit');
  assert.deepEqual(await endMarked([`${name}.cut.`]), { ended: 2, isSure: true });
  assert.deepEqual(await gone, [null, 'SIGKILL']);
  assert.equal(other.exitCode ?? other.signalCode, null);
  assert.deepEqual(await endMarked([`${name}.cut.`]), { ended: 0, isSure: true });
  assert.deepEqual(await endMarked([`${name}.cutter.`]), { ended: 2, isSure: true });
});

test('a program that started this one is spared', hasProc, async () => {
  const name = crypto.randomUUID();
  const script = `const { endMarked } = await import(${JSON.stringify(import.meta.resolve('./leftovers.ts'))});
    console.log(JSON.stringify(await endMarked(['${name}.'])));`;
  const shell = spawn(
    'sh',
    ['-c', '"$0" --conditions=longhand-source -e "$1"; echo "after"', process.execPath, script],
    {
      env: { ...process.env, LONGHAND_PROCESS: `${name}.1` },
    },
  );
  const said: string[] = [];
  shell.stdout.on('data', (bytes) => said.push(String(bytes)));
  await once(shell, 'close');
  assert.equal(said.join(''), '{"ended":0,"isSure":true}\nafter\n');
});

test('a workspace marks what it starts with the run that took it over', async (t) => {
  const workspace = openLocalWorkspace(import.meta.dirname);
  t.after(() => workspace.close());
  await workspace.takeOver?.('conversation.run', []);
  const { promise, resolve } = Promise.withResolvers<string>();
  const program = await workspace.spawn(['sh', '-c', 'echo "$LONGHAND_PROCESS"']);
  program.onOutput((bytes) => resolve(Buffer.from(bytes).toString()));
  assert.match(await promise, /^conversation\.run\.[0-9a-f-]{36}\n$/);
});

test('marked processes are found in a list with environments', hasProc, async (t) => {
  const list = [
    '    1 /sbin/init',
    '  412 sleep 600 HOME=/root LONGHAND_PROCESS=a.run.1 LANG=C',
    '  413 sleep 600 LONGHAND_PROCESS=b.run.1',
    '  414 grep XLONGHAND_PROCESS=a.run.',
  ];
  assert.deepEqual(markedIn(list.join('\n'), ['a.run.']), [412]);
  const mark = `${crypto.randomUUID()}.run.`;
  const child = spawn('sleep', ['600'], { env: { ...process.env, LONGHAND_PROCESS: `${mark}1` } });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  assert.deepEqual(markedIn(await listProcesses(), [mark]), [child.pid]);
});
