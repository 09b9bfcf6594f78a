import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agent, toolSpecsOf } from './agent.ts';

const tools = [{ name: 'terminal', params: {} }];
const agent: Agent = { llm: { model: 'm' }, tools };
const mcpConfig: NonNullable<Agent['mcpConfig']> = { s: { command: 'c', args: [] } } as never;

test('the tools of MCP servers come last, with their servers and filter', () => {
  const [first, last, ...rest] = toolSpecsOf({ ...agent, mcpConfig, filterToolsRegex: '^a' });
  assert.deepEqual([first, rest], [tools[0], []]);
  assert.equal(last?.name, 'mcp');
  assert.equal(last?.params['filter'], '^a');
  assert.deepEqual(Object.keys(last?.params['servers'] as object), ['s']);
  assert.equal('filter' in (toolSpecsOf({ ...agent, mcpConfig })[1]?.params ?? {}), false);
});

test('without servers, or with tools of MCP servers that are listed, the tools are those listed', () => {
  assert.equal(toolSpecsOf(agent), tools);
  const listed = [{ name: 'mcp', params: { servers: {} } }];
  assert.equal(toolSpecsOf({ ...agent, tools: listed, mcpConfig }), listed);
});
