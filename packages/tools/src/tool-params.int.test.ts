import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MCP_TOOLS } from '@longhand/sdk/internal';
import { tryTools } from '@longhand/sdk/testing';
import { builtinTools } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-params-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const wrong: readonly (readonly [tool: string, params: object, told: RegExp])[] = [
  ['file_editor', { allowed_edits_files: '/a' }, /param allowed_edits_files: .*array/],
  ['file_editor', { allowed_edits_files: ['a'] }, /param allowed_edits_files\.0: must be absolute/],
  [
    'file_editor',
    { allowed_edit_files: [] },
    /unknown param allowed_edit_files; available: allowed_edits_files/,
  ],
  ['edit_file', { enable_auto_lint: 'yes' }, /param enable_auto_lint: .*boolean/],
  ['execute_ipython_cell', { plain: 1, python: '' }, /param python: .*; param plain: /],
  ['planning_file_editor', { plan_path: 'plan.md' }, /param plan_path: must be absolute/],
  ['invoke_skill', { run_commands: 'true' }, /param run_commands: .*boolean/],
  ['browser', { headless: 'no', sandbox: null }, /param headless: .*boolean/],
  ['switch_llm', { profiles: 'cheap' }, /param profiles: .*array/],
  ['fetch', { allowed_domains: ['example.com'] }, /unknown param allowed_domains; available: none/],
  ['finish', { message: 'x' }, /unknown param message; available: none/],
  ['grep', { path: '/' }, /unknown param path; available: none/],
  [
    'terminal',
    { no_change_timeout: 5 },
    /unknown param no_change_timeout; available: no_change_timeout_seconds, /,
  ],
];
for (const [name, params, told] of wrong) {
  test(`a param that ${name} cannot take is an error when the tool is made: ${JSON.stringify(params)}`, async () => {
    const factory = builtinTools.find((each) => each.name === name);
    assert.ok(factory !== undefined);
    await assert.rejects(tryTools(factory, { folder, params: { ...params } }), (error: Error) => {
      assert.match(error.message, told);
      assert.ok(error.message.startsWith(`${name}: `), error.message);
      return true;
    });
  });
}

test('every tool except MCP rejects unknown params', async () => {
  for (const factory of builtinTools.filter(({ name }) => name !== MCP_TOOLS)) {
    const made = tryTools(factory, { folder, params: { no_such_param: 1 } });
    await assert.rejects(made, /: unknown param no_such_param; available: /, factory.name);
  }
});
