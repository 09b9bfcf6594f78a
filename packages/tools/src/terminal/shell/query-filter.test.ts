import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryFilter } from './query-filter.ts';

function filtered(...chunks: string[]): string[] {
  const filter = new QueryFilter();
  return [...chunks.map((chunk) => filter.push(chunk)), filter.flush()];
}

test('queries are removed, text is kept', () => {
  assert.equal(
    filtered('a\x1b[6nb\x1b]11;?\x07c\x1b[>0cd\x1bP$qm\x1b\\e\x1b]4;1;?\x1b\\f\n').join(''),
    'abcdef\n',
  );
});

test('titles, links and colours stay', () => {
  const text = '\x1b]0;title\x07\x1b]8;;http://x\x07link\x1b]8;;\x07\x1b[32mgreen\x1b[0m\n';
  assert.equal(filtered(text).join(''), text);
});

test('a colour that is cut off comes with the next chunk', () => {
  assert.deepEqual(filtered('text\x1b', '[32mgreen'), ['text', '\x1b[32mgreen', '']);
});

test('a query that is cut off is removed too', () => {
  assert.equal(filtered('prefix\x1b[', '6nsuffix').join(''), 'prefixsuffix');
});

test('a sequence that is never finished comes at the end', () => {
  assert.deepEqual(filtered('\x1b[32'), ['', '\x1b[32']);
});
