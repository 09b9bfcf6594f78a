import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Marker, MarkerStream, markerOf } from './marker-stream.ts';

const NONCE = 'n0nce';
const mark = (fields: string) => `\x1b]697;${NONCE};${fields}\x07`;

function read(...chunks: string[]): { readonly text: string; readonly markers: readonly Marker[] } {
  const stream = new MarkerStream(NONCE);
  let text = '';
  const markers: Marker[] = [];
  for (const chunk of chunks) {
    stream.push(
      chunk,
      (part) => {
        text += part;
      },
      (marker) => markers.push(marker),
    );
  }
  return { text, markers };
}

test('the fields of a marker, and those that are missing', () => {
  assert.deepEqual(markerOf('end;7;130;4711;me;host;/usr/bin/python;/a;b'), {
    kind: 'end',
    sequence: 7,
    exitCode: 130,
    backgroundPid: 4711,
    user: 'me',
    host: 'host',
    interpreter: '/usr/bin/python',
    folder: '/a;b',
  });
  const bare = markerOf('end;7;0') as Extract<Marker, { kind: 'end' }>;
  assert.deepEqual([bare.backgroundPid, bare.user, bare.folder], [-1, '', '']);
  assert.deepEqual(markerOf('prompt;8'), { kind: 'prompt', sequence: 8 });
  assert.deepEqual(markerOf('lost;8'), { kind: 'lost', sequence: 8 });
});

test('other sequences are not markers', () => {
  for (const fields of ['', 'end', 'end;x;0', 'end;7;', 'end;7;zero', 'prompt;', 'other;7;0']) {
    assert.equal(markerOf(fields), null);
  }
  const forged = `a\x1b]697;other;end;1;0;;;;;/\x07b\x1b]0;title\x07`;
  assert.deepEqual(read(forged), { text: forged, markers: [] });
  assert.deepEqual(read('a pager without a prompt\n\x1b[7m:\x1b[0m').markers, []);
});

test('two markers in order, with text before, between and after them', () => {
  const { text, markers } = read(`a\n\n${mark('end;1;0')}b${mark('prompt;1')}c`);
  assert.deepEqual([text, markers.map(({ kind }) => kind)], ['a\n\nbc', ['end', 'prompt']]);
});

test('an opening without an end hides neither the text nor the next marker', () => {
  const opening = `\x1b]697;${NONCE};`;
  const { text, markers } = read(`a${opening}b${mark('end;1;0')}c${opening}`, 'x'.repeat(20_000));
  assert.deepEqual([text, markers.length], [`abc${'x'.repeat(20_000)}`, 1]);
});

test('a marker may arrive in any pieces, and no text is lost', () => {
  const parts = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('\x1b', '\x1b]', '\x1b]697;', mark('end;1;0'))),
  );
  fc.assert(
    fc.property(parts, fc.array(fc.nat()), (given, cuts) => {
      const source = given.join('');
      const edges = [...new Set(cuts.map((cut) => cut % (source.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...edges].map((from, i) => source.slice(from, edges[i] ?? source.length));
      const whole = read(source, '.');
      const pieces = read(...chunks, '.');
      assert.deepEqual(pieces, whole);
      assert.equal(whole.text, `${source.split(mark('end;1;0')).join('')}.`);
    }),
  );
});
