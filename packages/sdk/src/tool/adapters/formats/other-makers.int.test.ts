/** Tools of other frameworks, in the shape that each gives them. `npm run other-makers` runs the same with the real packages. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tool as aiTool } from 'ai';
import * as z from 'zod';
import { checkMaker, type Input, type Make } from '../../../../test-support/check-maker.ts';
import {
  AdkFunctionTool,
  agenticFunction,
  anthropicTool,
  genkitTool,
  LlamaIndexTool,
  mastraTool,
  StrandsTool,
} from '../../../../test-support/other-makers.ts';
import { type TriedTools, tryTools } from '../../../testing/try-tools.ts';
import { toolSchema } from '../../tool-schema.ts';
import { adaptTool, adaptTools } from '../adapt-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-makers-'));
const tried: TriedTools[] = [];
after(async () => {
  for (const each of tried) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(foreign: object): Promise<TriedTools> {
  const opened = await tryTools(await adaptTool(foreign), { folder });
  tried.push(opened);
  return opened;
}

const schema = z.object({ kind: z.string(), n: z.number().default(3) });
// As frameworks make it: the default counts as required.
const jsonSchema = JSON.parse(JSON.stringify(z.toJSONSchema(schema))) as { readonly [key: string]: unknown };
const described = { name: 'web_search', description: 'searches' };
const checked = (run: (input: Input) => unknown) => ({
  ...described,
  schema,
  jsonSchema,
  execute: async (input: Input) => run(input),
});

const MAKERS: { readonly [maker: string]: Make } = {
  "Anthropic's SDK": (run) => anthropicTool(checked(run)),
  LlamaIndex: (run) => new LlamaIndexTool(checked(run)),
  Strands: (run) => new StrandsTool(checked(run)),
  Genkit: (run) => genkitTool(checked(run)),
  agentic: (run) => agenticFunction(checked(run)),
  Mastra: (run) =>
    mastraTool({ id: 'web_search', description: 'searches', inputSchema: schema, execute: run }),
  "Google's ADK": (run) => new AdkFunctionTool({ ...described, parameters: schema, execute: run }),
};
for (const [maker, make] of Object.entries(MAKERS)) {
  test(`${maker}: name, arguments, defaults, faults and failures`, async () => {
    await checkMaker(make, { adaptTool, tryTools }, folder);
  });
}

test("Anthropic's SDK: the context of a call, the content of a result and of a ToolError, and close", async () => {
  const seen: unknown[] = [];
  let isClosed = false;
  class ToolError extends Error {
    override readonly name = 'ToolError';
    readonly content = [{ type: 'text', text: 'try another index' }];
  }
  const execute = (input: { kind: string }, context: { toolUse: object; signal: AbortSignal }) => {
    seen.push(context.toolUse, context.signal instanceof AbortSignal);
    if (input.kind === 'fail') throw new ToolError('hidden');
    const source = { type: 'base64', media_type: 'image/png', data: 'QUJD' };
    return [
      { type: 'text', text: 'see' },
      { type: 'image', source },
    ];
  };
  const close = () => {
    isClosed = true;
  };
  const tool = { ...anthropicTool({ ...described, schema, jsonSchema, execute }), close };
  const opened = await tryTools(await adaptTool(tool), { folder });
  const { content } = await opened.call({ kind: 'search' });
  assert.deepEqual(content, [
    { cache_prompt: false, type: 'text', text: 'see' },
    { cache_prompt: false, type: 'image', image_urls: ['data:image/png;base64,QUJD'] },
  ]);
  assert.deepEqual(seen, [
    { type: 'tool_use', id: 'call_1', name: 'web_search', input: { kind: 'search' } },
    true,
  ]);
  const failed = await opened.call({ kind: 'fail' });
  assert.deepEqual(
    [failed.isError, /try another index/.test(failed.said), /hidden/.test(failed.said)],
    [true, true, false],
  );
  await opened.close();
  assert.equal(isClosed, true);
});

test("Anthropic's SDK: betaTool, whose parse accepts everything, is checked by its JSON Schema", async () => {
  const loose = { parse: (args: unknown) => args };
  const opened = await open(anthropicTool({ ...described, schema: loose, jsonSchema, execute: () => 'ran' }));
  assert.match((await opened.call({ kind: 5, n: 1 })).said, /kind: must be string/);
  assert.equal((await opened.call({ kind: 'x', n: 1 })).said, 'ran');
});

test('Strands and Genkit: a tool that interrupts to ask a person is an error, and is not taken for an answer', async () => {
  const asks = (_: unknown, { interrupt }: { interrupt: () => never }) => interrupt();
  const strands = await (
    await open(new StrandsTool({ ...described, schema, jsonSchema, execute: asks }))
  ).call({ kind: 'x' });
  assert.deepEqual([strands.isError, /needsApproval/.test(strands.said)], [true, true]);
  class ToolInterruptError extends Error {
    override readonly name = 'ToolInterruptError';
  }
  const interrupts = () => {
    throw new ToolInterruptError();
  };
  const genkit = await (
    await open(genkitTool({ ...described, schema, jsonSchema, execute: interrupts }))
  ).call({ kind: 'x' });
  assert.deepEqual([genkit.isError, /only Genkit can resume/.test(genkit.said)], [true, true]);
});

test('agentic: a set of functions is adapted as it is', async () => {
  const set = new Set(
    ['a', 'b'].map((name) =>
      agenticFunction({ ...described, name, schema, jsonSchema, execute: () => name }),
    ),
  );
  assert.deepEqual(
    (await adaptTools(set)).map(({ name }) => name),
    ['a', 'b'],
  );
});

test('Mastra: the id is the name, toModelOutput gets the output, and a refused context is an error', async () => {
  const toModelOutput = (output: { rows: number }) => ({ type: 'text', value: `${output.rows} rows` });
  const options = { id: 'my.search', description: 'd', inputSchema: schema, toModelOutput };
  const opened = await open(mastraTool({ ...options, execute: () => ({ rows: 3 }) }));
  assert.deepEqual([opened.tools[0]?.name, (await opened.call({ kind: 'x' })).said], ['my_search', '3 rows']);
  const invalid = { error: true, message: 'the context lacks a user', validationErrors: {} };
  const refused = await (await open(mastraTool({ ...options, execute: () => invalid }))).call({ kind: 'x' });
  assert.deepEqual([refused.isError, /the context lacks a user/.test(refused.said)], [true, true]);
});

test('Mastra: a title is kept, and a tool without execute is rejected', async () => {
  const options = { id: 'search', title: 'Looks things up', description: 'd', inputSchema: schema };
  const opened = await open(mastraTool({ ...options, execute: () => 'ran' }));
  assert.equal(opened.tools[0]?.annotations.title, 'Looks things up');
  const client = mastraTool({ ...options, execute: undefined as never });
  await assert.rejects(adaptTool(client), /the tool "search" cannot be adapted: it has no execute/);
});

test("Google's ADK: the schema of Gemini becomes JSON Schema, and a tool without a function is rejected", async () => {
  const given: unknown[] = [];
  const tool = (parameters: object) => ({
    name: 'search',
    description: 'd',
    _getDeclaration: () => ({ name: 'search', parameters }),
    runAsync: async ({ args }: { args: object }) => given.push(args),
  });
  const opened = await open(
    tool({
      type: 'OBJECT',
      properties: {
        type: { type: 'STRING', maxLength: '3', example: 'abc' },
        tags: { type: 'ARRAY', items: { type: 'INTEGER', nullable: true }, minItems: '1' },
        either: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
      },
      required: ['type'],
      propertyOrdering: ['type', 'tags'],
    }),
  );
  const {
    security_risk: _,
    summary: __,
    ...properties
  } = toolSchema(opened.tools[0]!).parameters['properties'] as {
    readonly [name: string]: object;
  };
  assert.deepEqual(properties, {
    type: { type: 'string', maxLength: 3 },
    tags: { type: 'array', items: { type: ['integer', 'null'] }, minItems: 1 },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  });
  assert.equal((await opened.call({ type: 'abc', tags: [1, null], either: 5 })).isError, false);
  for (const wrong of [{ type: 'abcd' }, { tags: [] }, { type: 'a', either: true }]) {
    assert.equal((await opened.call(wrong)).isError, true);
  }
  assert.deepEqual(given, [{ type: 'abc', tags: [1, null], either: 5 }]);
  const described = { ...tool({}), _getDeclaration: () => ({ parametersJsonSchema: jsonSchema }) };
  assert.match((await (await open(described)).call({ kind: 5, n: 1 })).said, /kind/);
  const builtIn = { ...tool({}), _getDeclaration: () => undefined };
  await assert.rejects(adaptTool(builtIn), /it declares no function/);
});

test('AI SDK: an output that denies the execution is an error with its reason', async () => {
  const toModelOutput = ({ output }: { output: string }) => ({ type: 'execution-denied', reason: output });
  const tool = aiTool({
    inputSchema: z.object({}),
    execute: async () => 'not today',
    toModelOutput,
  } as never);
  const opened = await tryTools(await adaptTool(tool, { name: 'x' }), { folder });
  tried.push(opened);
  const { said, isError } = await opened.call({});
  assert.deepEqual([isError, /The call was denied\. not today/.test(said)], [true, true]);
});

test('AI SDK 5: toModelOutput gets the output alone', async () => {
  const inputSchema = z.object({});
  const execute = async () => ({ rows: 3 });
  const told = async (toModelOutput: (...args: never[]) => unknown) => {
    const tool = aiTool({ inputSchema, execute, toModelOutput } as never);
    const opened = await tryTools(await adaptTool(tool, { name: 'x' }), { folder });
    tried.push(opened);
    return (await opened.call({})).said;
  };
  assert.equal(
    await told((result: { rows: number }) => ({ type: 'text', value: `${result.rows} rows` })),
    '3 rows',
  );
  assert.equal(
    await told(({ output }: { output: { rows: number } }) => ({
      type: 'text',
      value: `${output.rows} rows`,
    })),
    '3 rows',
  );
});
