import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Tool, ToolFactory } from '@longhand/sdk';
import { describeTool, toolSchema } from '@longhand/sdk/internal';
import { type ToolResult, type TriedTools, tryTools } from '@longhand/sdk/testing';
import { builtinTools, finishTool, taskTrackerTool, thinkTool } from './index.ts';

/** Those of `mcp` are its servers'. */
const ownTools = builtinTools.filter(({ name }) => name !== 'mcp');
// A tool whose program is missing is left out; here it is only described.
process.env['LONGHAND_CHROME'] = process.execPath;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-tools-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (factory: ToolFactory) => tryTools(factory, { folder, directory: folder, vision: false });
const make = async (factory: ToolFactory): Promise<Tool> => (await open(factory)).tools[0]!;

async function run(
  tried: TriedTools,
  args: object,
): Promise<ToolResult & { readonly [key: string]: unknown }> {
  const result = await tried.call(args);
  return { ...result.observation, ...result };
}

test('the list is replaced by plan, shown by view, and kept with the conversation', async () => {
  const tracker = await open(taskTrackerTool);
  assert.match((await run(tracker, {})).said, /empty/);
  const planned = await run(tracker, {
    command: 'plan',
    task_list: [
      { title: 'a', status: 'done' },
      { title: 'b', notes: 'n' },
    ],
  });
  const list = [
    { title: 'a', notes: '', status: 'done' },
    { title: 'b', notes: 'n', status: 'todo' },
  ];
  assert.deepEqual(planned['task_list'], list);
  const again = await run(await open(taskTrackerTool), { command: 'view' });
  assert.deepEqual(again['task_list'], list);
  assert.equal(again.said, 'Tasks:\n1. [x] a\n2. [ ] b\n   n');
});

test('an unreadable list is empty, with a warning', async () => {
  writeFileSync(join(folder, 'TASKS.json'), '[{"title":');
  const tracker = await open(taskTrackerTool);
  assert.match((await run(tracker, {})).said, /empty/);
  assert.match(tracker.warnings.join(), /TASKS\.json cannot be read/);
});

test('a list that cannot be written is kept for this run, with a warning', async () => {
  const tracker = await open(taskTrackerTool);
  mkdirSync(join(folder, 'TASKS.json'));
  const planned = await run(tracker, { command: 'plan', task_list: [{ title: 'a' }] });
  assert.deepEqual([planned.isError, tracker.warnings.length], [false, 1]);
  assert.match(tracker.warnings.join(), /TASKS\.json cannot be written/);
  assert.match((await run(tracker, { command: 'view' })).said, /1\. \[ \] a/);
});

test('a plan without a list is rejected, and the list stays', async () => {
  const tracker = await open(taskTrackerTool);
  await run(tracker, { command: 'plan', task_list: [{ title: 'a' }] });
  const refused = await run(tracker, { command: 'plan' });
  assert.deepEqual([refused.isError, refused.said], [true, 'plan needs task_list, the whole list.']);
  assert.match((await run(tracker, {})).said, /1\. \[ \] a/);
  assert.deepEqual((await run(tracker, { command: 'plan', task_list: [] }))['task_list'], []);
});

test('think is noted, finish gives its message', async () => {
  assert.equal((await run(await open(thinkTool), { thought: 'hm' })).isError, false);
  assert.equal((await run(await open(finishTool), { message: 'done' })).said, 'done');
  assert.equal((await make(finishTool)).endsRun, true);
});

test('a call of str_replace_editor without a command, and numbers and booleans as text, are what was meant', async () => {
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  const byName = (name: string) => builtinTools.find((factory) => factory.name === name)!;
  const editor = await open(byName('str_replace_editor'));
  const path = join(folder, 'a.txt');
  const viewed = await run(editor, { path, view_range: '[2, 2]' });
  assert.deepEqual(
    [viewed['command'], /two/.test(viewed.said), /three/.test(viewed.said)],
    ['view', true, false],
  );
  assert.equal((await run(editor, { path, insert_line: '1', new_str: 'more' }))['command'], 'insert');
  const shell = await open(byName('execute_bash'));
  assert.equal((await run(shell, { command: 'echo hi', is_input: 'False', timeout: '30' })).isError, false);
  await shell.close();
});

test('no description is longer than a model should have to read', async () => {
  for (const factory of ownTools) {
    const tool = await make(factory);
    assert.ok(tool.description.length < 1_500, factory.name);
    assert.ok(toolSchema(tool, { brief: true }).description.length <= 1_024, factory.name);
  }
});

test('schemas for the model: risk and summary first, own parameters typed, nothing that providers refuse', async () => {
  const tools = await Promise.all(ownTools.map(make));
  const told = tools.map((tool) => {
    const { parameters } = toolSchema(tool);
    return {
      tool: tool.name,
      names: Object.keys(parameters['properties'] as object),
      required: parameters['required'],
    };
  });
  const risky = ['security_risk', 'summary'];
  assert.deepEqual(told, [
    { tool: 'terminal', names: [...risky, 'command', 'is_input', 'timeout', 'reset'], required: ['command'] },
    {
      tool: 'file_editor',
      names: [...risky, 'command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line', 'view_range'],
      required: ['command', 'path'],
    },
    { tool: 'execute_ipython_cell', names: [...risky, 'code', 'timeout'], required: ['code'] },
    { tool: 'task_tracker', names: [...risky, 'command', 'task_list'], required: undefined },
    { tool: 'finish', names: ['summary', 'message'], required: ['message'] },
    { tool: 'think', names: ['summary', 'thought'], required: ['thought'] },
    { tool: 'request_condensation', names: ['summary'], required: undefined },
    {
      tool: 'task',
      names: [...risky, 'prompt', 'subagent_type', 'description', 'resume'],
      required: ['prompt'],
    },
    { tool: 'invoke_skill', names: ['summary', 'name'], required: ['name'] },
    {
      tool: 'switch_llm',
      names: [...risky, 'profile_name', 'reason'],
      required: ['profile_name', 'reason'],
    },
    {
      tool: 'inspect_image_with_vision',
      names: ['summary', 'image_index', 'question', 'profile_name'],
      required: ['image_index', 'question'],
    },
    { tool: 'apply_patch', names: [...risky, 'patch'], required: ['patch'] },
    { tool: 'grep', names: ['summary', 'pattern', 'path', 'include'], required: ['pattern'] },
    { tool: 'glob', names: ['summary', 'pattern', 'path'], required: ['pattern'] },
    { tool: 'view', names: ['summary', 'path', 'view_range'], required: ['path'] },
    { tool: 'read_file', names: ['summary', 'file_path', 'offset', 'limit'], required: ['file_path'] },
    {
      tool: 'write_file',
      names: [...risky, 'file_path', 'content'],
      required: ['file_path', 'content'],
    },
    {
      tool: 'edit',
      names: [...risky, 'file_path', 'old_string', 'new_string', 'expected_replacements'],
      required: ['file_path', 'old_string', 'new_string'],
    },
    { tool: 'list_directory', names: ['summary', 'dir_path', 'recursive'], required: undefined },
    { tool: 'planning_file_editor', names: told[1]!.names, required: ['command', 'path'] },
    {
      tool: 'edit_file',
      names: [...risky, 'path', 'content', 'start', 'end'],
      required: ['path', 'content'],
    },
    { tool: 'fetch', names: ['summary', 'url', 'start', 'whole'], required: ['url'] },
    { tool: 'browser', names: [...risky, 'code'], required: ['code'] },
    { tool: 'browser_navigate', names: [...risky, 'url', 'new_tab'], required: ['url'] },
    { tool: 'execute_bash', names: told[0]!.names, required: ['command'] },
    { tool: 'str_replace_editor', names: told[1]!.names, required: ['command', 'path'] },
  ]);
  for (const tool of tools) {
    assert.doesNotMatch(JSON.stringify(toolSchema(tool).parameters), /\$ref|anyOf|"default"|\$schema/);
  }
});

test('a tool in a system prompt names the classes of the reference, kind and title last', async () => {
  const [terminal] = (await Promise.all(ownTools.map(make))).map(describeTool);
  assert.deepEqual(Object.keys(terminal!), [
    'description',
    'action_type',
    'observation_type',
    'annotations',
    'kind',
    'title',
  ]);
  assert.deepEqual(
    [terminal!.kind, terminal!['action_type'], terminal!['title']],
    ['TerminalTool', 'TerminalAction', 'terminal'],
  );
});
