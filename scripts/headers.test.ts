import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headers as Lean } from './headers.ts';

test('the headers of the bundle do what the global ones do, as far as provider packages use them', () => {
  for (const Each of [Headers, Lean]) {
    const headers = new Each({ 'User-Agent': 'a', Accept: 'b' });
    headers.set('user-agent', `${headers.get('USER-AGENT')} c`);
    headers.append('X', '1');
    headers.append('x', '2');
    assert.equal(headers.get('none'), null);
    assert.ok(headers.has('X'));
    headers.delete('ACCEPT');
    assert.deepEqual(Object.fromEntries(headers.entries()), { 'user-agent': 'a c', x: '1, 2' });
    assert.deepEqual([...new Each([...headers])].sort(), [...headers].sort());
    const seen: string[] = [];
    headers.forEach((value, name) => {
      seen.push(`${name}=${value}`);
    });
    assert.deepEqual(seen.sort(), ['user-agent=a c', 'x=1, 2']);
    assert.ok(headers instanceof Lean);
  }
  for (const other of [{}, [], null, 'x', new Map()]) assert.equal((other as unknown) instanceof Lean, false);
});
