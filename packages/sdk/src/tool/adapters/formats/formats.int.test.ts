/** Tools made with the real libraries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool as langChainTool } from '@langchain/core/tools';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { tool as openAiTool } from '@openai/agents-core';
import { tool as aiTool, dynamicTool, jsonSchema } from 'ai';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { openedTools } from '../../../../test-support/opened-tools.ts';
import type { ToolResult } from '../../../testing/try-tools.ts';
import { toolSchema } from '../../tool-schema.ts';
import { adaptTool, adaptTools } from '../adapt-tool.ts';
import type { AdaptOptions } from '../format.ts';

const open = openedTools();

async function call(foreign: object, args: object | string, options: AdaptOptions = {}): Promise<ToolResult> {
  return await (await open(await adaptTool(foreign, { name: 'web_search', ...options }))).call(args);
}

async function properties(foreign: object, options: AdaptOptions = {}): Promise<object> {
  const factory = await adaptTool(foreign, { name: 'web_search', ...options });
  return toolSchema((await open(factory)).tools[0]!).parameters['properties'] as object;
}

/** Connected to a server with one tool, `find`, which answers with its arguments. */
async function mcpPair() {
  const server = new McpServer({ name: 'test', version: '1' });
  const inputSchema = z.object({ kind: z.string(), data: z.number().optional() });
  server.registerTool(
    'find.it',
    { description: 'finds', inputSchema, annotations: { readOnlyHint: true } },
    async (args) => {
      if (args.kind === 'fail') return { content: [{ type: 'text', text: 'no such place' }], isError: true };
      return {
        content: [
          { type: 'text', text: JSON.stringify(args) },
          { type: 'image', data: 'QUJD', mimeType: 'image/webp' },
        ],
      };
    },
  );
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  return { client, server };
}

/** The same tool in every format: it returns its arguments. */
const shape = { kind: z.string(), data: z.unknown().optional(), type: z.string().optional() };
const FORMATS: readonly [format: string, make: () => object][] = [
  [
    'AI SDK',
    () => aiTool({ description: 'd', inputSchema: z.object(shape), execute: async (input) => input }),
  ],
  [
    'AI SDK, JSON Schema',
    () =>
      aiTool({
        inputSchema: jsonSchema<object>({
          type: 'object',
          properties: { kind: { type: 'string' } },
          required: ['kind'],
        }),
        execute: async (input) => input,
      }),
  ],
  [
    'AI SDK, lazy schema',
    () =>
      aiTool({
        inputSchema: () => jsonSchema<object>({ type: 'object', properties: { kind: { type: 'string' } } }),
        execute: async (input) => input,
      }),
  ],
  [
    'AI SDK, dynamic',
    () => dynamicTool({ description: 'd', inputSchema: z.object(shape), execute: async (input) => input }),
  ],
  [
    'AI SDK, zod 3',
    () =>
      aiTool({
        inputSchema: z3.object({ kind: z3.string(), data: z3.any(), type: z3.string().optional() }),
        execute: async (input: object) => input,
      }),
  ],
  [
    '@openai/agents, zod',
    () =>
      openAiTool({
        name: 'web_search',
        description: 'd',
        parameters: z.object({ kind: z.string(), data: z.number().nullable(), type: z.string().nullable() }),
        errorFunction: null,
        execute: async (input) => input,
      }),
  ],
  [
    '@openai/agents, JSON Schema',
    () =>
      openAiTool({
        name: 'web_search',
        description: 'd',
        strict: false,
        parameters: {
          type: 'object',
          properties: { kind: { type: 'string' } },
          required: ['kind'],
          additionalProperties: true,
        },
        errorFunction: null,
        execute: async (input) => input as object,
      }),
  ],
  [
    'LangChain, zod',
    () =>
      langChainTool(async (input) => JSON.stringify(input), {
        name: 'web_search',
        description: 'd',
        schema: z.object(shape),
      }),
  ],
  [
    'LangChain, JSON Schema',
    () =>
      langChainTool(async (input) => JSON.stringify(input), {
        name: 'web_search',
        description: 'd',
        schema: { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
      }),
  ],
  [
    'Claude agent SDK',
    () => ({
      name: 'web_search',
      description: 'd',
      inputSchema: shape,
      handler: async (input: object) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
    }),
  ],
  [
    'Claude agent SDK, zod 3',
    () => ({
      name: 'web_search',
      description: 'd',
      inputSchema: { kind: z3.string(), data: z3.any(), type: z3.string().optional() },
      handler: async (input: object) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
    }),
  ],
  [
    'a function with zod',
    () => ({ name: 'web_search', parameters: z.object(shape), execute: (input: object) => input }),
  ],
  [
    'a function with zod 3',
    () => ({
      name: 'web_search',
      parameters: z3.object({ kind: z3.string(), data: z3.any(), type: z3.string().optional() }),
      execute: (input: object) => input,
    }),
  ],
  [
    'a function with JSON Schema',
    () => ({
      name: 'web_search',
      parameters: { type: 'object', properties: { kind: { type: 'string' } } },
      execute: async (input: object) => input,
    }),
  ],
];
for (const [format, make] of FORMATS) {
  test(`${format}: a parameter called kind arrives, and so do data and type`, async () => {
    const args = { kind: 'search', data: 5, type: 'tool_call' };
    const { said, isError, observation } = await call(make(), args);
    assert.deepEqual(JSON.parse(said), args);
    assert.equal(isError, false);
    assert.equal(observation?.kind, 'WebSearchObservation');
    assert.ok('kind' in (await properties(make())));
  });
  test(`${format}: {"kind":5} against a string is an error result that names the field`, async () => {
    const { said, isError } = await call(make(), { kind: 55, data: 5, type: '' });
    assert.match(said, /kind/);
    assert.doesNotMatch(said, /55/);
    assert.equal(isError, true);
  });
}

test('MCP: listed tools are called through their client, with any parameter name', async () => {
  const { client, server } = await mcpPair();
  const { tools } = await client.listTools();
  const [factory] = await adaptTools(tools, { client });
  assert.equal(factory?.name, 'find_it');
  const opened = await open(factory!);
  assert.equal(opened.tools[0]?.annotations.readOnlyHint, true);
  const found = await opened.call({ kind: 'search', data: 5 });
  assert.deepEqual(JSON.parse(found.said), { kind: 'search', data: 5 });
  assert.deepEqual(found.content[1], {
    cache_prompt: false,
    type: 'image',
    image_urls: ['data:image/webp;base64,QUJD'],
  });
  assert.match((await opened.call({ kind: 5 })).said, /kind: must be string/);
  const failed = await opened.call({ kind: 'fail' });
  assert.deepEqual([failed.isError, /no such place/.test(failed.said)], [true, true]);
  await client.close();
  const closed = await opened.call({ kind: 'search' });
  assert.equal(closed.isError, true);
  await server.close();
});

test('@openai/agents: an error that the package hides is still an error; with errorFunction: null its text is reported', async () => {
  const fail = async () => {
    throw new TypeError('the index is gone');
  };
  const parameters = z.object({ kind: z.string() });
  const hidden = openAiTool({ name: 'a', description: 'd', parameters, execute: fail });
  const open = openAiTool({ name: 'a', description: 'd', parameters, execute: fail, errorFunction: null });
  const first = await call(hidden, { kind: 'x' });
  assert.deepEqual([first.isError, /errorFunction: null/.test(first.said)], [true, true]);
  const second = await call(open, { kind: 'x' });
  assert.deepEqual([second.isError, /TypeError: the index is gone\n\s+at /.test(second.said)], [true, true]);
});

test('@openai/agents: a tool that is not enabled is left out, one with guardrails is refused', async () => {
  const options = { name: 'a', description: 'd', parameters: z.object({}), execute: async () => 'x' };
  const off = await open(await adaptTool(openAiTool({ ...options, isEnabled: false })));
  assert.deepEqual(off.tools, []);
  const guarded = openAiTool({
    ...options,
    inputGuardrails: [{ name: 'g', run: async () => ({ behavior: { type: 'allow' as const } }) }],
  });
  await assert.rejects(adaptTool(guarded), /"a" cannot be adapted: it has guardrails/);
});

test('AI SDK: a set by name; async generator, toModelOutput, call id, signal, context', async () => {
  let seen: { toolCallId?: string; context?: unknown; abortSignal?: AbortSignal } = {};
  const factories = await adaptTools(
    {
      counts: aiTool({
        inputSchema: z.object({ to: z.number() }),
        async *execute({ to }, options) {
          seen = options;
          for (let n = 1; n <= to; n += 1) yield `at ${n}`;
        },
      }),
      draws: aiTool({
        inputSchema: z.object({}),
        execute: async () => ({ bytes: 'QUJD' }),
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [
            { type: 'text', text: 'a circle' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: output.bytes } },
          ],
        }),
      }),
      denies: aiTool({
        inputSchema: z.object({}),
        execute: async () => 1,
        toModelOutput: () => ({ type: 'error-text', value: 'not today' }),
      }),
    },
    { context: { user: 'ann' } },
  );
  assert.deepEqual(
    factories.map(({ name }) => name),
    ['counts', 'draws', 'denies'],
  );
  const [counts, draws, denies] = await Promise.all(factories.map(open));
  assert.equal((await counts!.call({ to: 3 })).said, 'at 3');
  assert.equal(seen.toolCallId, 'call_1');
  assert.deepEqual(seen.context, { user: 'ann' });
  assert.ok(seen.abortSignal instanceof AbortSignal);
  assert.deepEqual((await draws!.call({})).observation?.content, [
    { cache_prompt: false, type: 'text', text: 'a circle' },
    { cache_prompt: false, type: 'image', image_urls: ['data:image/png;base64,QUJD'] },
  ]);
  const denied = await denies!.call({});
  assert.deepEqual([denied.isError, /not today/.test(denied.said)], [true, true]);
});

test('AI SDK: the model gets the schema verbatim after the meta parameters; only the tool gets defaults and conversions', async () => {
  const inputSchema = z.object({
    when: z.string().transform((day) => new Date(day)),
    n: z.number().default(7),
  });
  const tool = aiTool({
    inputSchema,
    execute: async ({ when, n }) => `${when instanceof Date} ${when.getUTCFullYear()} ${n}`,
  });
  const factory = await adaptTool(tool, { name: 'day' });
  const opened = await open(factory);
  const { parameters } = toolSchema(opened.tools[0]!);
  const told = z.toJSONSchema(inputSchema, { io: 'input' });
  assert.deepEqual(parameters, {
    ...told,
    properties: {
      security_risk: (parameters['properties'] as { security_risk: object }).security_risk,
      summary: (parameters['properties'] as { summary: object }).summary,
      ...told.properties,
    },
  });
  assert.deepEqual(Object.keys(parameters['properties'] as object), [
    'security_risk',
    'summary',
    'when',
    'n',
  ]);
  assert.equal((await opened.call({ when: '2026-01-01' })).said, 'true 2026 7');
});

test('an asynchronous check is awaited', async () => {
  const tool = aiTool({
    inputSchema: z.object({ kind: z.string().refine(async (kind) => kind === 'search', 'no such kind') }),
    execute: async ({ kind }) => kind,
  });
  assert.equal((await call(tool, { kind: 'search' })).said, 'search');
  assert.match((await call(tool, { kind: 'x' })).said, /kind: no such kind/);
});

test('LangChain: content and artifact, returnDirect, a tool with one string, and errors', async () => {
  const both = langChainTool(async () => ['seen', { rows: 3 }], {
    name: 'a',
    description: 'd',
    schema: z.object({}),
    responseFormat: 'content_and_artifact',
    returnDirect: true,
  });
  const opened = await open(await adaptTool(both));
  assert.equal(opened.tools[0]?.endsRun, true);
  assert.equal((await opened.call({})).said, 'seen');
  const word = langChainTool(async (input: string) => input.toUpperCase(), { name: 'a', description: 'd' });
  assert.equal((await call(word, { input: 'low' })).said, 'LOW');
  const image = langChainTool(
    async () => [{ type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } }],
    { name: 'a', description: 'd', schema: z.object({}) },
  );
  assert.deepEqual((await call(image, {})).content, [
    { cache_prompt: false, type: 'image', image_urls: ['https://example.invalid/a.png'] },
  ]);
  const failing = langChainTool(
    async () => {
      throw new RangeError('too far');
    },
    { name: 'a', description: 'd', schema: z.object({}) },
  );
  assert.match((await call(failing, {})).said, /RangeError: too far\n\s+at /);
});

test('a null argument is passed on if the schema allows it', async () => {
  const tool = {
    name: 'a',
    parameters: { type: 'object', properties: { kind: { type: ['string', 'null'] } }, required: ['kind'] },
    execute: (input: object) => input,
  };
  assert.equal((await call(tool, '{"kind":null}')).said, '{"kind":null}');
  assert.match((await call(tool, '{}')).said, /kind: is missing/);
});

test('an unknown shape is rejected with a list of the formats, a client tool with what it lacks, and nothing is called', async () => {
  let called = 0;
  const shout = () => {
    called += 1;
    return 'x';
  };
  await assert.rejects(adaptTool({ shout }), (error: Error) => {
    for (const form of ['AI SDK', '@openai/agents', 'MCP', 'LangChain', 'Claude', 'function']) {
      assert.match(error.message, new RegExp(form));
    }
    return true;
  });
  await assert.rejects(adaptTool(shout), /not a tool that can be adapted/);
  await assert.rejects(adaptTools({ lost: undefined as never }), /"lost" is not a tool that can be adapted/);
  await assert.rejects(adaptTool({ parameters: {}, execute: shout }), /has no name/);
  await assert.rejects(adaptTool({ name: 'a', parameters: 'text', execute: shout }), /"a" cannot be adapted/);
  await assert.rejects(
    adaptTool(aiTool({ inputSchema: z.object({}) }), { name: 'ask' }),
    /"ask" cannot be adapted: it has no execute/,
  );
  for (const [, make] of FORMATS) await adaptTool(make(), { name: 'web_search' });
  assert.equal(called, 0);
});
