import assert from 'node:assert/strict';
import { test } from 'node:test';
import { switchTools, type ToolSwitches } from './tool-switches.ts';

const specs = (...names: string[]) => names.map((name) => ({ name, params: {} }));
const switched = (names: string, switches: ToolSwitches, mayAdd = true) =>
  switchTools(specs(...names.split(' ')), switches, { mayAdd })
    .map(({ name }) => name)
    .join(' ');

test('without switches the tools stay as they are', () => {
  assert.equal(switched('terminal think', {}), 'terminal think');
});

test('a switch removes a tool under all of its names', () => {
  const off: ToolSwitches = { enable_cmd: false, enable_browsing: false };
  assert.equal(switched('execute_bash terminal browser browser_tool_set fetch think', off), 'think');
});

test('a switch adds its tool once, to an agent that may get more', () => {
  const on: ToolSwitches = { enable_cmd: true, enable_jupyter: true };
  assert.equal(switched('execute_bash', on), 'execute_bash execute_ipython_cell');
  assert.equal(switched('grep', on, false), 'grep');
  assert.equal(
    switched('terminal think finish', { ...on, enable_plan_mode: true }),
    'terminal execute_ipython_cell task_tracker finish think',
  );
});

test('the drafting editor takes the place of the file editor, whatever that switch says', () => {
  const on: ToolSwitches = { enable_llm_editor: true };
  for (const enable_editor of [undefined, true, false]) {
    const both: ToolSwitches = enable_editor === undefined ? on : { ...on, enable_editor };
    assert.equal(switched('a file_editor z', both), 'a edit_file z', String(enable_editor));
    assert.equal(switched('a str_replace_editor edit_file z', both, false), 'a edit_file z');
  }
  assert.equal(switched('grep', on), 'grep edit_file');
  assert.equal(switched('grep', on, false), 'grep');
});

test('parameters of the tools that stay are kept', () => {
  const tools = [{ name: 'terminal', params: { a: 1 } }];
  assert.deepEqual(switchTools(tools, { enable_think: false }, { mayAdd: false }), tools);
});
