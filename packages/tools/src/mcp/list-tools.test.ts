import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Listed, listed, listTools } from './list-tools.ts';

const none = () => undefined;

function toolWith(inputSchema: object, more: object = {}): Listed {
  const tool = listed({ name: 'a', inputSchema, ...more }, none);
  assert.ok(tool !== undefined);
  return tool;
}

test('references are replaced by their targets, circular and external ones by any object', () => {
  const { schema } = toolWith({
    type: 'object',
    properties: {
      $ref: { type: 'string' },
      tree: { $ref: '#/$defs/node', description: 'the root' },
      far: { $ref: 'https://example.invalid/schema' },
      lost: { $ref: '#/$defs/nothing' },
      proto: { $ref: '#/__proto__' },
      share: { $ref: '#/$defs/100%' },
      named: { $ref: '#/%24defs/gr%C3%B6%C3%9fe' },
    },
    $defs: {
      '100%': { type: 'number' },
      größe: { type: 'integer' },
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
    },
    required: ['tree'],
  });
  const any = (ref: string) => ({ type: 'object', description: `As in ${ref}.` });
  assert.deepEqual(schema, {
    type: 'object',
    properties: {
      $ref: { type: 'string' },
      tree: { type: 'object', properties: { next: any('#/$defs/node') }, description: 'the root' },
      far: any('https://example.invalid/schema'),
      lost: any('#/$defs/nothing'),
      proto: any('#/__proto__'),
      share: { type: 'number' },
      named: { type: 'integer' },
    },
    required: ['tree'],
  });
});

test('a schema that doubles with every reference stays bounded', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } } },
    ]),
  );
  const { schema } = toolWith({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs });
  assert.ok(JSON.stringify(schema).length < 500_000);
});

test('boolean schemas, and missing or endless descriptions, are handled', () => {
  const tool = toolWith({ properties: { any: true, never: false } }, { description: ' ' });
  assert.deepEqual(tool.schema, { type: 'object', properties: { any: {}, never: { not: {} } } });
  assert.equal(tool.description, 'No description.');
  assert.equal(toolWith({}, { description: 'x'.repeat(20_000) }).description.length, 8_000);
});

test('missing annotations have the defaults of MCP', () => {
  assert.deepEqual(toolWith({}).annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  const { annotations } = toolWith(
    {},
    { title: 't', annotations: { readOnlyHint: true, openWorldHint: 'no' } },
  );
  assert.deepEqual(
    [annotations.title, annotations.readOnlyHint, annotations.openWorldHint],
    ['t', true, true],
  );
});

test('pages are read one after another; the number of tools and of reported faults is limited', async () => {
  const pages: { [cursor: string]: object } = {
    '': { tools: [{ name: 'a', inputSchema: {} }], nextCursor: '2' },
    2: { tools: [{ name: 'b', inputSchema: {} }], nextCursor: '2' },
  };
  const asked: (string | undefined)[] = [];
  const tools = await listTools(async (cursor) => {
    asked.push(cursor);
    return pages[cursor ?? ''];
  }, none);
  assert.deepEqual(
    [tools.map(({ name }) => name), asked],
    [
      ['a', 'b'],
      [undefined, '2'],
    ],
  );

  const warnings: string[] = [];
  const many = await listTools(
    async () => ({ tools: Array.from({ length: 3_000 }, (_, i) => ({ name: `t${i}` })) }),
    (text) => warnings.push(text),
  );
  assert.deepEqual([many.length, warnings.length], [1_000, 9]);
  await assert.rejects(
    listTools(async () => ({ tools: 'none' }), none),
    /is not a list/,
  );
});
