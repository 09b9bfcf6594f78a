import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolFactory } from '../tool/tool.ts';
import type { Agent } from './agent.ts';
import { definitionsIn, parseAgentDefinition, specialise } from './definition.ts';

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

test('values that are not a string, a number or a mode are refused', async () => {
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

test('a file without front matter is an agent named after it, with its text as instructions', async () => {
  assert.deepEqual(await parseAgentDefinition('/agents/reviewer.md', '\nReview it.\n'), {
    name: 'reviewer',
    description: 'The agent that /agents/reviewer.md describes.',
    source: '/agents/reviewer.md',
    instructions: 'Review it.',
  });
});

test('everything in the front matter is in the definition', async () => {
  const head = `name: " reviewer "
description: reviews
tools: [terminal]
skills: [lint]
model: small
permission_mode: confirm_risky
max_iteration_per_run: 7
max_budget_per_run: 0.5
hooks: {stop: []}`;
  assert.deepEqual(await parseAgentDefinition('/agents/x.md', `---\n${head}\n---\n`), {
    name: 'reviewer',
    description: 'reviews',
    source: '/agents/x.md',
    tools: [{ name: 'terminal', params: {} }],
    skills: ['lint'],
    model: 'small',
    confirmation: { threshold: 'HIGH', confirm_unknown: true, kind: 'ConfirmRisky' },
    maxIterations: 7,
    maxBudgetUsd: 0.5,
    hooks: { stop: [] },
  });
});

test('a model that is inherited and keys without a value are as if they were absent', async () => {
  const { model, tools, skills, mcpServers, condenser, maxIterations } = await parseAgentDefinition(
    '/agents/x.md',
    '---\nmodel: inherit\ntools:\nskills:\nmcp_servers:\ncondenser:\nmax_iteration_per_run:\nname:\n---\nx',
  );
  assert.deepEqual(
    [model, tools, skills, mcpServers, condenser, maxIterations],
    [undefined, undefined, undefined, undefined, undefined, undefined],
  );
});

test('an agent without text has no instructions; a mode is one of three policies', async () => {
  const blank = await parseAgentDefinition('/agents/x.md', '---\npermission_mode: never_confirm\n---\n \n\n');
  assert.equal('instructions' in blank, false);
  assert.deepEqual(blank.confirmation, { kind: 'NeverConfirm' });
  const always = await parseAgentDefinition('/agents/x.md', '---\npermission_mode: always_confirm\n---\n');
  assert.deepEqual(always.confirmation, { kind: 'AlwaysConfirm' });
});

test('a condenser is turned off by three words', async () => {
  for (const off of ['none', '"off"', 'false'])
    assert.deepEqual(await condenserOf(`condenser: ${off}`), { type: 'noop' }, off);
});

test('a name with other characters, an empty text and a number that is not above 0 are refused', async () => {
  const parsed = (head: string) => parseAgentDefinition('/agents/x.md', `---\n${head}\n---\nx`);
  await assert.rejects(parsed('name: a b'), /its name "a b" must be letters/);
  await assert.rejects(parsed('name: "  "'), /name must be a text/);
  await assert.rejects(parsed('name: 7'), /name must be a text/);
  await assert.rejects(parsed('max_iteration_per_run: 0'), /must be a number above 0/);
  await assert.rejects(parsed('max_budget_per_run: many'), /must be a number above 0/);
});

const registry = [
  { name: 'terminal', create: () => [] },
  { name: 'finish', isEssential: true, create: () => [] },
] as unknown as readonly ToolFactory[];
const base: Agent = {
  llm: { model: 'm' },
  tools: [{ name: 'terminal', params: { a: 1 } }],
  mcpConfig: { mcpServers: {} } as never,
  context: { systemMessageSuffix: 'before', loadUserSkills: true },
  systemPrompt: 's',
};
const about = { name: 'x', description: 'd' };

test('a definition that lists nothing gives the agent its name and changes nothing else', () => {
  const { name } = about;
  assert.deepEqual(specialise(base, about, registry), { ...base, name });
  const { context: _, ...without } = base;
  assert.deepEqual(specialise(without, about, registry), { ...without, name, context: {} });
});

test('a definition that lists its tools gets these and the essential ones, and no servers', () => {
  const tools = [{ name: 'look', params: {} }];
  const { mcpConfig, ...made } = specialise(base, { ...about, tools }, registry);
  assert.deepEqual(made.tools, [...tools, { name: 'finish', params: {} }]);
  assert.equal(mcpConfig, undefined);
  const own = [{ name: 'finish', params: { b: 2 } }];
  assert.deepEqual(specialise(base, { ...about, tools: own }, registry).tools, own);
  const mcpServers = { mcpServers: { a: {} } } as never;
  assert.equal(specialise(base, { ...about, tools, mcpServers }, registry).mcpConfig, mcpServers);
});

test('instructions follow the agent’s own; skills and condenser are those of the definition', () => {
  const made = specialise(
    base,
    { ...about, instructions: 'after', skills: ['lint'], condenser: { type: 'noop' } },
    registry,
  );
  assert.deepEqual(made.context, {
    loadUserSkills: true,
    systemMessageSuffix: 'before\n\nafter',
    onlySkills: ['lint'],
  });
  assert.deepEqual(made.condenser, { type: 'noop' });
});

test('the agents of a folder are in alphabetical order, whatever the order in which it is listed', async () => {
  const names = ['c.md', 'a.md', 'b.md'];
  const files = {
    list: async () => names.map((name) => ({ name, type: 'file' })),
    stat: async () => ({ type: 'file', size: 1 }),
    readFile: async () => new TextEncoder().encode('x'),
  } as unknown as Parameters<typeof definitionsIn>[0];
  const found = await definitionsIn(files, '/agents', (warning) => assert.fail(warning));
  assert.deepEqual(
    found.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

test('the name of an agent is that of its file, whatever the case of its ending', async () => {
  assert.equal((await parseAgentDefinition('/agents/Reviewer.MD', 'Review it.')).name, 'Reviewer');
});
