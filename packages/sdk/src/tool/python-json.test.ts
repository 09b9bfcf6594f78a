import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pythonJson } from './python-json.ts';

test('a space follows each comma and colon, and characters outside ASCII are escaped', () => {
  assert.equal(
    pythonJson({ a: [1, true, null], b: 'grüß 👋\n' }),
    '{"a": [1, true, null], "b": "gr\\u00fc\\u00df \\ud83d\\udc4b\\n"}',
  );
});

test('property: the text is ASCII, and parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = pythonJson(value);
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
      assert.ok([...json].every((character) => character.charCodeAt(0) < 128));
    }),
  );
});
