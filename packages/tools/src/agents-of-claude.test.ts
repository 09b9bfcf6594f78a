import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromClaude } from './agents-of-claude.ts';
import { builtinTools } from './index.ts';

const named = (...names: string[]) => names.map((name) => ({ name, params: {} }));
const toolsOf = (...names: string[]) =>
  fromClaude({ name: 'a', description: 'b', tools: named(...names) }).tools?.map(({ name }) => name);

test('tools of Claude Code become ours, each once', () => {
  assert.deepEqual(toolsOf('Read', 'Grep', 'Glob', 'Bash(git diff:*)', 'BashOutput'), [
    'view',
    'grep',
    'glob',
    'terminal',
  ]);
  assert.deepEqual(toolsOf('Read', 'Edit', 'Write', 'WebFetch', 'TodoWrite'), [
    'file_editor',
    'fetch',
    'task_tracker',
  ]);
  assert.deepEqual(toolsOf('WebSearch', 'mcp__files__read', 'Task', 'Skill'), [
    'task_tool_set',
    'invoke_skill',
  ]);
  const ours = new Set(builtinTools.map(({ name }) => name));
  const known =
    toolsOf('Bash', 'Read', 'Edit', 'Grep', 'Glob', 'WebFetch', 'TodoWrite', 'Task', 'Skill') ?? [];
  assert.deepEqual(
    known.filter((name) => !ours.has(name)),
    [],
  );
});

test('our tools, unknown ones and other models stay as they are', () => {
  assert.deepEqual(toolsOf('terminal', 'grepp'), ['terminal', 'grepp']);
  const definition = { name: 'a', description: 'b', model: 'cheap', tools: named('terminal') };
  assert.deepEqual(fromClaude(definition), definition);
  assert.deepEqual(fromClaude({ name: 'a', description: 'b', model: 'sonnet' }), {
    name: 'a',
    description: 'b',
  });
});
