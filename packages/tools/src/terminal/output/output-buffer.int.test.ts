import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { localConversationFiles } from '@longhand/sdk/internal';
import fc from 'fast-check';
import { OutputBuffer } from './output-buffer.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('however it is cut into chunks, a flood is stored whole and shown by its head and tail', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 700_000 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const chunks = lengths.map((length, i) => `<${i}>${'👋'.repeat(length / 2)}`);
      const all = chunks.join('');
      const buffer = new OutputBuffer(localConversationFiles(folder));
      for (const chunk of chunks) buffer.push(chunk);
      const { text, characters, file } = buffer.take();
      assert.equal(characters, all.length);
      if (file === null) return assert.ok(text === all);
      assert.ok(readFileSync(file, 'utf8') === all);
      const [head = '', tail = ''] = text.split(/\n\[\d+ characters of output are left out here\]\n/);
      assert.ok(1_000_000 - head.length < 2 && tail.length >= 3_900_000);
      assert.ok(text.isWellFormed());
      assert.ok(all.startsWith(head) && all.endsWith(tail));
    }),
    { numRuns: 20 },
  );
});

test('without a writable folder no file is named, and nothing fails', () => {
  writeFileSync(join(folder, 'file'), '');
  const buffer = new OutputBuffer(localConversationFiles(join(folder, 'file')));
  for (let i = 0; i < 60; i += 1) buffer.push('x'.repeat(100_000));
  const { file, characters } = buffer.take();
  assert.deepEqual([file, characters, readdirSync(folder)], [null, 6_000_000, ['file']]);
});

test('a file that cannot be written whole is not named, and is removed', () => {
  const script = `
    const { OutputBuffer } = await import(${JSON.stringify(import.meta.resolve('./output-buffer.ts'))});
    const { localConversationFiles } = await import('@longhand/sdk/internal');
    const buffer = new OutputBuffer(localConversationFiles(${JSON.stringify(folder)}));
    for (let i = 0; i < 60; i += 1) buffer.push('x'.repeat(100_000));
    console.log(buffer.take().file);`;
  // As on a full disk: no file may grow beyond some hundred kilobytes.
  const node = 'ulimit -f 600; exec "$0" --conditions=longhand-source --input-type=module -e "$1"';
  const { stdout } = spawnSync('bash', ['-c', node, process.execPath, script], { encoding: 'utf8' });
  assert.deepEqual([stdout, readdirSync(join(folder, 'observations'))], ['null\n', []]);
});

test('a buffer that is closed with output in it leaves a complete file', () => {
  const buffer = new OutputBuffer(localConversationFiles(folder));
  for (let i = 0; i < 60; i += 1) buffer.push('x'.repeat(100_000));
  buffer.close();
  const kept = join(folder, 'observations');
  const [file = ''] = readdirSync(kept);
  assert.equal(readFileSync(join(kept, file)).length, 6_000_000);
});
