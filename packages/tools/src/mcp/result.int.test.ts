import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { textOf } from '@longhand/sdk';
import { localConversationFiles } from '@longhand/sdk/internal';
import { resultOf } from './result.ts';

const KEPT_NOWHERE = { files: null, vision: true, mask: (text: string) => text };
const DATA = Buffer.from('sound').toString('base64');

function wordsOf(raw: unknown, options: Partial<Parameters<typeof resultOf>[2]> = {}): string {
  return textOf(resultOf('t', raw, { ...KEPT_NOWHERE, ...options }).content).replace(/^\[.*?\]\n/, '');
}

test('every kind of content has a form that the model can use', () => {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
  try {
    const said = wordsOf(
      {
        content: [
          { type: 'text', text: 'plain' },
          { type: 'audio', data: DATA, mimeType: 'audio/x-wav' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'embedded' } },
          { type: 'resource', resource: { uri: 'file:///b', blob: DATA, mimeType: 'application/zip' } },
          { type: 'resource_link', uri: 'https://x.invalid', name: 'a link' },
          { type: 'image', data: DATA, mimeType: 'image/svg+xml' },
          { type: 'of tomorrow', value: 1 },
          'no block',
        ],
      },
      { files: localConversationFiles(directory) },
    );
    const paths = [...said.matchAll(/stored in (\S+)\)/g)].map(([, path = '']) => path);
    assert.deepEqual(
      paths.map((path) => [path.split('.').at(-1), readFileSync(path, 'utf8')]),
      [
        ['wav', 'sound'],
        ['zip', 'sound'],
        ['svg', 'sound'],
      ],
    );
    assert.match(said, /^plain\n\(5 bytes of audio\/x-wav[^\n]*\nfile:\/\/\/a:\nembedded\n/);
    assert.match(said, /\na link - https:\/\/x\.invalid\n/);
    assert.match(said, /\{"type":"of tomorrow","value":1\}$/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('structured content is shown when there is no text; empty and invalid results are reported', () => {
  assert.equal(wordsOf({ content: [], structuredContent: { a: 1 } }), '{"a":1}');
  assert.equal(wordsOf({ content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } }), 'x');
  assert.equal(wordsOf({}), '(The result is empty.)');
  assert.equal(wordsOf('words'), '"words"');
  assert.equal(resultOf('t', { isError: true, content: [] }, KEPT_NOWHERE).is_error, true);
});

test('only a limited number of images is shown', () => {
  const images = Array.from({ length: 30 }, () => ({ type: 'image', data: DATA, mimeType: 'image/png' }));
  const { content } = resultOf('t', { content: images }, KEPT_NOWHERE);
  assert.equal(content.filter(({ type }) => type === 'image').length, 20);
  const huge = resultOf(
    't',
    { content: [{ type: 'image', data: 'A'.repeat(8_000_000), mimeType: 'image/png' }] },
    KEPT_NOWHERE,
  );
  assert.match(textOf(huge.content), /6000000 bytes of image\/png, not stored/);
});
