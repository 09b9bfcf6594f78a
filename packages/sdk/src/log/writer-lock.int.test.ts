import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
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

test('a second writer in the same process gets an error that names the holder', async () => {
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

test('a lock is released if the holder cannot be written down', async () => {
  mkdirSync(join(directory, 'writer.json'));
  await assert.rejects(acquireWriterLock(directory), { name: 'LogError', code: 'io' });
  rmdirSync(join(directory, 'writer.json'));
  (await acquireWriterLock(directory)).release();
});

test('the lock of a killed process is free at once', async () => {
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
  const next = await acquireWriterLock(directory);
  assert.deepEqual(
    next.killed.map(({ pid, host }) => [pid, host]),
    [[child.pid, hostname()]],
  );
  next.release();
  const dealing = await acquireWriterLock(directory);
  assert.deepEqual(dealing.killed, next.killed, 'nobody has dealt with it');
  dealing.forgetKilled();
  dealing.release();
  const last = await acquireWriterLock(directory);
  assert.deepEqual(last.killed, []);
  last.release();
  assert.equal(complaint, '');
});

test('a holder without a name in the file is reported as another process', async () => {
  const lock = await acquireWriterLock(directory);
  rmSync(join(directory, 'writer.json'));
  await assert.rejects(acquireWriterLock(directory), isLocked(/is being written by another process$/));
  lock.release();
  (await acquireWriterLock(directory)).release();
});

const IN_A_MINUTE = Math.ceil(Date.now() / 1_000) + 60;
const DEAD = 2 ** 22 + 1;

/** A lease of the reference's server: what it adds to the owner's name, and whether it keeps us out. */
const LEASES: readonly (readonly [about: string, lease: object, isHonoured: boolean])[] = [
  ['of another host', { expires_at: IN_A_MINUTE, owner_host: 'elsewhere', owner_pid: 1 }, true],
  [
    'of another host, with the id of a dead process',
    { expires_at: IN_A_MINUTE, owner_host: 'elsewhere', owner_pid: DEAD },
    true,
  ],
  ['of this process', { expires_at: IN_A_MINUTE, owner_host: hostname(), owner_pid: process.pid }, true],
  ['of a process of another user', { expires_at: IN_A_MINUTE, owner_host: hostname(), owner_pid: 1 }, true],
  ['of this host, without a process', { expires_at: IN_A_MINUTE, owner_host: hostname() }, true],
  ['without an owner', { expires_at: IN_A_MINUTE }, true],
  [
    'of a dead process of this host',
    { expires_at: IN_A_MINUTE, owner_host: hostname(), owner_pid: DEAD },
    false,
  ],
  ['that has expired', { expires_at: 1, owner_host: 'elsewhere', owner_pid: 1 }, false],
  ['without an end', { owner_host: 'elsewhere', owner_pid: 1 }, false],
];

for (const [about, lease, isHonoured] of LEASES)
  test(`a lease of the reference's server ${about} is ${isHonoured ? 'honoured' : 'ignored'}`, async () => {
    const json = { owner_instance_id: 'server-1', generation: 1, ...lease };
    writeFileSync(join(directory, 'owner_lease.json'), JSON.stringify(json));
    if (isHonoured)
      await assert.rejects(acquireWriterLock(directory), isLocked(/leased to the server server-1/));
    else (await acquireWriterLock(directory)).release();
  });

test('an error about a lease names its owner and when it ends', async () => {
  const lease = (more: object) =>
    writeFileSync(
      join(directory, 'owner_lease.json'),
      JSON.stringify({ owner_instance_id: 'server-1', expires_at: 32_503_680_000, ...more }),
    );
  lease({ owner_host: 'elsewhere', owner_pid: 7 });
  await assert.rejects(acquireWriterLock(directory), {
    message: `${directory} is leased to the server server-1 (process 7 on elsewhere) until 3000-01-01T00:00:00.000Z`,
  });
  lease({});
  await assert.rejects(acquireWriterLock(directory), { message: /server-1 \(process \? on \?\) until 3000/ });
});

test('a lease that is not JSON is ignored', async () => {
  writeFileSync(join(directory, 'owner_lease.json'), '{');
  (await acquireWriterLock(directory)).release();
});

const hasFlock = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0;

test("no one can write while the reference's library appends", {
  skip: hasFlock ? false : 'needs flock',
}, async () => {
  mkdirSync(join(directory, 'events'));
  const path = join(directory, 'events', '.eventlog.lock');
  writeFileSync(path, '');
  const holder = spawn('flock', [path, '-c', 'echo held; read line'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  await assert.rejects(acquireWriterLock(directory), isLocked(/is being appended to by another program$/));
  holder.stdin.end('\n');
  await once(holder, 'exit');
  (await acquireWriterLock(directory)).release();
});

test("the reference's library cannot append while a folder that it has written is open", {
  skip: hasFlock ? false : 'needs flock',
}, async () => {
  mkdirSync(join(directory, 'events'));
  const path = join(directory, 'events', '.eventlog.lock');
  writeFileSync(path, '');
  const canAppend = () => spawnSync('flock', ['-w', '10', path, 'true']).status === 0;
  const canAppendAtOnce = () => spawnSync('flock', ['-n', path, 'true']).status === 0;
  const lock = await acquireWriterLock(directory);
  assert.equal(canAppendAtOnce(), false);
  lock.release();
  // The very next writer waits for the program that holds the lock to end.
  const again = await acquireWriterLock(directory);
  assert.equal(canAppendAtOnce(), false);
  again.release();
  assert.equal(canAppend(), true);
});

test("a killed process releases the reference's lock, and an open conversation does not keep a program alive", {
  skip: hasFlock ? false : 'needs flock',
}, async () => {
  mkdirSync(join(directory, 'events'));
  const path = join(directory, 'events', '.eventlog.lock');
  writeFileSync(path, '');
  const source = `import { acquireWriterLock } from ${JSON.stringify(join(import.meta.dirname, 'writer-lock.ts'))};
    await acquireWriterLock(${JSON.stringify(directory)});
    console.log('held');`;
  const ending = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  assert.equal(ending.stdout, 'held\n');
  const killed = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `${source} setInterval(() => {}, 1_000);`,
  ]);
  await once(killed.stdout, 'data');
  assert.notEqual(spawnSync('flock', ['-n', path, 'true']).status, 0);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  assert.equal(spawnSync('flock', ['-w', '10', path, 'true']).status, 0);
});

for (const [what, make] of [
  ['text', (path: string) => writeFileSync(path, 'not a database')],
  ['random bytes', (path: string) => writeFileSync(path, Buffer.alloc(8_192, 0xa7))],
  ['a folder', (path: string) => mkdirSync(path)],
] as const) {
  test(`a lock file that holds ${what} is reported with its path and the remedy`, async () => {
    const path = join(directory, '.writer.lock');
    make(path);
    await assert.rejects(
      acquireWriterLock(directory),
      (error) =>
        error instanceof LogError &&
        error.code === 'io' &&
        error.message.includes(path) &&
        error.message.endsWith('delete it and try again'),
    );
    rmSync(path, { recursive: true });
    (await acquireWriterLock(directory)).release();
  });
}
