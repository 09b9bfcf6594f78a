import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { MemoryDisk } from '../../test-support/memory-disk.ts';
import type { Event } from '../event/kinds.ts';
import { writeFileAtomic } from './atomic-file.ts';
import type { Durability } from './event-log.ts';
import { FileEventLog } from './file-event-log.ts';

const event = (i: number): Event => ({
  id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00',
  source: 'user',
  kind: 'PauseEvent',
});
const file = (i: number) => `/home/a/events/event-0000${i}-${event(i).id}.json`;

/** A disk with a home, where nothing was done yet. */
function emptyDisk(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeFolder('/home');
  const root = disk.open('/');
  disk.sync(root);
  disk.close(root);
  disk.calls.length = 0;
  return disk;
}

/** What was called on the disk meanwhile. */
async function callsOf(disk: MemoryDisk, act: () => Promise<unknown>): Promise<string[]> {
  const before = disk.calls.length;
  await act();
  return disk.calls.slice(before);
}

const openLog = (disk: MemoryDisk, durability?: Durability) =>
  FileEventLog.open('/home/a', { disk, durability });

test('an event is written, synced and renamed, then its folder is synced, and then its checksum is written', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  assert.deepEqual(await callsOf(disk, () => log.append(event(0))), [
    'create /home/a/.append-1.tmp 600',
    'write /home/a/.append-1.tmp',
    'sync /home/a/.append-1.tmp',
    `rename /home/a/.append-1.tmp ${file(0)}`,
    'sync /home/a/events',
    'write /home/a/events.sha256',
  ]);
  await log.close();
});

test('events of one append are all synced before the first is renamed, in their order', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  const calls = await callsOf(disk, () => log.append(event(0), event(1)));
  assert.deepEqual(
    calls.filter((call) => !/^(create|write)/.test(call)),
    [
      'sync /home/a/.append-1.tmp',
      'sync /home/a/.append-2.tmp',
      `rename /home/a/.append-1.tmp ${file(0)}`,
      `rename /home/a/.append-2.tmp ${file(1)}`,
      'sync /home/a/events',
    ],
  );
  await log.close();
});

test('files for the next events are created between appends, and removed when the log is closed', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  await log.append(event(0));
  await nextTurn();
  const calls = await callsOf(disk, () => log.append(event(1)));
  assert.deepEqual(
    calls.map((call) => call.split(' ')[0]),
    ['write', 'sync', 'rename', 'sync', 'write'],
  );
  await nextTurn();
  assert.deepEqual(disk.list('/home/a').sort(), [
    '.append-2.tmp',
    '.append-4.tmp',
    'events',
    'events.sha256',
  ]);
  await log.close();
  assert.deepEqual(disk.list('/home/a').sort(), ['events', 'events.sha256']);
  await nextTurn();
  assert.deepEqual(disk.list('/home/a').sort(), ['events', 'events.sha256']);
});

test('at durability "process" nothing is synced, and no file is created ahead', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk, 'process');
  await log.append(event(0));
  await nextTurn();
  assert.deepEqual(
    disk.calls.map((call) => call.split(' ')[0]),
    ['makeFolder', 'makeFolder', 'create', 'create', 'write', 'rename', 'write'],
  );
  await log.close();
});

test("a new log's folders are synced into the folders that hold them; those of an old log are not", async () => {
  const disk = emptyDisk();
  await (await openLog(disk)).close();
  assert.deepEqual(
    disk.calls.filter((call) => call.startsWith('sync')),
    ['sync /home/a', 'sync /home'],
  );
  assert.deepEqual(await callsOf(disk, async () => (await openLog(disk)).close()), []);
});

test('a slow disk is synced in the background, and the append waits for it', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  disk.beforeCall = (call) => {
    const until = performance.now() + 5;
    while (call.startsWith('sync') && performance.now() < until);
  };
  await log.append(event(0));
  disk.beforeCall = () => undefined;
  const calls = await callsOf(disk, () => log.append(event(1)));
  assert.deepEqual(
    calls.slice(-4, -1).map((call) => call.replace(/-\d\.tmp.*/, '')),
    ['sync in background /home/a/.append', 'rename /home/a/.append', 'sync /home/a/events'],
  );
  await log.close();
});

test('an append that fails leaves no temporary file and closes the log for writing', async () => {
  for (const failing of ['create', 'write', 'sync', 'rename']) {
    const disk = emptyDisk();
    const log = await openLog(disk);
    disk.beforeCall = (call) => {
      if (call.startsWith(failing)) throw Object.assign(new Error('failed'), { code: 'ENOSPC' });
    };
    const full = { name: 'LogError', code: 'storage_full', message: /^\/home\/a\/events: no space left/ };
    await assert.rejects(log.append(event(0)), full, failing);
    disk.beforeCall = () => undefined;
    await assert.rejects(log.append(event(0)), full);
    assert.equal(log.length, 0);
    assert.deepEqual(disk.list('/home/a').sort(), ['events', 'events.sha256'], failing);
    await log.close();
    assert.equal(disk.openDescriptors, 0, failing);
  }
});

test('other disk errors are reported with their message', async () => {
  for (const [code, expected] of [
    ['EDQUOT', 'storage_full'],
    ['EIO', 'io'],
  ] as const) {
    const disk = emptyDisk();
    const log = await openLog(disk);
    disk.beforeCall = () => {
      throw Object.assign(new Error('the disk says no'), { code });
    };
    await assert.rejects(log.append(event(0)), { code: expected });
  }
  const disk = emptyDisk();
  disk.beforeCall = () => {
    throw new Error('the disk says no');
  };
  await assert.rejects(openLog(disk), {
    code: 'io',
    message: '/home/a/events cannot be written: the disk says no',
  });
});

test('property: a power cut at any moment costs no acknowledged event and leaves no torn one', async () => {
  const batches = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(40), fc.infiniteStream(fc.nat(1_000)), async (sizes, cutAt, chance) => {
      const disk = emptyDisk();
      let calls = 0;
      disk.beforeCall = () => {
        calls += 1;
        if (calls > cutAt) throw new Error('the power is off');
      };
      let acknowledged = 0;
      let written = 0;
      try {
        const log = await openLog(disk);
        for (const size of sizes) {
          const events = Array.from({ length: size }, (_, i) => event(written + i));
          written += size;
          await log.append(...events);
          acknowledged = written;
          await nextTurn();
        }
      } catch {
        // the power is off
      }
      disk.cutPower((count) => (chance.next().value as number) % (count + 1));
      const warnings: string[] = [];
      const again = await FileEventLog.open('/home/a', { disk, onWarning: (text) => warnings.push(text) });
      const found = [...again.read()];
      assert.ok(found.length >= acknowledged && found.length <= written);
      assert.deepEqual(
        found,
        found.map((_, i) => [i, event(i)]),
      );
      assert.deepEqual(warnings, []);
    }),
    { numRuns: 300 },
  );
});

test('a file that is replaced is written, synced and renamed, and then its folder is synced', async () => {
  const disk = emptyDisk();
  await writeFileAtomic('/home/facts.json', '{}', 'power', { disk });
  assert.deepEqual(disk.calls, [
    'create /home/facts.json.tmp 600',
    'write /home/facts.json.tmp',
    'sync in background /home/facts.json.tmp',
    'rename /home/facts.json.tmp /home/facts.json',
    'sync in background /home',
  ]);
  disk.cutPower();
  assert.equal(disk.read('/home/facts.json'), '{}');
  assert.equal(disk.openDescriptors, 0);
});

test('a file is replaced without a sync at durability "process"', async () => {
  const disk = emptyDisk();
  await writeFileAtomic('/home/facts.json', '{}', 'process', { disk });
  assert.deepEqual(disk.calls, [
    'create /home/facts.json.tmp 600',
    'write /home/facts.json.tmp',
    'rename /home/facts.json.tmp /home/facts.json',
  ]);
});

test('a file that cannot be replaced stays as it was', async () => {
  for (const failing of ['create', 'write', 'sync in background /home/facts.json.tmp', 'rename']) {
    const disk = emptyDisk();
    await writeFileAtomic('/home/facts.json', 'old', 'power', { disk });
    disk.beforeCall = (call) => {
      if (call.startsWith(failing)) throw new Error('the disk says no');
    };
    await assert.rejects(writeFileAtomic('/home/facts.json', 'new', 'power', { disk }), /says no/);
    assert.equal(disk.read('/home/facts.json'), 'old', failing);
    assert.deepEqual(disk.list('/home'), ['facts.json'], failing);
    assert.equal(disk.openDescriptors, 0, failing);
  }
});

test('if two files have the same index, the first by name is used, whatever the order in which the disk lists them', async () => {
  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    const disk = emptyDisk();
    disk.makeFolder('/home/a/events');
    for (const i of order) {
      const descriptor = disk.create(`/home/a/events/event-00000-${event(i).id}.json`, 0o600);
      disk.write(descriptor, Buffer.from(JSON.stringify(event(i))));
    }
    const log = await FileEventLog.open('/home/a', { disk, readOnly: true });
    assert.deepEqual([...log.read()], [[0, event(1)]]);
  }
});

test('only the most recently used events are kept in memory', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk, 'process');
  const events = Array.from({ length: 70 }, (_, i) => event(i));
  await log.append(...events);
  assert.equal(log.at(69), events[69]);
  const first = log.at(0);
  assert.equal(log.at(0), first);
  for (let i = 1; i < 70; i += 1) log.at(i);
  assert.deepEqual(log.at(0), first);
  assert.notEqual(log.at(0), first);
});

test('a log that is closed right after an append creates no further files', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  await log.append(event(0));
  await log.close();
  await nextTurn();
  assert.deepEqual(disk.list('/home/a').sort(), ['events', 'events.sha256']);
  assert.equal(disk.openDescriptors, 0);
});

test('a file that was set aside is reported once, and not at the next opening', async () => {
  const disk = emptyDisk();
  const log = await openLog(disk);
  await log.append(event(0), event(1));
  await log.close();
  disk.create(file(1), 0o600);
  const warnings: string[] = [];
  const open = () => FileEventLog.open('/home/a', { disk, onWarning: (text) => warnings.push(text) });
  const again = await open();
  for (let i = 0; i < 2; i += 1) assert.deepEqual([...again.read()], [[0, event(0)]]);
  assert.deepEqual([again.at(1), again.has(event(1).id), again.length], [undefined, false, 2]);
  await again.close();
  assert.deepEqual(warnings, [
    `${file(1)} cannot be read: it is empty; it was set aside as ${file(1)}.corrupt`,
  ]);
  assert.equal((await open()).length, 1);
  assert.equal(warnings.length, 1);
});
