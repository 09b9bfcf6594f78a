import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isAlive } from './process-tree.ts';

test('a process that ends without closing its workspace leaves no programs', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const script = `
    const { openLocalWorkspace } = await import(${JSON.stringify(import.meta.resolve('./local-workspace.ts'))});
    const workspace = openLocalWorkspace('/');
    const program = await workspace.spawn(['sh', '-c', 'trap "" TERM HUP; setsid sleep 600 & echo $!; wait']);
    program.onOutput((bytes) => {
      console.log(program.pid, String(bytes));
      process.exit(3);
    });`;
  const child = spawn(process.execPath, ['--conditions=longhand-source', '-e', script]);
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 3);
  const pids = said.trim().split(/\s+/).map(Number);
  assert.equal(pids.length, 2);
  for (const pid of pids) {
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10)); // killed, and not reaped yet
  }
});
