import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Event } from '../event/kinds.ts';
import { type Disk, nodeDisk } from './disk.ts';
import { FileEventLog } from './file-event-log.ts';

const event = (i: number): Event => ({
  id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00',
  source: 'user',
  llm_message: { role: 'user', content: [{ type: 'text', text: `größer als ${i}\u{1f642}` }] },
  activated_skills: [],
  extended_content: [],
  kind: 'MessageEvent',
});

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longhand-checksums-'));
  warnings = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (disk: Disk = nodeDisk, readOnly = false) =>
  FileEventLog.open(directory, { disk, readOnly, onWarning: (text) => warnings.push(text) });

async function append(...indices: readonly number[]): Promise<void> {
  const log = await open();
  for (const i of indices) await log.append(event(i));
  await log.close();
}

async function readAll(disk?: Disk): Promise<readonly Event[]> {
  const log = await open(disk, true);
  const events = [...log];
  await log.close();
  return events;
}

const sums = () => join(directory, 'events.sha256');
const pathOf = (i: number) => join(directory, 'events', `event-0000${i}-${event(i).id}.json`);
const sourceOf = (i: number) => readFileSync(pathOf(i));

/** The disk with another content for one event. */
function showing(i: number, bytes: Buffer): Disk {
  const read = (path: string) => (path.includes(`event-0000${i}-`) ? bytes.toString() : nodeDisk.read(path));
  return { ...nodeDisk, read };
}

test('each flipped bit of an event is reported when the event is read', async () => {
  await append(0, 1, 2);
  const whole = sourceOf(1);
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    warnings = [];
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await readAll(showing(1, flipped));
    assert.equal(warnings.length, 1, `${bit}: ${warnings.join('\n')}`);
    assert.match(warnings[0] ?? '', /event-00001-\S+ (was changed after it was written|cannot be read)/);
  }
});

test('a changed event is used as it is, and reported once with its file and what to do', async () => {
  await append(0, 1);
  const edited = Buffer.from(sourceOf(1).toString().replace('größer', 'kleiner'));
  const log = await open(showing(1, edited), true);
  const texts = [...log, ...log].map((each) => each.kind === 'MessageEvent' && each.llm_message.content[0]);
  assert.deepEqual(texts[1], { type: 'text', text: 'kleiner als 1\u{1f642}' });
  assert.equal(warnings.length, 1);
  assert.ok(
    warnings[0]?.startsWith(join(directory, 'events', `event-00001-${event(1).id}.json was changed`)),
  );
  assert.match(
    warnings[0] ?? '',
    /restore the file from a backup; otherwise remove its line from events\.sha256$/,
  );
  await log.close();
});

test('events without a checksum are read unchecked, and the next line follows a torn one', async () => {
  await append(0, 1);
  truncateSync(sums(), readFileSync(sums()).length - 20);
  await append(2);
  const lines = readFileSync(sums(), 'utf8').split('\n');
  assert.deepEqual([lines.length, lines[2]?.endsWith(`  events/event-00002-${event(2).id}.json`)], [4, true]);
  assert.deepEqual(await readAll(), [event(0), event(1), event(2)]);
  await readAll(showing(1, Buffer.from(sourceOf(1).toString().replace('größer', 'kleiner'))));
  assert.deepEqual(warnings, []);
  rmSync(sums());
  assert.equal((await readAll()).length, 3);
  await append(3);
  assert.equal(readFileSync(sums(), 'utf8').split('\n').length, 2);
  appendFileSync(sums(), '\0\0\0\0');
  await append(4);
  assert.equal((await readAll()).length, 5);
  assert.deepEqual(warnings, []);
});

test('sha256sum accepts the file', async (t) => {
  if (spawnSync('sha256sum', ['--version']).status !== 0) return t.skip('there is no sha256sum');
  await append(0, 1, 2);
  const { status, stderr } = spawnSync('sha256sum', ['--check', '--quiet', 'events.sha256'], {
    cwd: directory,
  });
  assert.deepEqual([status, stderr.toString()], [0, '']);
});

test('events are stored although their checksums cannot be', async () => {
  mkdirSync(sums());
  await append(0, 1);
  assert.deepEqual(await readAll(), [event(0), event(1)]);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /events\.sha256 cannot be written: EISDIR.*; later events get no checksum$/,
  );
  rmSync(sums(), { recursive: true });
  const full = (descriptor: number, data: Buffer) => {
    if (data.toString().includes('  events/')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    nodeDisk.write(descriptor, data);
  };
  const log = await open({ ...nodeDisk, write: full });
  await log.append(event(2));
  await log.append(event(3));
  await log.close();
  assert.equal((await readAll()).length, 4);
  assert.deepEqual(warnings.slice(1), [`${sums()} cannot be written: full; later events get no checksum`]);
});

test('an event whose checksum is right is not checked again, any other is; both get missing defaults', async () => {
  await append(0, 1);
  const changed = [0, 1].map((i) => {
    const { activated_skills: _, ...rest } = JSON.parse(sourceOf(i).toString());
    const text = JSON.stringify({ ...rest, timestamp: 7 });
    writeFileSync(pathOf(i), text);
    return createHash('sha256').update(text).digest('hex');
  });
  writeFileSync(sums(), `${changed[0]}  events/${basename(pathOf(0))}\n`);
  const [read, ...others] = await readAll();
  assert.ok(read?.kind === 'MessageEvent' && others.length === 0);
  assert.deepEqual([read.timestamp, read.activated_skills], [7, []]);
  assert.match(warnings.join(), /MessageEvent\.timestamp/);
});
