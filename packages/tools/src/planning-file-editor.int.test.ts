import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { tryTools } from '@longhand/sdk/testing';
import { planningFileEditorTool } from './planning-file-editor.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-plan-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (params = {}) => tryTools(planningFileEditorTool, { folder, params });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('the plan exists with headings from the first call on and can be edited', async () => {
  const { call, close } = await open();
  const path = join(folder, '.agents_tmp/PLAN.md');
  assert.equal(existsSync(path), false);
  assert.match((await call({ command: 'view', path })).said, /## Goal/);
  const { observation, isError } = await call({
    command: 'str_replace',
    path,
    old_str: '## Goal\n',
    new_str: '## Goal\n\nFaster.\n',
  });
  assert.equal(isError, false);
  assert.match(read('.agents_tmp/PLAN.md'), /^## Goal\n\nFaster\.\n/);
  assert.deepEqual(Object.keys(observation!), ['content', 'is_error', 'path', 'kind']);
  await call({ command: 'undo_edit', path });
  assert.doesNotMatch(read('.agents_tmp/PLAN.md'), /Faster/);
  await close();
});

test('all other files can be viewed but not edited', async () => {
  writeFileSync(join(folder, 'a'), 'one\n');
  const { call, close } = await open();
  const path = join(folder, 'a');
  assert.match((await call({ command: 'view', path })).said, /one/);
  for (const more of [
    { command: 'str_replace', path, old_str: 'one', new_str: 'two' },
    { command: 'insert', path, insert_line: 0, new_str: 'x' },
    { command: 'create', path: join(folder, 'b'), file_text: 'x' },
    { command: 'create', path: join(folder, '.agents_tmp/../c'), file_text: 'x' },
    { command: 'undo_edit', path },
  ]) {
    const { isError, said } = await call(more);
    assert.equal(isError, true);
    assert.ok(said.includes(`You may edit: ${folder}/.agents_tmp/PLAN.md.`), said);
  }
  assert.deepEqual(
    [read('a'), existsSync(join(folder, 'b')), existsSync(join(folder, 'c'))],
    ['one\n', false, false],
  );
  await close();
});

test('a PLAN.md in the workspace is adopted with a warning, unless there is a newer one', async () => {
  writeFileSync(join(folder, 'PLAN.md'), 'old\n');
  const old = await open();
  const path = join(folder, 'PLAN.md');
  await old.call({ command: 'str_replace', path, old_str: 'old', new_str: 'new' });
  assert.equal(read('PLAN.md'), 'new\n');
  assert.match(old.warnings.join(), /PLAN\.md/);
  await old.close();
  mkdirSync(join(folder, '.agents_tmp'));
  writeFileSync(join(folder, '.agents_tmp/PLAN.md'), 'mine\n');
  const both = await open();
  const refused = await both.call({ command: 'str_replace', path, old_str: 'new', new_str: 'x' });
  assert.deepEqual([refused.isError, both.warnings], [true, []]);
  await both.close();
});

test('plan_path is absolute and is created with its folders', async () => {
  await assert.rejects(open({ plan_path: 'plan.md' }), /must be absolute/);
  const path = join(folder, 'plans/a.md');
  const { call, close, tools } = await open({ plan_path: path });
  assert.ok(tools[0]!.description.includes(path));
  assert.match((await call({ command: 'view', path })).said, /## Steps/);
  await close();
});

test('a plan that cannot be created is an error of the call, and the next call retries', async () => {
  writeFileSync(join(folder, 'plans'), 'in the way');
  const path = join(folder, 'plans/a.md');
  const { call, close } = await open({ plan_path: path });
  const { isError, said } = await call({ command: 'view', path });
  assert.deepEqual([isError, /ENOTDIR|EEXIST/.test(said)], [true, true]);
  rmSync(join(folder, 'plans'));
  assert.equal((await call({ command: 'view', path })).isError, false);
  await close();
});
