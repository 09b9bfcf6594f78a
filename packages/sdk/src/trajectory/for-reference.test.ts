import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callDraft, countingClock, observationDraft } from '../../test-support/random-history.ts';
import { parseBaseState } from '../conversation/store/base-state.ts';
import { parseEvent, serializeEvent } from '../event/codec.ts';
import { text } from '../event/content.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import type { Event, Observation } from '../event/kinds.ts';
import { renderContent } from '../event/projection.ts';
import { baseStateForReference, eventForReference } from './for-reference.ts';

function exported(draft: Draft | object, render = renderContent): { readonly [key: string]: unknown } {
  const event = eventOf(draft as Draft, null, countingClock());
  const known = eventForReference(event, render);
  assert.deepEqual(parseEvent(serializeEvent(known)), JSON.parse(JSON.stringify(known)));
  assert.deepEqual(
    { ...known, tools: 0, action: 0, observation: 0 },
    { ...event, tools: 0, action: 0, observation: 0 },
  );
  return known as Event & { readonly [key: string]: unknown };
}

const acted = (action: object) =>
  exported({ ...callDraft('c', 'r'), tool_name: 'web_search', action })['action'];
const observed = (observation: object, render?: typeof renderContent) =>
  exported({ ...observationDraft('c', 'a'), tool_name: 'web_search', observation }, render)['observation'];
const said = (...content: readonly object[]) => ({
  content,
  is_error: false,
  tool_name: 'web_search',
  kind: 'MCPToolObservation',
});

test('actions of tools that the reference does not have become those of MCP tools, arguments and all', () => {
  assert.deepEqual(acted({ code: 'print(1)', kind: 'IPythonAction' }), {
    data: { code: 'print(1)' },
    kind: 'MCPToolAction',
  });
  const adapted = { data: { kind: 'search' }, kind: 'WebSearchAction' };
  assert.deepEqual(acted(adapted), { data: { kind: 'search' }, kind: 'MCPToolAction' });
  const declared = { data: { a: 1 }, more: 2, kind: 'OwnAction' };
  assert.deepEqual(acted(declared), { data: { data: { a: 1 }, more: 2 }, kind: 'MCPToolAction' });
});

test('actions and observations that the reference has are left as they are', () => {
  for (const name of ['Terminal', 'FileEditor', 'TaskTracker', 'Finish', 'Think', 'MCPTool']) {
    const action = { message: 'm', kind: `${name}Action` };
    assert.deepEqual(acted(action), action);
    const observation = { content: [text('t')], is_error: false, more: 1, kind: `${name}Observation` };
    assert.deepEqual(observed(observation), observation);
  }
});

test('observations become those of MCP tools, with what the model sees of them', () => {
  const own = { content: [text('2')], is_error: false, code: '1+1', kind: 'IPythonObservation' };
  assert.deepEqual(observed(own), said(text('2')));
  const render = ({ count }: Observation) => [text(`count ${String(count)}`)];
  const shown = { content: [], is_error: false, count: 5, kind: 'OwnObservation' };
  assert.deepEqual(observed(shown, render), said(text('count 5')));
  assert.deepEqual(observed(shown), said(text('{"count":5}')));
});

test('an error keeps its words, without the header that the reference adds', () => {
  const failed = { content: [text('no index')], is_error: true, kind: 'WebSearchObservation' };
  assert.deepEqual(observed(failed), { ...said(text('no index')), is_error: true });
});

test('the tools of the system prompt that the reference does not have are described as those of an MCP server', () => {
  const annotations = { readOnlyHint: true };
  const tool = (name: string, title: string) => ({
    description: 'd',
    action_type: `${name}Action`,
    observation_type: `${name}Observation`,
    annotations,
    kind: `${name}Tool`,
    title,
  });
  const known = tool('Terminal', 'terminal');
  const { tools } = exported({
    source: 'agent',
    system_prompt: text('s'),
    tools: [known, tool('IPython', 'execute_ipython_cell')],
    kind: 'SystemPromptEvent',
  });
  assert.deepEqual(tools, [
    known,
    {
      description: 'd',
      action_type: 'MCPToolAction',
      observation_type: 'MCPToolObservation',
      annotations,
      mcp_tool: { name: 'execute_ipython_cell', description: 'd', inputSchema: { type: 'object' } },
      kind: 'MCPToolDefinition',
      title: 'execute_ipython_cell',
    },
  ]);
});

test('the agent gets the tools that the reference has by its names, and ours gets its own back', () => {
  const own = [
    { name: 'execute_bash', params: { timeout: 5 } },
    { name: 'terminal', params: {} },
    { name: 'browser', params: {} },
    { name: 'task_tracker', params: {} },
  ];
  const agent = { llm: { model: 'm' }, tools: own, include_default_tools: ['FinishTool'], kind: 'Agent' };
  const stored = { id: 'c', agent, agent_state: { longhand: { condenser: { kind: 'none' } }, other: 1 } };
  const source = baseStateForReference(JSON.stringify(stored));
  const state = JSON.parse(source) as typeof stored;
  assert.deepEqual(state.agent.tools, [
    { name: 'terminal', params: {} },
    { name: 'task_tracker', params: {} },
  ]);
  assert.deepEqual(state.agent_state, {
    longhand: { condenser: { kind: 'none' }, tools: own },
    other: 1,
  });
  assert.deepEqual(parseBaseState(source).agent?.tools, [...own, { name: 'finish', params: {} }]);
});

test('a base state without a state of the agent gets one', () => {
  const tools = [{ name: 'browser', params: {} }];
  const state = JSON.parse(baseStateForReference(JSON.stringify({ agent: { tools } }))) as object;
  assert.deepEqual(state, { agent: { tools: [] }, agent_state: { longhand: { tools } } });
});

test('a base state without an agent is left as it is', () => {
  for (const source of ['{"id":"c"}', '{"agent":{"llm":{}}}', '[]'])
    assert.equal(baseStateForReference(source), source);
});
