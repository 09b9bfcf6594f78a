/** Faults that adapters of local tools for the Python SDK had, each with a test that it cannot occur here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedTools } from '../../../test-support/opened-tools.ts';
import { draftsOfCalls } from '../../agent/tool-calls.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import type { ToolResult } from '../../testing/try-tools.ts';
import { toolSchema } from '../tool-schema.ts';
import { toolSetOf } from '../tool-set.ts';
import { adaptTool } from './adapt-tool.ts';

const openTools = openedTools();
const open = async (tool: object, name?: string) =>
  await openTools(await adaptTool(tool, name === undefined ? {} : { name }));

const call = async (tool: object, args: object): Promise<ToolResult> => (await open(tool)).call(args);

/** A tool in the shape of the OpenAI Agents SDK. */
const local = (name: string, onInvokeTool: (...args: never[]) => unknown) => ({
  name,
  description: `the local tool ${name}`,
  params_json_schema: {
    type: 'object',
    properties: {
      kind: { type: 'string' },
      query: { type: 'string' },
      num_results: { type: 'integer' },
      seconds: { type: 'number' },
    },
  },
  on_invoke_tool: onInvokeTool,
});

const searched = { kind: 'search', query: 'test', num_results: 3 };

test('a parameter called kind is valid, and reaches the tool', async () => {
  const tool = local('local-web_search', async (params: object) => params);
  const { said, isError } = await call(tool, { kind: 'search' });
  assert.deepEqual([said, isError], ['{"kind":"search"}', false]);
});

test('the kind of an action is set, and a parameter of that name cannot overwrite it', async () => {
  const { tools } = await open(local('local-web_search', async (params: object) => params));
  for (const kind of ['search', 'LocalWebSearchObservation', 'FinishAction', '']) {
    const calls = [
      {
        id: 'toolu_1',
        name: 'local-web_search',
        arguments: JSON.stringify({ kind }),
        origin: 'completion' as const,
      },
    ];
    const message = { role: 'assistant' as const, content: [], tool_calls: calls };
    const [action] = draftsOfCalls({ message } as never, toolSetOf(tools));
    assert.deepEqual((action as unknown as ActionEvent).action, {
      data: { kind },
      kind: 'LocalWebSearchAction',
    });
  }
});

test('every call has one result, whatever its arguments are (identifiers: foreign-tools.int.test.ts)', async () => {
  const fails = await open(
    local('local-web_search', async () => {
      throw new Error('no network');
    }),
  );
  assert.equal((await fails.call(searched)).isError, true);
  assert.equal((await fails.call({ kind: 5 })).isError, true);
  assert.equal((await fails.call('{"kind":')).isError, true);
});

test('functions may take (context, params_str) or (params), and may be asynchronous or not', async () => {
  const forms: readonly [string, (...args: never[]) => unknown][] = [
    [
      'old, asynchronous',
      async (context: unknown, json: string) => ['old', context ?? null, JSON.parse(json)],
    ],
    ['old, synchronous', (context: unknown, json: string) => ['old', context ?? null, JSON.parse(json)]],
    ['old, with a default', (context: unknown, json = '{}') => ['old', context ?? null, JSON.parse(json)]],
    ['new, asynchronous', async (params: object) => ['new', null, params]],
    ['new, synchronous', (params: object) => ['new', null, params]],
  ];
  for (const [form, onInvoke] of forms) {
    const { said } = await call(local('local-web_search', onInvoke), searched);
    assert.deepEqual(JSON.parse(said), [form.startsWith('old') ? 'old' : 'new', null, searched], form);
  }
});

test('the signature of a plain function is detected too, and the option signature overrides it', async () => {
  const parameters = { type: 'object' };
  const old = (context: unknown, paramsJson: string) => [context ?? null, paramsJson];
  const fresh = (params: { query: string }) => params.query;
  const minified = (a: unknown, b: string) => [a ?? null, b];
  const given = async (tool: object, options: object = {}) => {
    const opened = await openTools(await adaptTool(tool, { name: 'f', parameters, ...options }));
    return (await opened.call({ query: 'q' })).said;
  };
  assert.equal(await given(old), '[null,"{\\"query\\":\\"q\\"}"]');
  assert.equal(await given({ name: 'f', parameters, execute: old }), '[null,"{\\"query\\":\\"q\\"}"]');
  assert.equal(await given(fresh), 'q');
  assert.equal(
    await given({ name: 'f', parameters, execute: async (params: object) => params }),
    '{"query":"q"}',
  );
  assert.equal(await given(minified, { signature: 'context-and-json' }), '[null,"{\\"query\\":\\"q\\"}"]');
  assert.match(await given(old, { signature: 'params' }), /^\[\{"query":"q"\},/);
});

test('the model sees the content, and an error as an error', async () => {
  const good = await call(
    local('local-web_search', async () => 'three results'),
    searched,
  );
  assert.deepEqual(good.content, [{ cache_prompt: false, type: 'text', text: 'three results' }]);
  const bad = await call(
    local('local-web_search', async () => {
      throw new Error('quota');
    }),
    searched,
  );
  assert.equal(bad.observation?.is_error, true);
  assert.match(bad.said, /[Ee]rror/);
});

test('an exception is reported with its message and stack', async () => {
  const { said, isError } = await call(
    local('local-web_search', function searching() {
      throw new RangeError('num_results is out of range');
    }),
    searched,
  );
  assert.equal(isError, true);
  assert.match(said, /RangeError: num_results is out of range\n\s+at .*searching/);
});

test('all parameters reach the tool, without the kind of the action', async () => {
  const opened = await open(local('local-web_search', async (params: object) => Object.keys(params)));
  assert.equal((await opened.call(searched)).said, '["kind","query","num_results"]');
  const told = Object.keys(toolSchema(opened.tools[0]!).parameters['properties'] as object);
  assert.deepEqual(told, ['security_risk', 'summary', 'kind', 'query', 'num_results', 'seconds']);
});

test('web_search, done and sleep work, whichever signature they have', async () => {
  const search = await call(
    local('local-web_search', async (_context: unknown, json: string) => {
      const { kind, query, num_results: n } = JSON.parse(json);
      return { kind, results: Array.from({ length: n }, (_, i) => `${query} ${i + 1}`) };
    }),
    searched,
  );
  assert.equal(search.said, '{"kind":"search","results":["test 1","test 2","test 3"]}');
  const done = await call(
    local('local-claim_done', () => 'you have claimed the task is done!'),
    {},
  );
  assert.equal(done.said, 'you have claimed the task is done!');
  const sleep = await call(
    local('local-sleep', async ({ seconds }: { seconds: number }) => {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      return `has slept ${seconds} seconds, done!`;
    }),
    { seconds: 0.01 },
  );
  assert.equal(search.isError || done.isError || sleep.isError, false);
  assert.equal(sleep.said, 'has slept 0.01 seconds, done!');
});
