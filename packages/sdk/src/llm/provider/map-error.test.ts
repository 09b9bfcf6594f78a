import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LLMError } from '../errors.ts';
import { mapError } from './map-error.ts';

const endpoint = { model: 'm', address: 'a', keyVariable: 'K' };
const answered = (responseBody: string, statusCode = 400) =>
  mapError(Object.assign(new Error('Bad Request'), { statusCode, responseBody }), endpoint);

test('an object in place of an error message is shown as JSON', () => {
  const error = answered('{"error": {"message": {"field": "is too long"}}}');
  assert.ok(error instanceof LLMError);
  assert.equal(error.message, 'm at a: 400 Bad Request: {"field":"is too long"}');
});

test('the cause of a failed connection is quoted once', () => {
  const messageOf = (error: Error) => (mapError(error, endpoint) as LLMError).message;
  const quoted = new Error('Cannot connect to API: refused', { cause: new Error('refused') });
  assert.equal(messageOf(quoted), 'm at a: Cannot connect to API: refused');
  const silent = new Error('fetch failed', { cause: new Error('refused') });
  assert.equal(messageOf(silent), 'm at a: fetch failed: refused');
});

test('property: whatever a server answers with an error, it becomes an LLMError', () => {
  const part = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string());
  const body = fc.oneof(
    fc.record(
      { error: fc.oneof(part, fc.record({ message: part, code: part })), message: part },
      { requiredKeys: [] },
    ),
    part,
  );
  fc.assert(
    fc.property(body, fc.boolean(), fc.constantFrom(400, 401, 413, 429, 500), (said, isJson, status) => {
      assert.ok(answered(isJson ? JSON.stringify(said) : '<html>', status) instanceof LLMError);
      assert.ok(mapError(said, endpoint) instanceof LLMError);
    }),
    { numRuns: 300 },
  );
});
