import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { steadied } from './record-demo.ts';
import { linesOf, pictureOf } from './terminal-picture.ts';

test('colours become styles, a line that is drawn over shows what was drawn last, and long lines wrap', () => {
  const output = `\x1b[36m$ ls\x1b[39m\r\n⠋ thinking\r\x1b[2K⠙ thinking\r\x1b[2K\x1b[1;0Hdone\r\n${'x'.repeat(105)}`;
  assert.deepEqual(linesOf(output), [
    [{ text: '$ ls', style: 'c' }],
    [{ text: 'done', style: '' }],
    [{ text: 'x'.repeat(104), style: '' }],
    [{ text: 'x', style: '' }],
  ]);
});

test('what differs between two runs has a fixed value, and markup is escaped', () => {
  const ran = (folder: string, ms: string, id: string) =>
    `reads /var/t/longhand-demo-${folder}/free-time/a.js\ntest <a> (${ms}ms)\nlonghand --resume ${id} -t "..."`;
  const one = steadied(ran('Ab1', '0.53', '12345678'));
  assert.equal(one, steadied(ran('xyz', '13.7', 'abcdef01')));
  const picture = pictureOf(linesOf(one), 'a "title"');
  assert.match(picture, /reads ~\/free-time\/a\.js<\/text>/);
  assert.match(picture, /test &lt;a> \(1\.2ms\)/);
});

test('the picture in the README names no place of the machine that it was recorded on', () => {
  const picture = readFileSync(resolve(import.meta.dirname, '../docs/demo.svg'), 'utf8');
  assert.match(picture, /finished/);
  assert.doesNotMatch(picture, /\/(tmp|home|root|var|work|Users)\//);
});
