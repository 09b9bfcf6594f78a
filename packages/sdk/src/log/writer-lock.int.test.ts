import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { LogError } from './log-error.ts';
import { acquireWriterLock } from './writer-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longhand-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const isLocked = (pattern: RegExp) => (error: unknown) =>
  error instanceof LogError && error.code === 'locked' && pattern.test(error.message);

test('a second writer in the same process is told who holds the lock', async () => {
  const lock = await acquireWriterLock(directory);
  await assert.rejects(
    acquireWriterLock(directory),
    isLocked(new RegExp(`process ${process.pid} on ${hostname()} since 20`)),
  );
  lock.release();
  lock.release();
  (await acquireWriterLock(directory)).release();
  assert.deepEqual(readdirSync(directory), ['.writer.lock']);
});

test('a lock whose holder cannot be named is given back', async () => {
  mkdirSync(join(directory, 'writer.json'));
  await assert.rejects(acquireWriterLock(directory), { name: 'LogError', code: 'io' });
  rmdirSync(join(directory, 'writer.json'));
  (await acquireWriterLock(directory)).release();
});

test('the lock of a process that is killed is free at once', async () => {
  const holder = join(directory, 'holder.ts');
  writeFileSync(
    holder,
    `import { acquireWriterLock } from ${JSON.stringify(join(import.meta.dirname, 'writer-lock.ts'))};
     await acquireWriterLock(${JSON.stringify(directory)});
     console.log('held');
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, ['--conditions=longhand-source', holder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (bytes) => {
    complaint += bytes;
  });
  await once(child.stdout, 'data');
  await assert.rejects(acquireWriterLock(directory), isLocked(new RegExp(`process ${child.pid}`)));
  child.kill('SIGKILL');
  await once(child, 'exit');
  (await acquireWriterLock(directory)).release();
  assert.equal(complaint, '');
});

test("the reference's lease is honoured while it lasts and its owner lives", async () => {
  const lease = (more: object) =>
    writeFileSync(
      join(directory, 'owner_lease.json'),
      JSON.stringify({ owner_instance_id: 'server-1', generation: 1, ...more }),
    );
  const later = Date.now() / 1_000 + 45;
  lease({ expires_at: later, owner_host: 'elsewhere', owner_pid: 1 });
  await assert.rejects(acquireWriterLock(directory), isLocked(/leased to the server server-1/));
  lease({ expires_at: later, owner_host: hostname(), owner_pid: 2 ** 22 + 1 });
  (await acquireWriterLock(directory)).release();
  lease({ expires_at: 1, owner_host: 'elsewhere', owner_pid: 1 });
  (await acquireWriterLock(directory)).release();
});
