import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { conversationDirectory, conversationId, conversationIds } from './location.ts';

const ID = '01234567-89ab-cdef-0123-456789abcdef';
const NAME = '0123456789abcdef0123456789abcdef';

test('an id may be written with or without hyphens, in upper or lower case', () => {
  for (const written of [ID, NAME, ID.toUpperCase()]) assert.equal(conversationId(written), ID);
  assert.equal(conversationDirectory('/c', ID), `/c/${NAME}`);
});

test('anything but 32 hexadecimal digits is not an id', () => {
  for (const wrong of ['', 'name', `${NAME}0`, NAME.slice(1), NAME.replace('a', 'g'), `../${NAME}`])
    assert.throws(() => conversationId(wrong), { name: 'TypeError', message: /is not a conversation's id/ });
});

test('the conversations of a folder are its folders that are named by an id', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-location-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.deepEqual(conversationIds(join(folder, 'missing')), []);
  mkdirSync(join(folder, NAME));
  mkdirSync(join(folder, `.new-${NAME}`));
  writeFileSync(join(folder, NAME.replace('0', '1')), 'a file');
  assert.deepEqual(conversationIds(folder), [ID]);
  assert.throws(() => conversationIds(join(folder, NAME.replace('0', '1'))), { code: 'ENOTDIR' });
});
