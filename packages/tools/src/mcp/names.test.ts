import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exposedNames } from './names.ts';

const ALONE = { isAlone: true, taken: new Set<string>() };
const AMONG = { isAlone: false, taken: new Set<string>() };

test('tools of a single server keep their names, those of several are prefixed', () => {
  const tools = [{ server: 'git hub', tool: 'get-issue' }];
  assert.deepEqual(exposedNames(tools, ALONE), ['get-issue']);
  assert.deepEqual(exposedNames(tools, AMONG), ['git_hub_get-issue']);
});

test('a name that is taken is prefixed with its server, then gets a hash', () => {
  const tools = [{ server: 's', tool: 'terminal' }];
  assert.deepEqual(exposedNames(tools, { isAlone: true, taken: new Set(['terminal']) }), ['s_terminal']);
  const [hashed] = exposedNames(tools, { isAlone: true, taken: new Set(['terminal', 's_terminal']) });
  assert.match(hashed ?? '', /^s_terminal_[0-9a-f]{8}$/);
});

test('property: all names are accepted by all providers, unique, and the same every time', () => {
  const word = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90 }),
    fc.constantFrom('a', 'a_b', 'a.b', 'a b'),
  );
  const tools = fc.uniqueArray(fc.record({ server: word, tool: word }), {
    selector: ({ server, tool }) => JSON.stringify([server, tool]),
  });
  fc.assert(
    fc.property(tools, fc.boolean(), fc.array(word), (list, isAlone, taken) => {
      const options = { isAlone, taken: new Set(taken) };
      const names = exposedNames(list, options);
      assert.equal(new Set([...names, ...options.taken]).size, names.length + options.taken.size);
      for (const name of names) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      assert.deepEqual(exposedNames(list, options), names);
    }),
  );
});
