import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from './decode.ts';
import { readPage } from './page.ts';

const ADDRESS = 'https://example.invalid/docs/page.html';
const words =
  'A sentence of the article, long enough to count, with commas, and with more behind it. '.repeat(6);
const read = (body: string, whole = false, head = '<title>Title - Site</title>') =>
  readPage(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, ADDRESS, whole);

const page = `<nav><a href="/home">Home</a></nav><main><article><h2>Head</h2><p>${words}</p><p>${words} <a href="next.html">on</a>
<b>bold</b> <i>thin</i></p><pre><code class="language-js">if (a &lt; b)\n  go();</code></pre><ul><li>one</li><li>two</li></ul>
<img src="/a.png" alt="a"><img src="data:image/png;base64,AAAA" alt="b"></article></main><footer>Imprint</footer><script>let x = 1;</script>`;

test('the article of a page is Markdown with absolute URLs, without menus and footer', async () => {
  const { title, markdown, isArticle } = await read(page);
  assert.deepEqual([title.startsWith('Title'), isArticle], [true, true]);
  assert.match(markdown, /^## Head\n\nA sentence of the article/);
  assert.match(markdown, /\[on\]\(https:\/\/example\.invalid\/docs\/next\.html\)\s+\*\*bold\*\* \*thin\*/);
  assert.match(markdown, /```js\nif \(a < b\)\n {2}go\(\);\n```/);
  assert.match(markdown, /- +one\n- +two/);
  assert.match(markdown, /!\[a\]\(https:\/\/example\.invalid\/a\.png\)/);
  assert.doesNotMatch(markdown, /Home|Imprint|let x|base64/);
});

test('whole: true returns the whole page except scripts', async () => {
  const { markdown, isArticle } = await read(page, true);
  assert.equal(isArticle, false);
  assert.match(markdown, /\[Home\]\(https:\/\/example\.invalid\/home\)[\s\S]*Head[\s\S]*Imprint/);
  assert.doesNotMatch(markdown, /let x|base64/);
});

test('a page without an article is shown whole, except hidden elements', async () => {
  const { title, markdown, isArticle } = await read(
    '<p>Short.</p><p hidden>secret</p><style>p {}</style><a href="#top">up</a>',
  );
  assert.deepEqual([title, markdown, isArticle], ['Title - Site', 'Short.\n\n[up](#top)', false]);
});

test('the base element applies to relative URLs', async () => {
  const { markdown } = await read('<a href="x">x</a>', true, '<base href="/other/">');
  assert.equal(markdown, '[x](https://example.invalid/other/x)');
});

test('tables keep their rows', async () => {
  const { markdown } = await read(
    '<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td>1<br>2</td><td></td></tr><tr></tr></tbody></table>',
  );
  assert.equal(markdown, '| A | B\\|C |\n| --- | --- |\n| 1 2 |  |');
});

test('malformed HTML is still read', async () => {
  for (const html of [
    '',
    '<',
    '<b',
    'just text',
    '<p>open <b>tags',
    '</div></div>text',
    '<!doctype html>',
    '\u0000<p>a',
  ]) {
    const { markdown } = await readPage(html, ADDRESS, false);
    assert.equal(typeof markdown, 'string');
  }
  assert.equal((await readPage('just text', ADDRESS, false)).markdown, 'just text');
});

test('endlessly nested elements are read as plain text', async () => {
  const deep = `<title>Deep</title><script>x</script>${'<div>'.repeat(20_000)}words<br>here${'</div>'.repeat(20_000)}`;
  const { title, markdown } = await readPage(deep, ADDRESS, false);
  assert.equal(title, 'Deep');
  assert.match(markdown, /^words\s+here$/);
  // Text that a careless search would take hours for.
  for (const hard of [
    `<${'a'.repeat(1_000_000)}`,
    '<script'.repeat(100_000),
    `${'<div>'.repeat(600)}${'<script>'.repeat(50_000)}`,
  ]) {
    assert.equal(typeof (await readPage(hard, ADDRESS, true)).markdown, 'string');
  }
  const flat = await readPage(`<title>Flat</title>${'<p>a<br>'.repeat(2_000)}`, ADDRESS, true);
  assert.match(flat.markdown, /^a {2}\n\na/);
});

test('a page with very many elements, or with very deep text, is read as plain text, line by line', async () => {
  const many = await readPage(
    `<title>Many</title><table>${'<tr><td>a&#39;s<td><b>&lt;b&gt;</b></tr>'.repeat(40_000)}`,
    ADDRESS,
    true,
  );
  assert.equal(many.title, 'Many');
  assert.match(many.markdown, /^a's <b>\na's <b>\n/);
  const deep = await readPage(
    `${'<div>'.repeat(499)}${'<b>text</b> and more '.repeat(40_000)}`,
    ADDRESS,
    true,
  );
  assert.match(deep.markdown, /^text and more text/);
});

test('the encoding is found by byte-order mark, header or markup, or else is UTF-8 or the guess of browsers', () => {
  const decoded = (bytes: Buffer, charset?: string, isCut = false) => decodeText(bytes, charset, isCut);
  const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
  assert.equal(decoded(Buffer.from('café')), 'café');
  assert.equal(decoded(latin), 'café');
  assert.equal(decoded(latin, 'iso-8859-1'), 'café');
  assert.equal(decoded(latin, 'no-such-encoding'), 'café');
  assert.equal(decoded(Buffer.from('\uFEFFcafé'), 'iso-8859-1'), 'café');
  assert.equal(decoded(Buffer.from('\uFEFFab', 'utf16le')), 'ab');
  const koi = Buffer.concat([Buffer.from('<meta charset="koi8-r">'), Buffer.from([0xc4, 0xc1])]);
  assert.match(decoded(koi), />да$/);
  const xml = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="gbk"?>'), Buffer.from([0xc4, 0xe3])]);
  assert.match(decoded(xml), />你$/);
  assert.equal(decoded(Buffer.from('né').subarray(0, 2), undefined, true), 'n');
});

test('endless white space and an endless title are shortened', async () => {
  // Of each, turndown's patterns would take a minute or more.
  const blanks = '\u00a0 '.repeat(100_000);
  for (const body of [
    `<p>a${blanks}b</p>`,
    `<table><tr><td>a${blanks}b</td></tr></table>`,
    `<p>a<img src="x" alt="${blanks}">b</p>`,
    `<pre>a${blanks}b</pre>`,
  ]) {
    const { markdown } = await read(body, true);
    assert.match(markdown, /a[\s\S]*b/);
    assert.ok(markdown.length < 1_000, String(markdown.length));
  }
  const { title } = await read('<p>x</p>', true, `<title>a\n${'b '.repeat(100_000)}</title>`);
  assert.equal(title, `a ${'b '.repeat(149)}...`);
});
