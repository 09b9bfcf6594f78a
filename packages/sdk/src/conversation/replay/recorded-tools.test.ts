import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorDraft, observationDraft, recordOf, wordsDraft } from '../../../test-support/random-history.ts';
import type { Agent } from '../../agent/agent.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import type { Draft } from '../../event/draft.ts';
import type { Event, ToolDescription } from '../../event/kinds.ts';
import { type Tool, ToolError, type ToolFactory } from '../../tool/tool.ts';
import { recordedTools } from './recorded-tools.ts';

/** A call of a tool; `action` is what was stored for its arguments, undefined if they were invalid. */
const called = (tool: string, action: object | undefined, args: object = {}, id = 'c'): Draft =>
  ({
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    action,
    tool_name: tool,
    tool_call_id: id,
    tool_call: { id, name: tool, arguments: JSON.stringify(args), origin: 'completion' },
    llm_response_id: 'r',
    kind: 'ActionEvent',
  }) as unknown as Draft;

const agentWith = (...names: readonly string[]): Agent => ({
  llm: { model: 'm' },
  tools: names.map((name) => ({ name, params: {} })),
});

/** The recorded tools of each specification. */
async function toolsOf(
  names: readonly string[],
  described: readonly ToolDescription[] | undefined,
  events: readonly Event[] = [],
  registry: readonly ToolFactory[] = [],
): Promise<(readonly [string, readonly Tool[]])[]> {
  const environment = { workspace: {} as never, files: null, vision: true, onWarning: assert.fail };
  const given = { ...environment, ...(described === undefined ? {} : { described }) };
  const made = await recordedTools(agentWith(...names), events, registry, given);
  return await Promise.all(made.map(async ({ name, create }) => [name, await create(given, {})] as const));
}

const namesIn = async (...args: Parameters<typeof toolsOf>) =>
  (await toolsOf(...args)).map(([spec, tools]) => [spec, tools.map(({ name }) => name)]);

async function toolOf(description: ToolDescription, ...drafts: readonly Draft[]): Promise<Tool> {
  const [[, [tool]] = ['', []]] = await toolsOf(['t'], [description], recordOf(...drafts));
  assert.ok(tool !== undefined);
  return tool;
}

const described = (kind: string, more: object = {}): ToolDescription => ({ description: 'd', kind, ...more });

for (const [why, expected, description, calls] of [
  ['of the server’s tool', 'srv_x', { mcp_tool: { name: 'srv_x' }, title: 'two', action_type: 'A' }, ['one']],
  ['that its calls have', 'one', { mcp_tool: { name: 1 }, action_type: 'A' }, ['one']],
  ['of its calls, if it is the title', 'two', { title: 'two', action_type: 'A' }, ['one', 'two']],
  ['of a specification, if it is the title', 'set', { title: 'set', action_type: 'A' }, ['one']],
  [
    'that its calls have, if the title is another',
    'one',
    { title: 'Other', action_type: 'A' },
    ['one', 'one'],
  ],
  [
    'of the specification that its kind is like',
    'web_search',
    { title: 'Other', action_type: 'A' },
    ['one', 'two'],
  ],
  ['of that specification, without calls', 'web_search', { title: 'Other', action_type: 'B' }, ['one']],
  ['of that specification, if it has no type of action', 'web_search', {}, []],
  ['that is its title', 'Other', { kind: 'MineTool', title: 'Other' }, []],
  ['that is its kind', 'MineTool', { kind: 'MineTool', title: '' }, []],
  ['that is its kind, without a title', 'MineTool', { kind: 'MineTool', title: 3 }, []],
  ['before the end of its kind', 'web_search', { kind: 'WebSearchToolDefinition' }, []],
  ['only if the whole kind is alike', 'WebSearchToolset', { kind: 'WebSearchToolset' }, []],
] as const)
  test(`a recorded tool has the name ${why}`, async () => {
    const events = recordOf(
      ...calls.map((name) => called(name, { kind: 'A' })),
      called('another', { kind: 'C' }),
      observationDraft('c', 'e0'),
    );
    const made = await toolsOf(['web_search', 'set'], [described('WebSearchTool', description)], events);
    assert.deepEqual(
      made.flatMap(([, tools]) => tools.map(({ name }) => name)),
      [expected],
    );
  });

test('a recorded tool describes itself as the record does, and never runs', async () => {
  const annotations = { title: 'ignored', readOnlyHint: true };
  const inputSchema = { type: 'x', properties: { q: { type: 'string' } }, required: ['q'] };
  const mcp = { mcp_tool: { name: 'srv_x', inputSchema }, input_schema: { also: 'kept' } };
  const types = { action_type: 'XAction', observation_type: 'XObservation' };
  const full = await toolOf(described('XTool', { ...mcp, ...types, annotations, title: 'X' }));
  const { input, run, ...rest } = full;
  assert.deepEqual(rest, {
    name: 'srv_x',
    kind: { tool: 'XTool', action: 'XAction', observation: 'XObservation' },
    description: 'd',
    annotations: { title: 'X', readOnlyHint: true },
    describe: { ...mcp, annotations },
    endsRun: false,
  });
  const { parse: _, ...schema } = input as never as { parse: unknown };
  assert.deepEqual(schema, { jsonSchema: { ...inputSchema, type: 'object' }, keepsNulls: true });
  await assert.rejects(run({}, {} as never), { name: 'ReplayMismatch', message: /srv_x/ });

  const {
    input: bare,
    run: __,
    ...least
  } = await toolOf(described('YTool', { mcp_tool: { inputSchema: 1 } }));
  assert.deepEqual(least, {
    name: 'YTool',
    kind: { tool: 'YTool', action: 'YTool', observation: 'YTool' },
    description: 'd',
    annotations: { title: 'YTool' },
    describe: { mcp_tool: { inputSchema: 1 } },
    endsRun: false,
  });
  assert.deepEqual('jsonSchema' in bare && bare.jsonSchema, { type: 'object', properties: {} });
});

/** What a tool returns for arguments, or 'refused'. */
function parsed({ input }: Tool, args: object): unknown {
  try {
    return 'jsonSchema' in input && input.parse(args);
  } catch (error) {
    assert.ok(error instanceof ToolError);
    return 'refused';
  }
}

test('a recorded tool accepts the arguments that were accepted, in any order, and returns what was stored', async () => {
  const tool = await toolOf(
    described('T', { title: 't' }),
    called('t', { a: 1, b: 'default', kind: 'A' }, { a: 1, c: null, summary: 's', security_risk: 'LOW' }),
    called('t', undefined, { wrong: 1 }),
    called('other', { a: 2, summary: 's', kind: 'A' }, { a: 2 }),
  );
  assert.deepEqual(parsed(tool, { a: 1, c: null }), { a: 1, b: 'default' });
  assert.deepEqual(parsed(tool, { c: null, a: 1 }), { a: 1, b: 'default' });
  for (const args of [{ a: 1 }, { wrong: 1 }, { a: 2 }, { a: 1, c: null, summary: 's' }])
    assert.equal(parsed(tool, args), 'refused');
  assert.deepEqual('jsonSchema' in tool.input && tool.input.jsonSchema['properties'], {});
});

for (const [action, own] of [
  [{ summary: 's', kind: 'A' }, ['summary']],
  [{ security_risk: 'LOW', kind: 'A' }, ['security_risk']],
  [{ data: { summary: 's', security_risk: 'LOW' }, kind: 'A' }, ['summary', 'security_risk']],
  [{ data: 'summary', kind: 'A' }, []],
] as const)
  test(`of summary and security_risk, a recorded tool has as parameters: ${own.join(' and ') || 'none'}`, async () => {
    const args = { summary: 's', security_risk: 'LOW' };
    const tool = await toolOf(
      described('T', { title: 't' }),
      called('t', undefined),
      called('t', { kind: 'A' }),
      called('t', action, args),
    );
    const { kind: _, ...input } = action;
    const properties = Object.fromEntries(own.map((key) => [key, {}]));
    assert.deepEqual('jsonSchema' in tool.input && tool.input.jsonSchema['properties'], properties);
    assert.deepEqual(parsed(tool, Object.fromEntries(own.map((key) => [key, args[key]]))), input);
    if (own.length < 2) assert.equal(parsed(tool, args), 'refused');
  });

const one = called('t', { kind: 'A' }, {}, 'one');
const other = called('other', { kind: 'B' }, {}, 'two');
const ok = (id: string, of: number) => observationDraft(id, `e${of}`);
const failed = (of: number): Draft => {
  const draft = ok('one', of) as Extract<Draft, { kind: 'ObservationEvent' }>;
  return { ...draft, observation: { ...draft.observation, is_error: true } };
};
const user = wordsDraft('user', 'go');
const spoken = wordsDraft('agent', 'done');
const hook = {
  source: 'hook',
  hook_event_type: 'PostToolUse',
  kind: 'HookExecutionEvent',
} as unknown as Draft;

for (const [ends, what, ...drafts] of [
  [true, 'the record ends with its result', one, ok('one', 0)],
  [true, 'the user spoke next', one, ok('one', 0), user],
  [true, 'only hooks were in between', one, ok('one', 0), hook, user],
  [true, 'the calls behind it were refused', one, other, ok('one', 0), errorDraft('two'), user],
  [true, 'others succeeded after the user had spoken', one, ok('one', 0), user, other, ok('two', 3)],
  [true, 'another tool did not end the run', other, ok('two', 0), spoken, one, ok('one', 3)],
  [false, 'it was not called', user],
  [false, 'the agent spoke next', one, ok('one', 0), spoken],
  [
    false,
    'an automatic reply came next',
    one,
    ok('one', 0),
    message('user', 'on', { sender: SENDERS.autoContinue }),
  ],
  [false, 'a call behind it was carried out', one, other, ok('one', 0), ok('two', 1), user],
  [false, 'the last call behind it was carried out', one, other, ok('one', 0), ok('two', 1)],
  [false, 'a call behind it has no result', one, other, ok('one', 0)],
  [false, 'it has no result', one],
  [false, 'it was refused', one, errorDraft('one'), user],
  [false, 'it failed', one, failed(0), user],
  [false, 'only its second call ended the run', one, ok('one', 0), spoken, one, ok('one', 3), user],
  [true, 'only a failure was followed by words', one, failed(0), spoken, one, ok('one', 3), user],
] as const satisfies readonly (readonly [boolean, string, ...Draft[]])[])
  test(`a recorded tool ${ends ? 'ended' : 'did not end'} the run: ${what}`, async () => {
    assert.equal((await toolOf(described('T', { title: 't' }), ...drafts)).endsRun, ends);
  });

test('recorded tools belong to the specification of their name, the others to those that are left, in order', async () => {
  const all = ['one', 'own', 'two', 'three', 'four'].map((title) => described(`${title}Kind`, { title }));
  assert.deepEqual(await namesIn(['first', 'own', 'second', 'last'], all), [
    ['first', ['one']],
    ['own', ['own']],
    ['second', ['two']],
    ['last', ['three', 'four']],
  ]);
  assert.deepEqual(await namesIn(['first', 'last', 'own'], all), [
    ['first', ['one']],
    ['last', ['two', 'three', 'four']],
    ['own', ['own']],
  ]);
  assert.deepEqual(await namesIn(['first', 'second'], all.slice(0, 1)), [
    ['first', ['one']],
    ['second', []],
  ]);
  assert.deepEqual(await namesIn(['first'], undefined), [['first', []]]);
});

test('of tools that are registered none is taken from the record', async () => {
  let closed = 0;
  const made: string[] = [];
  const factory = (name: string): ToolFactory => ({
    name,
    create: () => {
      made.push(name);
      const close = async () => {
        closed += 1;
      };
      const kind = { tool: 'KnownTool', action: 'A', observation: 'O' };
      return [{ name, kind, close } as unknown as Tool];
    },
  });
  const registry = [factory('known'), factory('unused')];
  const all = [
    described('KnownTool', { title: 'Known' }),
    described('AnotherTool', { title: 'known' }),
    described('KnownTool', { title: 'own' }),
    described('GroupTool', { title: 'of the set' }),
  ];
  assert.deepEqual(await namesIn(['known'], all, [], registry), []);
  assert.deepEqual(made, []);
  assert.deepEqual(await namesIn(['own', 'known', 'set'], all, [], registry), [
    ['own', ['own']],
    ['set', ['of the set']],
  ]);
  assert.deepEqual([made, closed], [['known'], 1]);
});
