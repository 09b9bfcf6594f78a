/** Action, observation and executor of a foreign tool, each made by its own factory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolContext } from '../tool.ts';
import { adaptAction } from './action.ts';
import { adaptTool } from './adapt-tool.ts';
import { adaptExecutor } from './executor.ts';
import { adaptObservation } from './observation.ts';

const search = {
  name: 'web_search',
  description: 'd',
  parameters: { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
  execute: ({ kind }: { kind: string }) => ({ found: kind }),
};
const context = { callId: 'c', isApproved: false, signal: new AbortController().signal } as ToolContext;

test('the action has a kind of the tool’s name, and keeps the arguments apart from it', async () => {
  const action = await adaptAction(search);
  assert.deepEqual(action.create({ kind: 'search' }), { data: { kind: 'search' }, kind: 'WebSearchAction' });
  assert.deepEqual(action.input.jsonSchema, search.parameters);
  assert.throws(() => action.create({ kind: 5 }), /kind: must be string/);
});

test('the observation has a kind of the tool’s name, content that the model reads, and errors as errors', () => {
  const { kind, create } = adaptObservation('web_search');
  assert.equal(kind, 'WebSearchObservation');
  assert.deepEqual(create({ found: 1 }), {
    content: [{ cache_prompt: false, type: 'text', text: '{"found":1}' }],
    is_error: false,
    tool_name: 'web_search',
    kind,
  });
  assert.equal(create(new Error('quota')).is_error, true);
});

test('the executor calls the tool with its arguments, whichever signature it has', async () => {
  const forms = [
    search,
    { ...search, execute: (_context: unknown, json: string) => ({ found: JSON.parse(json).kind }) },
  ];
  for (const form of forms) {
    const execute = await adaptExecutor(form);
    const { content, is_error } = await execute({ kind: 'search' }, context);
    assert.deepEqual(
      [content, is_error],
      [adaptObservation('web_search').create({ found: 'search' }).content, false],
    );
  }
});

test('the tool consists of the three', async () => {
  const [tool] = await (await adaptTool(search)).create({} as never, {});
  const action = await adaptAction(search);
  assert.deepEqual(tool?.kind, {
    tool: 'WebSearchTool',
    action: action.kind,
    observation: adaptObservation('web_search').kind,
  });
  assert.deepEqual(
    await tool?.run({ kind: 'x' }, context),
    await (await adaptExecutor(search))({ kind: 'x' }, context),
  );
});

test('a foreign tool with the name of a built-in tool, or without letters, has a kind that is not taken for another', async () => {
  const kinds = await Promise.all(
    ['finish', 'think', 'terminal', 'file-editor', '搜索', 'my.tools web'].map(
      async (name) => (await adaptAction({ ...search, name })).kind,
    ),
  );
  assert.deepEqual(kinds, [
    'AdaptedFinishToolAction',
    'AdaptedThinkToolAction',
    'AdaptedTerminalToolAction',
    'AdaptedFileEditorToolAction',
    'AdaptedToolAction',
    'MyToolsWebAction',
  ]);
});

test('an error about arguments names the tool', async () => {
  const execute = await adaptExecutor(search);
  await assert.rejects(
    execute({ kind: 5 }, context),
    /^ToolError: The arguments of web_search are not valid \(given: kind\)\. kind: /,
  );
});
