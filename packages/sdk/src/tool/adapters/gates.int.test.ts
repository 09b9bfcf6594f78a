/** Tools whose calls need a person's approval: it is never bypassed, whatever the framework. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool as langChainTool } from '@langchain/core/tools';
import { tool as openAiTool } from '@openai/agents-core';
import { tool as aiTool } from 'ai';
import * as z from 'zod';
import { openInMemory } from '../../../test-support/open-in-memory.ts';
import { openedTools } from '../../../test-support/opened-tools.ts';
import { AdkFunctionTool, mastraTool } from '../../../test-support/other-makers.ts';
import { adaptTool } from './adapt-tool.ts';
import type { AdaptOptions } from './format.ts';

const openTools = openedTools();
const open = async (foreign: object, options: AdaptOptions = {}) =>
  await openTools(await adaptTool(foreign, { name: 'x', ...options }));

type Run = () => string;

const description = 'd';
const schema = z.object({ n: z.number() });
const isLarge = ({ n }: { n: number }) => n > 1;
const plain = (execute: Run) => ({ name: 'x', parameters: schema, execute });

/** Tools that need approval for every call, or for those with n > 1. */
const GATED: readonly (readonly [string, (run: Run) => object, options?: AdaptOptions])[] = [
  ['AI SDK', (run) => aiTool({ inputSchema: schema, needsApproval: true, execute: async () => run() })],
  [
    'AI SDK, by input',
    (run) => aiTool({ inputSchema: schema, needsApproval: isLarge, execute: async () => run() }),
  ],
  [
    '@openai/agents',
    (run) =>
      openAiTool({
        name: 'x',
        description,
        parameters: schema,
        needsApproval: true,
        execute: async () => run(),
      }),
  ],
  [
    '@openai/agents, by input',
    (run) =>
      openAiTool({
        name: 'x',
        description,
        parameters: schema,
        needsApproval: async (_, input) => isLarge(input),
        execute: async () => run(),
      }),
  ],
  [
    'the same in the shape of Python',
    (run) => ({
      name: 'x',
      params_json_schema: { type: 'object' },
      on_invoke_tool: run,
      needs_approval: true,
    }),
  ],
  [
    'Mastra',
    (run) => mastraTool({ id: 'x', description, inputSchema: schema, requireApproval: true, execute: run }),
  ],
  [
    'Mastra, by input',
    (run) =>
      mastraTool({ id: 'x', description, inputSchema: schema, requireApproval: isLarge, execute: run }),
  ],
  [
    'Mastra, by its resolved gate',
    (run) =>
      mastraTool({ id: 'x', description, inputSchema: schema, needsApprovalFn: isLarge, execute: run }),
  ],
  [
    "Google's ADK",
    (execute) =>
      new AdkFunctionTool({ name: 'x', description, parameters: schema, requireConfirmation: true, execute }),
  ],
  [
    "Google's ADK, by input",
    (execute) =>
      new AdkFunctionTool({
        name: 'x',
        description,
        parameters: schema,
        requireConfirmation: isLarge,
        execute,
      }),
  ],
  ['the option', plain, { needsApproval: true }],
  ['the option, by arguments', plain, { needsApproval: ({ n }) => Number(n) > 1 }],
  [
    'the option in place of an own gate',
    (run) => ({ ...plain(run), requires_approval: true }),
    { needsApproval: true },
  ],
];
for (const [about, make, options] of GATED) {
  test(`a gated call waits for approval, and runs once it is given: ${about}`, async (t) => {
    let ran = 0;
    const run = () => {
      ran += 1;
      return `ran ${ran}`;
    };
    const factory = await adaptTool(make(run), { name: 'gated', ...options });
    const call = { tool_calls: [{ name: 'gated', arguments: { n: 2 } }] };
    const { conversation } = await openInMemory(t, [call, call, { text: 'done' }], {
      tools: [factory],
      agent: { llm: { model: 'm' }, tools: [{ name: 'gated', params: {} }], systemPrompt: 's' },
    });
    await conversation.send('go');
    assert.deepEqual([(await conversation.run()).kind, ran], ['waiting', 0]);
    assert.equal(conversation.state.status, 'waiting_for_confirmation');
    // Running again does not help: only approval does.
    assert.deepEqual([(await conversation.run()).kind, ran], ['waiting', 0]);
    await conversation.reject('not today');
    assert.deepEqual([(await conversation.run()).kind, ran], ['waiting', 0]);
    await conversation.approve();
    assert.deepEqual([(await conversation.run()).kind, ran], ['finished', 1]);
  });
  test(`a gated call is not executed without approval outside of a conversation: ${about}`, async () => {
    let ran = 0;
    const run = () => {
      ran += 1;
      return `ran ${ran}`;
    };
    const opened = await open(make(run), options);
    const refused = await opened.call({ n: 2 });
    assert.deepEqual([refused.isError, /approval/.test(refused.said), ran], [true, true, 0]);
    const { said, isError } = await opened.call({ n: 2 }, { isApproved: true });
    assert.deepEqual([said, isError], ['ran 1', false]);
  });
}

test('a call that its gate lets through does not wait', async () => {
  for (const [about, make, options] of GATED.filter(([about]) => about.includes(', by '))) {
    const opened = await open(
      make(() => 'ran'),
      options,
    );
    assert.equal((await opened.call({ n: 1 })).said, 'ran', about);
  }
});

test('a gate that throws, or never answers, counts as one that asks for approval', async () => {
  const gates: readonly (() => never | Promise<never>)[] = [
    () => {
      throw new Error('nobody is at the desk');
    },
    () => new Promise<never>(() => undefined),
  ];
  for (const needsApproval of gates) {
    const asking = aiTool({ inputSchema: z.object({}), needsApproval, execute: async () => 'ran' });
    const opened = await open(asking, { timeoutMs: 5 });
    assert.match((await opened.call({})).said, /needs the approval of a person/);
    assert.equal((await opened.call({}, { isApproved: true })).said, 'ran');
  }
});

test('a run waits for all calls of a turn when one of them needs approval', async (t) => {
  const ran: string[] = [];
  const make = (name: string, needsApproval?: boolean) =>
    adaptTool(
      { name, parameters: {}, execute: () => ran.push(name) },
      needsApproval === undefined ? {} : { needsApproval },
    );
  const tools = [await make('free'), await make('gated', true)];
  const turn = { tool_calls: tools.map(({ name }) => ({ name, arguments: {} })) };
  const { conversation } = await openInMemory(t, [turn, { text: 'done' }], {
    tools,
    agent: { llm: { model: 'm' }, tools: tools.map(({ name }) => ({ name, params: {} })), systemPrompt: 's' },
  });
  await conversation.send('go');
  assert.deepEqual([(await conversation.run()).kind, ran], ['waiting', []]);
  await conversation.approve();
  assert.deepEqual([(await conversation.run()).kind, ran], ['finished', ['free', 'gated']]);
});

test('a tool that asks for confirmation while it runs is not confirmed unasked', async () => {
  const asks = new AdkFunctionTool({
    name: 'x',
    description,
    parameters: schema,
    execute: (
      _: never,
      { toolConfirmation, requestConfirmation }: Parameters<AdkFunctionTool['runAsync']>[0]['toolContext'],
    ) => {
      if (toolConfirmation?.confirmed !== true) requestConfirmation({ hint: 'sure?' });
      return 'ran';
    },
  });
  const refused = await (await open(asks)).call({ n: 1 });
  assert.deepEqual([refused.isError, /set the option needsApproval/.test(refused.said)], [true, true]);
  const opened = await open(asks, { needsApproval: true });
  assert.equal((await opened.call({ n: 1 }, { isApproved: true })).said, 'ran');
});

test('a field that reads like a gate that is not known is refused, until the option says what it means', async () => {
  const execute = () => 'ran';
  const langChain = () => langChainTool(async () => 'ran', { name: 'x', description, schema });
  const unknown: readonly (readonly [string, object])[] = [
    ['needsApproval', { ...plain(execute), needsApproval: true }],
    ['needsApproval', { ...plain(execute), needsApproval: () => true }],
    ['requiresApproval', aiTool({ inputSchema: schema, execute, requiresApproval: true } as never)],
    ['interrupt', { ...plain(execute), interrupt: { before: true } }],
    ['confirm', { ...plain(execute), confirm: 'always' }],
    [
      'suspendSchema',
      mastraTool({ id: 'x', description, inputSchema: schema, execute, suspendSchema: schema }),
    ],
    ['humanInTheLoop', { ...plain(execute), humanInTheLoop: true }],
    ['metadata.requiresConfirmation', { ...plain(execute), metadata: { requiresConfirmation: true } }],
    ['needsPermission', Object.assign(langChain(), { needsPermission: true })],
    [
      'requireApproval',
      { name: 'x', inputSchema: { n: z.number() }, handler: execute, requireApproval: true },
    ],
    [
      'needsApproval',
      new (class {
        name = 'x';
        parameters = schema;
        execute = execute;
        get needsApproval() {
          return true;
        }
      })(),
    ],
  ];
  for (const [field, tool] of unknown) {
    await assert.rejects(adaptTool(tool, { name: 'x' }), (error: Error) => {
      assert.match(
        error.message,
        /^the tool "x" cannot be adapted: .*reads like an approval gate.*needsApproval/,
      );
      assert.ok(error.message.includes(`"${field}"`), error.message);
      return true;
    });
    await adaptTool(tool, { name: 'x', needsApproval: false });
  }
});

test('a field that says that nobody is asked is no gate', async () => {
  const free = {
    ...plain(() => 'ran'),
    needsApproval: false,
    interrupt: undefined,
    require_approval: 'never',
  };
  assert.equal((await (await open({ ...free, guardrails: [] })).call({ n: 5 })).said, 'ran');
  for (const gate of [undefined, false] as const) {
    const tool = aiTool({
      inputSchema: schema,
      execute: async () => 'ran',
      ...(gate === undefined ? {} : { needsApproval: gate }),
    });
    assert.equal((await (await open(tool)).call({ n: 5 })).said, 'ran');
  }
});
