import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openLocalWorkspace, type Tool, type ToolFactory, textOf } from '@longhand/sdk';
import { builtinTools, finishTool, taskTrackerTool, thinkTool } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-tools-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const make = (factory: ToolFactory): Tool =>
  factory.create({ workspace: openLocalWorkspace(folder), directory: folder, vision: false }, {})[0]!;

async function run(
  tool: Tool,
  args: object,
): Promise<Awaited<ReturnType<Tool['run']>> & { readonly said: string }> {
  const context = {
    workspace: openLocalWorkspace(folder),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  };
  const output = await tool.run(tool.input.parse(args), context);
  return { ...output, said: textOf(output.content) };
}

test('3.6: the list is replaced by plan, shown by view, and kept with the conversation', async () => {
  const tracker = make(taskTrackerTool);
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
  const again = await run(make(taskTrackerTool), { command: 'view' });
  assert.deepEqual(again['task_list'], list);
  assert.equal(again.said, 'Tasks:\n1. [x] a\n2. [ ] b\n   n');
});

test('3.6: a list that cannot be read is empty', async () => {
  writeFileSync(join(folder, 'TASKS.json'), '[{"title":');
  assert.match((await run(make(taskTrackerTool), {})).said, /empty/);
});

test('3.7: think is noted, finish gives its message', async () => {
  assert.equal((await run(make(thinkTool), { thought: 'hm' })).is_error, false);
  assert.equal((await run(make(finishTool), { message: 'done' })).said, 'done');
  assert.equal(make(finishTool).endsRun, true);
});

test('no description is longer than a model should have to read', () => {
  for (const factory of builtinTools) assert.ok(make(factory).description.length < 1_500, factory.name);
});
