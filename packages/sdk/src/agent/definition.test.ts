import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAgentDefinition } from './definition.ts';

const condenserOf = async (head: string) =>
  (await parseAgentDefinition('/agents/x.md', `---\n${head}\n---\nx`)).condenser;

test('the condenser of an agent is one of a config file: by its type, with its sizes, or none', async () => {
  assert.deepEqual(await condenserOf('condenser: {type: llm, max_size: 20, keep_first: 2}'), {
    type: 'llm',
    maxSize: 20,
    keepFirst: 2,
  });
  assert.deepEqual(await condenserOf('condenser: amortized'), { type: 'amortized' });
  assert.deepEqual(await condenserOf('condenser: none'), { type: 'noop' });
  assert.equal(await condenserOf('condenser: default'), undefined);
  await assert.rejects(condenserOf('condenser: {type: llm, maxsize: 20}'), /did you mean "max_size"/);
  await assert.rejects(condenserOf('condenser: {type: llm, max_size: 3}'), /condenser: .* at least 12/);
  await assert.rejects(condenserOf('condenser: [1]'), /condenser: type must be one of/);
});

test('what is no word, no number and no mode is refused', async () => {
  const parsed = (head: string) => parseAgentDefinition('/agents/x.md', `---\n${head}\n---\nx`);
  await assert.rejects(parsed('permission_mode: constructor'), /permission_mode is one of always_confirm/);
  await assert.rejects(parsed('condenser: {type: recent, toString: 3}'), /unknown key "toString"/);
  await assert.rejects(parsed('tools:\n  - terminal: {}'), /^TypeError: tools must be a list of words$/);
  await assert.rejects(parsed('max_iteration_per_run: [5]'), /must be a number above 0/);
  await assert.rejects(parsed('max_budget_per_run: true'), /must be a number above 0/);
  assert.equal((await parsed('max_iteration_per_run: "5"')).maxIterations, 5);
});

test('a condenser that names no type is refused', async () => {
  await assert.rejects(condenserOf('condenser: {max_size: 20}'), /condenser must be none, default, or name/);
});

test('MCP servers are read under both of their names', async () => {
  for (const key of ['mcp_servers', 'mcp_config']) {
    const head = `${key}: {mcpServers: {files: {command: serve}}}`;
    const { mcpServers } = await parseAgentDefinition('/agents/x.md', `---\n${head}\n---\nx`);
    assert.deepEqual(Object.keys(mcpServers ?? {}).length, 1, key);
  }
});
