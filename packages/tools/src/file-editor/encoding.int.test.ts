import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import * as fc from 'fast-check';
import iconv from 'iconv-lite';
import { decode, isBinary, replaceSpan, replaceSpans } from './encoding.ts';
import { EncodingCache } from './encoding-cache.ts';
import { fileEditorTool } from './tool.ts';

const CYRILLIC = 'Текст файла с несколькими строками\nвторая строка: мир\n';
const JAPANESE = '# コメント\nname = "日本語のテキスト"\nこれはテストです。\n';

let folder: string;
let tried: TriedTools;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-encoding-')));
  tried = await tryTools(fileEditorTool, { folder });
});
afterEach(async () => {
  await tried.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, content: string, encoding: string) =>
  writeFileSync(join(folder, name), iconv.encode(content, encoding));
const bytesOf = (name: string) => readFileSync(join(folder, name));
const textOf = (name: string, encoding: string) => iconv.decode(bytesOf(name), encoding);
const call = (command: string, name: string, more: object = {}) =>
  tried.call({ command, path: join(folder, name), ...more });
const replace = (name: string, old_str: string, new_str: string) =>
  call('str_replace', name, { old_str, new_str });

test('Shift-JIS, Windows-1251, Big5, EUC and Latin-1 are read and written unchanged', async () => {
  for (const [encoding, content, from, to] of [
    ['shift_jis', JAPANESE, '日本語', '英語と数'],
    ['windows-1251', CYRILLIC, 'мир', 'весь мир'],
    ['euc-jp', JAPANESE, 'コメント', '説明'],
    ['euc-kr', '안녕하세요 세계, 이것은 시험입니다\n', '세계', '여러분'],
    ['big5', '這是一個測試，中文文字\n', '中文', '英文'],
    ['iso-8859-1', 'Ein Text mit Umlauten: für, größer, Änderung\n', 'größer', 'schöner'],
  ] as const) {
    file(encoding, content, encoding);
    const { said, isError } = await replace(encoding, from, to);
    assert.equal(isError, false, said);
    assert.ok(said.includes(to), said);
    assert.equal(textOf(encoding, encoding), content.replace(from, to), encoding);
    assert.ok(!bytesOf(encoding).equals(Buffer.from(content.replace(from, to))), 'not UTF-8');
  }
});

test('the encoding that a file declares is used', async () => {
  const source = '# -*- coding: cp1251 -*-\nname = "мир"\n';
  file('a.py', source, 'windows-1251');
  await replace('a.py', 'мир', 'сыр');
  assert.equal(textOf('a.py', 'windows-1251'), source.replace('мир', 'сыр'));
});

test('a word such as base64 is not taken for an encoding', async () => {
  const bytes = Buffer.from('<part encoding="base64">caf\xe9</part>\n', 'latin1');
  assert.equal((await decode(bytes)).text, '<part encoding="base64">café</part>\n');
});

test('text that the encoding cannot represent converts the file to UTF-8, and the result says so', async () => {
  file('a', CYRILLIC, 'windows-1251');
  await replace('a', 'мир', 'дом');
  assert.equal(textOf('a', 'windows-1251'), CYRILLIC.replace('мир', 'дом'));
  assert.match((await replace('a', 'дом', 'a → b')).said, /UTF-8 now/);
  assert.equal(bytesOf('a').toString(), CYRILLIC.replace('мир', 'a → b'));
});

test('a detected encoding is kept, also when the remaining text would not reveal it', async () => {
  file('a', CYRILLIC, 'windows-1251');
  await replace('a', CYRILLIC, 'plain\n');
  await replace('a', 'plain', 'слово');
  assert.equal(textOf('a', 'windows-1251'), 'слово\n');
});

test('insert and undo work in Windows-1251', async () => {
  file('a', CYRILLIC, 'windows-1251');
  const start = bytesOf('a');
  await call('insert', 'a', { insert_line: 1, new_str: 'вставка' });
  assert.equal(textOf('a', 'windows-1251').split('\n')[1], 'вставка');
  const undone = await call('undo_edit', 'a');
  assert.deepEqual(bytesOf('a'), start);
  assert.equal(undone.observation!['new_content'], CYRILLIC);
});

test('a file of unknown encoding is shown with a note and not edited', async () => {
  writeFileSync(join(folder, 'a'), Buffer.from('caf\xe9\n', 'latin1'));
  const { said } = await call('view', 'a');
  assert.match(said, /café/);
  assert.match(said, /NOTE: the encoding/);
  const refused = await replace('a', 'caf', 'x');
  assert.equal(refused.isError, true);
  assert.match(refused.said, /not UTF-8/);
  assert.deepEqual(bytesOf('a'), Buffer.from('caf\xe9\n', 'latin1'));
});

test('an encoding is cached while the file is unchanged; the oldest entry is dropped', () => {
  const cache = new EncodingCache(3);
  for (const path of ['a', 'b', 'c']) cache.set(path, 1, `encoding of ${path}`);
  assert.deepEqual([cache.get('a', 1), cache.get('a', 2)], ['encoding of a', undefined]);
  cache.set('d', 1, 'x');
  assert.deepEqual([cache.get('a', 1), cache.get('b', 1)], [undefined, 'encoding of b']);
});

test('a cached encoding is used without detection, unless the bytes are invalid in it', async () => {
  const bytes = iconv.encode('мир', 'koi8-r');
  assert.equal((await decode(bytes, 'koi8-r')).text, 'мир');
  assert.equal((await decode(Buffer.from('abc'), 'utf16le')).text, 'abc');
});

test('files with NUL bytes or control characters are binary; text in any encoding is not', () => {
  const compressed = Buffer.concat([
    Buffer.from('%PDF-1.7\nstream\n'),
    Buffer.from(Array.from({ length: 2_000 }, (_, i) => ((i * 7_919 + (i >> 3)) % 255) + 1)),
  ]);
  const sorts = [
    Buffer.from('a\0b'),
    compressed,
    Buffer.from('\x1b[31mred\x1b[0m\n'),
    Buffer.from('8=FIX.4.2\x019=65\x01'),
    iconv.encode(JAPANESE, 'shift_jis'),
    Buffer.from('\ufeffx', 'utf16le'),
    Buffer.alloc(0),
  ];
  assert.deepEqual(sorts.map(isBinary), [true, true, false, false, false, false, false]);
});

test('property: an edit leaves every byte outside of it as it was, whatever the line ends and the encoding', async () => {
  const words = fc.array(fc.constantFrom('a', 'é', 'мир', '\n', '\r\n', '\r', ' ', '漢', '😀'), {
    maxLength: 30,
  });
  const encodings = fc.constantFrom('utf8', 'bom', 'utf16le', 'utf16be');
  await fc.assert(
    fc.asyncProperty(words, words, encodings, fc.nat(), fc.nat(), async (pieces, added, name, x, y) => {
      const encoding = name === 'bom' ? 'utf8' : name;
      const raw = pieces.join('');
      const mark = name === 'utf8' ? '' : '\ufeff';
      const before = await decode(iconv.encode(mark + raw, encoding));
      const { text } = before;
      const whole = (at: number) => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at);
      const [from = 0, to = 0] = [x, y].map((n) => whole(n % (text.length + 1))).sort((a, b) => a - b);
      const replacement = added.join('').replaceAll('\r', '');
      const { bytes, file: now } = await replaceSpan(before, from, to, replacement);
      assert.equal(now.text, text.slice(0, from) + replacement + text.slice(to));
      const positions = [...raw.matchAll(/\r\n|./gs)].map(({ index }) => index);
      const head = raw.slice(0, positions[from] ?? raw.length);
      const tail = raw.slice(positions[to] ?? raw.length);
      const after = iconv.decode(bytes, encoding, { stripBOM: false });
      assert.ok(after.startsWith(mark + head) && after.endsWith(tail));
      const put = after.slice(mark.length + head.length, after.length - tail.length);
      assert.equal(put.replaceAll('\r\n', '\n'), replacement);
    }),
  );
});

test('property: several places of a file with mixed line ends, each where it is', async () => {
  const token = fc.constantFrom('a', 'b', '\n', '\r\n');
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 30 }), fc.array(fc.boolean()), async (tokens, chosen) => {
      const file = await decode(Buffer.from(tokens.join('')));
      const starts = tokens.map((_, i) =>
        tokens.slice(0, i).reduce((length, each) => length + each.replace('\r\n', '\n').length, 0),
      );
      const spans = tokens.flatMap((each, i) => {
        if (chosen[i] !== true || each === '\r\n') return [];
        const from = starts[i] ?? 0;
        return [{ from, to: from + each.length, text: 'X' }];
      });
      const { bytes } = await replaceSpans(file, spans);
      const expected = tokens.map((each, i) => (chosen[i] === true && each !== '\r\n' ? 'X' : each));
      assert.equal(Buffer.from(bytes).toString(), expected.join(''));
    }),
  );
});
