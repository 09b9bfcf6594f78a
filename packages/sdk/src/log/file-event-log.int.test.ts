import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { parseEvent, serializeEvent } from '../event/codec.ts';
import type { Event } from '../event/kinds.ts';
import { eventLogContract } from '../testing/contracts/event-log.ts';
import { FileEventLog, type FileEventLogOptions } from './file-event-log.ts';
import { LogError } from './log-error.ts';

for (const durability of ['process', 'power'] as const) {
  eventLogContract(`FileEventLog, ${durability}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'longhand-log-'));
    return {
      log: await FileEventLog.open(directory, { durability }),
      reopen: () => FileEventLog.open(directory),
      remove: async () => rmSync(directory, { recursive: true }),
    };
  });
}

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longhand-log-'));
  warnings = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (options: FileEventLogOptions = {}) =>
  FileEventLog.open(directory, {
    durability: 'process',
    onWarning: (text) => warnings.push(text),
    ...options,
  });
const names = () => readdirSync(join(directory, 'events')).sort();
const event = (i: number): Event => ({
  id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00',
  source: 'user',
  kind: 'PauseEvent',
});

async function written(count: number): Promise<void> {
  const log = await open();
  for (let i = 0; i < count; i += 1) await log.append(event(i));
  await log.close();
}

test('files have the names and the content that the reference writes, and there are no others', async () => {
  await written(2);
  assert.deepEqual(
    names(),
    [0, 1].map((i) => `event-0000${i}-${event(i).id}.json`),
  );
  assert.equal(readFileSync(join(directory, 'events', names()[1]!), 'utf8'), serializeEvent(event(1)));
  assert.deepEqual(readdirSync(directory).sort(), ['events', 'events.sha256']);
});

test("the reference's marker of the number of events is removed when a log is opened for writing, and kept when it is read", async () => {
  await written(2);
  const events = names();
  const marker = join(directory, 'events', '.eventlog-len-2.marker');
  writeFileSync(marker, '');
  await (await open({ readOnly: true })).close();
  assert.deepEqual(names(), ['.eventlog-len-2.marker', ...events]);
  await (await open()).close();
  assert.deepEqual(names(), events);
  assert.deepEqual(warnings, []);
});

test('if the last event is torn, at any byte, only that event is lost, and its file is set aside', async () => {
  await written(3);
  const last = join(directory, 'events', names()[2]!);
  const whole = readFileSync(last, 'utf8');
  for (let bytes = 0; bytes < whole.length; bytes += 1) {
    for (const name of names().slice(2)) rmSync(join(directory, 'events', name));
    writeFileSync(last, whole.slice(0, bytes));
    const log = await open();
    assert.deepEqual(
      [...log.read()].map(([i]) => i),
      [0, 1],
    );
    await log.append(event(9));
    await log.close();
    assert.deepEqual(names().slice(2).sort(), [
      `event-00002-${event(2).id}.json.corrupt`,
      `event-00003-${event(9).id}.json`,
    ]);
  }
  assert.match(warnings[0] ?? '', /event-00002-.*set aside as/);
});

test('events behind a gap are served, and new ones follow the last', async () => {
  await written(4);
  rmSync(join(directory, 'events', names()[1]!));
  const log = await open();
  assert.deepEqual(
    [...log.read()].map(([i]) => i),
    [0, 2, 3],
  );
  assert.equal(await log.append(event(7)), 4);
  assert.match(warnings[0] ?? '', /lacks 1 of 4/);
  await log.close();
});

test('pipes, folders and files with an index of ten digits are ignored, even if they are named like events', async () => {
  await written(2);
  const strange = (index: string, i: number) =>
    join(directory, 'events', `event-${index}-${event(i).id}.json`);
  spawnSync('mkfifo', [strange('00002', 6)]);
  mkdirSync(strange('00003', 7));
  writeFileSync(strange('4000000000', 8), serializeEvent(event(8)));
  const log = await open();
  assert.match(warnings.join(), /event-4000000000-\S+ is not an event; it is left alone$/);
  assert.equal([...log.read()].length, 2);
  assert.match(
    warnings.join(),
    /00002-\S+ cannot be read: .*set aside[\s\S]*00003-\S+ cannot be read: EISDIR/,
  );
  assert.equal(await log.append(event(9)), 4);
  await log.close();
});

test('foreign files are left alone; if two events have the same index, one is used', async () => {
  await written(2);
  for (const name of ['notes.txt', 'event-1-x.json', '.eventlog.lock', `event-00001-${event(8).id}.json`]) {
    writeFileSync(join(directory, 'events', name), serializeEvent(event(8)));
  }
  const log = await open();
  assert.equal([...log.read()].length, 2);
  assert.deepEqual([log.at(1), log.has(event(8).id)], [event(1), false]);
  assert.equal(warnings.length, 3);
  assert.ok(names().includes('notes.txt'));
  await log.close();
});

test('a file whose event does not have the id in its name is set aside', async () => {
  await written(2);
  writeFileSync(join(directory, 'events', names()[0]!), serializeEvent(event(5)));
  const log = await open();
  assert.equal(log.at(0), undefined);
  assert.equal(log.has(event(0).id), false);
  assert.match(warnings[0] ?? '', /holds the event/);
  await log.close();
});

test('opening read-only changes nothing', async () => {
  await written(2);
  writeFileSync(join(directory, 'events', names()[0]!), '{');
  writeFileSync(join(directory, '.append-0.tmp'), 'left over');
  const before = [names(), readdirSync(directory)];
  const log = await open({ readOnly: true });
  assert.equal(log.at(0), undefined);
  await assert.rejects(log.append(event(9)), { code: 'read_only' });
  assert.deepEqual([names(), readdirSync(directory)], before);
  await log.close();
});

test('temporary files that a crash left are removed by the next writer', async () => {
  await written(1);
  writeFileSync(join(directory, '.append-0.tmp'), 'left over');
  await (await open()).close();
  assert.deepEqual(readdirSync(directory).sort(), ['events', 'events.sha256']);
});

test('a missing log cannot be opened read-only', async () => {
  await assert.rejects(
    open({ readOnly: true }),
    (error) => error instanceof LogError && error.code === 'not_found',
  );
});

test('every acknowledged event survives SIGKILL', async () => {
  const writer = join(directory, 'writer.ts');
  writeFileSync(
    writer,
    `import { FileEventLog } from ${JSON.stringify(join(import.meta.dirname, 'file-event-log.ts'))};
     const log = await FileEventLog.open(${JSON.stringify(directory)});
     for (let i = 0; ; i += 1) {
       const id = '00000000-0000-4000-8000-' + String(i).padStart(12, '0');
       await log.append({ id, timestamp: '', source: 'user', kind: 'PauseEvent' }, { id: 'a' + id.slice(1), timestamp: '', source: 'user', kind: 'PauseEvent' });
       console.log(i);
     }`,
  );
  const child = spawn(process.execPath, ['--conditions=longhand-source', writer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 40) child.kill('SIGKILL');
  }
  const log = await open();
  assert.ok(log.length >= (acknowledged + 1) * 2);
  assert.deepEqual(
    [...log.read()].map(([i]) => i),
    [...Array(log.length).keys()],
  );
  assert.deepEqual(warnings, []);
  await log.close();
});

const mounted =
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', '/mnt']).status === 0;
if (mounted) spawnSync('umount', ['/mnt']);

test('a full disk is reported as such, and acknowledged events stay', {
  skip: mounted ? false : 'mounting is not allowed here',
}, async () => {
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
  try {
    const log = await open();
    let stored = 0;
    const failure = await (async () => {
      for (let i = 0; ; i += 1, stored += 1)
        await log.append(parseEvent(JSON.stringify({ ...event(i), padding: 'x'.repeat(1_500) })));
    })().catch((error: unknown) => error);
    assert.ok(failure instanceof LogError);
    assert.equal(failure.code, 'storage_full');
    await assert.rejects(log.append(event(9_999)), { code: 'storage_full' });
    await log.close();
    const again = await open();
    assert.equal([...again.read()].length, stored);
    assert.deepEqual(warnings, []);
    await again.close();
  } finally {
    spawnSync('umount', [directory]);
  }
});
