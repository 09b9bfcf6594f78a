/** `finish` with a `response_schema`: the run's result in a form that a program can read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Conversation, openLocalWorkspace } from '@longhand/sdk';
import { toolSchema } from '@longhand/sdk/internal';
import { type Reply, startModelServer, type TriedTools, tryTools } from '@longhand/sdk/testing';
import { finishTool, terminalTool } from './index.ts';

let folder: string;
const tried: TriedTools[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-finish-'));
});
afterEach(async () => {
  for (const each of tried.splice(0)) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

const VERDICT = {
  type: 'object',
  properties: {
    passed: { type: 'boolean', description: 'Whether the tests pass.' },
    score: { type: 'number' },
    files: { type: 'array', items: { $ref: '#/$defs/path' } },
    note: { type: ['string', 'null'] },
  },
  required: ['passed', 'files'],
  additionalProperties: false,
  $defs: { path: { type: 'string' } },
};

async function open(schema: unknown, factory = finishTool): Promise<TriedTools> {
  const opened = await tryTools(factory, { folder, directory: folder, params: { response_schema: schema } });
  tried.push(opened);
  return opened;
}

test('the properties follow the tool’s own, and required ones are required', async () => {
  const { tools } = await open(VERDICT);
  const { parameters } = toolSchema(tools[0]!);
  assert.deepEqual(Object.keys(parameters['properties'] as object), [
    'summary',
    'message',
    ...Object.keys(VERDICT.properties),
  ]);
  assert.deepEqual(
    [parameters['required'], parameters['$defs']],
    [['message', 'passed', 'files'], VERDICT.$defs],
  );
});

test('arguments that violate the schema are rejected by name, like those that violate the tool’s own', async () => {
  const finish = await open(VERDICT);
  for (const [args, said] of [
    [{ message: 'm' }, /passed: is missing; files: is missing/],
    [{ message: 'm', passed: 'perhaps', files: [] }, /passed: must be boolean/],
    [{ message: 'm', passed: true, files: [5] }, /files\.0: must be string/],
    [{ passed: true, files: [] }, /message: /],
    [{ message: 'm', passed: true, files: [], why: 1 }, /why: no such parameter, it takes message, passed/],
  ] as const) {
    const result = await finish.call(args);
    assert.match(result.said, said);
    assert.equal(result.isError, true);
  }
  const given = await finish.call({ message: 'm', passed: 'true', score: '0.5', files: '["a"]', note: null });
  assert.deepEqual([given.said, given.isError], ['m', false]);
});

test('reserved and taken names, dynamic properties and unknown keywords are rejected when the tool is created', async () => {
  const property = { type: 'string' };
  for (const [schema, said] of [
    ...['kind', 'security_risk', 'structured_output', 'summary', 'message'].map(
      (name) =>
        [
          { type: 'object', properties: { [name]: property } },
          new RegExp(`"finish": ${name} is already the name`),
        ] as const,
    ),
    [{ ...VERDICT, additionalProperties: true }, /additionalProperties can only be false/],
    [{ ...VERDICT, additionalProperties: property }, /additionalProperties can only be false/],
    [{ ...VERDICT, oneOf: [] }, /may not have oneOf/],
    [{ ...VERDICT, required: ['nobody'] }, /requires nobody/],
    [{ type: 'object' }, /must name its properties/],
    [{ type: 'array', items: property }, /of type object/],
    ['text', /of type object/],
  ] as const) {
    await assert.rejects(open(schema), said);
  }
  const [finish] = (await open(VERDICT)).tools;
  const two = { name: 'two', create: () => [finish!, { ...finish!, name: 'end' }] };
  await assert.rejects(open(VERDICT, two), /it makes 2 tools, and must make one/);
});

test('any tool that is one may have a response_schema; it sees nothing of it, and locks as before', async () => {
  const terminal = await open(
    { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
    terminalTool,
  );
  assert.match((await terminal.call({ command: 'echo hi' })).said, /why: is missing/);
  assert.match((await terminal.call({ command: 'echo hi', why: 'to see' })).said, /^hi\n/);
  const plain = await tryTools(terminalTool, { folder, directory: folder });
  tried.push(plain);
  const given = { command: 'ls', is_input: false, reset: false };
  const held = terminal.tools[0]!.resources?.({ ...given, structured_output: { why: 'x' } });
  assert.deepEqual(held, plain.tools[0]!.resources?.(given));
});

test('the structured result stands in the action of the conversation, and is there again when it is opened again', async (t) => {
  const finish = (args: object): Reply => ({ toolCalls: [{ name: 'finish', arguments: args }] });
  const replies = [
    finish({ message: 'done', passed: 'no', files: [] }),
    finish({ message: 'all green', passed: true, files: ['a.ts'], note: null }),
  ];
  const server = await startModelServer((_, i) => replies[i] ?? { text: 'more?' });
  t.after(() => server.close());
  const options = {
    agent: {
      llm: { model: 'x', endpoint: { baseUrl: `${server.url}/v1` } },
      tools: [{ name: 'finish', params: { response_schema: VERDICT } }],
    },
    tools: [finishTool],
    place: { conversationsDir: join(folder, 'conversations') },
  };
  const conversation = await Conversation.open({ ...options, workspace: openLocalWorkspace(folder) });
  await conversation.send('check it');
  const outcome = await conversation.run();
  assert.deepEqual(outcome, { kind: 'finished', message: 'all green' });
  const expected = {
    message: 'all green',
    structured_output: { passed: true, files: ['a.ts'], note: null },
    kind: 'FinishAction',
  };
  const last = ({ view }: Conversation) =>
    view.events.findLast((event) => event.kind === 'ActionEvent')?.action;
  assert.deepEqual(last(conversation), expected);
  const told = JSON.stringify(server.requests[1]!.body['messages']);
  assert.match(told, /passed: must be boolean/);
  await conversation.close();

  // Its specification is stored with it, the schema too.
  const { agent: _, ...stored } = options;
  const again = await Conversation.open({
    ...stored,
    place: { ...stored.place, id: conversation.id },
    workspace: openLocalWorkspace(folder),
  });
  assert.deepEqual(last(again), expected);
  assert.deepEqual(again.agent.tools, options.agent.tools);
  await again.close();
});
