import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSchemaInput } from './json-schema-input.ts';
import { ToolError } from './tool.ts';

type Schema = { readonly [key: string]: unknown };

async function refusal(schema: Schema, args: object): Promise<string> {
  const input = await jsonSchemaInput(schema);
  try {
    input.parse(args);
  } catch (error) {
    assert.ok(error instanceof ToolError);
    return error.message;
  }
  return 'accepted';
}

const KINDS: Schema = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['search', 'news'] }, n: { type: 'integer' } },
  required: ['kind'],
  additionalProperties: false,
};

test('the model gets the schema unchanged, and valid arguments pass unchanged', async () => {
  const input = await jsonSchemaInput(KINDS);
  assert.equal(input.jsonSchema, KINDS);
  const args = { kind: 'search', n: 1 };
  assert.equal(input.parse(args), args);
});

test('every invalid parameter is named, and no value is repeated', async () => {
  const said = await refusal(KINDS, { kind: 55, n: 'secret-word', extra: 'other-secret' });
  assert.match(said, /kind: must be string/);
  assert.match(said, /kind: must be one of \["search","news"\]/);
  assert.match(said, /n: must be integer/);
  assert.match(said, /extra: there is no such parameter/);
  assert.doesNotMatch(said, /55|secret-word|other-secret/);
  assert.match(await refusal(KINDS, {}), /given: none\). kind: is missing/);
});

test('nested parameters are named by their path, names with slashes too', async () => {
  const schema = {
    type: 'object',
    properties: { 'a/b': { type: 'array', items: { type: 'object', required: ['c'] } } },
  };
  assert.match(await refusal(schema, { 'a/b': [{ c: 1 }, {}] }), /a\/b\.1\.c: is missing/);
});

const LIST: readonly [what: string, schema: Schema, good: object, bad: object][] = [
  [
    'draft 2020-12: $defs and prefixItems',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { word: { type: 'string' } },
      properties: { pair: { prefixItems: [{ $ref: '#/$defs/word' }, { type: 'number' }] } },
    },
    { pair: ['a', 1] },
    { pair: [1, 'a'] },
  ],
  [
    'draft 7: definitions and a list of items',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { word: { type: 'string' } },
      properties: { pair: { items: [{ $ref: '#/definitions/word' }, { type: 'number' }] } },
    },
    { pair: ['a', 1] },
    { pair: [1, 'a'] },
  ],
  [
    'draft 7 that does not say so',
    { properties: { pair: { items: [{ type: 'string' }] } } },
    { pair: ['a'] },
    { pair: [1] },
  ],
  [
    'draft 2019-09',
    {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      properties: { a: { dependentRequired: { b: ['c'] } } },
    },
    { a: { b: 1, c: 1 } },
    { a: { b: 1 } },
  ],
  ['draft 4 by name', { $schema: 'http://json-schema.org/draft-04/schema#', required: ['a'] }, { a: 1 }, {}],
  ['boolean schemas', { properties: { yes: true, no: false } }, { yes: [1] }, { no: 1 }],
  [
    'a schema that refers to itself',
    {
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } },
      },
      properties: { list: { $ref: '#/$defs/node' } },
    },
    { list: { v: 1, next: { v: 2 } } },
    { list: { v: 1, next: { v: 'x' } } },
  ],
  ['an identifier that is nowhere', { $id: 'https://example.invalid/s', required: ['a'] }, { a: 1 }, {}],
  [
    'parameters called as the envelope or as what every object has',
    { required: ['constructor', 'kind', 'hasOwnProperty'] },
    { constructor: 1, kind: 1, hasOwnProperty: 1 },
    { kind: 1 },
  ],
];
for (const [what, schema, good, bad] of LIST) {
  test(`${what}: valid arguments pass, invalid ones do not`, async () => {
    assert.equal(await refusal(schema, good), 'accepted');
    assert.match(await refusal(schema, bad), /not valid/);
  });
}

test('formats are not checked, and a schema that does not compile accepts all arguments', async () => {
  const email = { properties: { to: { type: 'string', format: 'email' } } };
  assert.equal(await refusal(email, { to: 'nobody' }), 'accepted');
  assert.equal(await refusal({ properties: { a: { $ref: '#/nowhere' } } }, { a: 1 }), 'accepted');
  assert.equal(await refusal({ type: 'no such type' }, { a: 1 }), 'accepted');
  assert.equal(await refusal({ $async: true, required: ['a'] }, {}), 'accepted');
});

test('two schemas with the same $id do not clash', async () => {
  const one = await jsonSchemaInput({ $id: 'same', required: ['a'] });
  const two = await jsonSchemaInput({ $id: 'same', required: ['b'] });
  assert.throws(() => one.parse({ b: 1 }), /a: is missing/);
  assert.throws(() => two.parse({ a: 1 }), /b: is missing/);
});

test('a pattern that takes too long is left to the tool; others are checked', async () => {
  const schema = (pattern: string) => ({ type: 'object', properties: { text: { type: 'string', pattern } } });
  assert.equal(await refusal(schema('^(a+)+$'), { text: `${'a'.repeat(60)}b` }), 'accepted');
  assert.match(await refusal(schema('^(a+)+$'), { text: 'b' }), /text: must match pattern/);
  assert.equal(await refusal(schema('^(a+)+$'), { text: 'aaa' }), 'accepted');
});
