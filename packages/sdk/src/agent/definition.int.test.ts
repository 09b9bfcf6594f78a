import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { loadAgentDefinitions } from './definition.ts';

test('agents are the Markdown files of three folders, in alphabetical order; the first of a name counts', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-agents-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  };
  for (const name of ['b.md', 'a.md', 'readme.md', 'notes.txt']) write(`.longhand/agents/${name}`);
  mkdirSync(join(root, '.longhand/agents/folder.md'));
  for (const path of ['.agents/agents/b.md', '.agents/agents/c.md', '.openhands/agents/d.md']) write(path);
  const workspace = openLocalWorkspace(root);
  t.after(() => workspace.close());
  const warnings: string[] = [];
  const found = await loadAgentDefinitions(workspace, root, (text) => warnings.push(text));
  assert.deepEqual(
    found.map(({ name, source, instructions }) => [name, source === join(root, instructions ?? '')]),
    [
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
    ],
  );
  assert.deepEqual(warnings, []);
});

test('agent files may be UTF-16, and one that is too large is left out with a warning', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-agents-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, '.agents/agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'wide.md'),
    Buffer.from('\ufeff---\ndescription: Wide \u00e4.\n---\nx', 'utf16le'),
  );
  writeFileSync(join(folder, 'long.md'), 'x'.repeat(2_000_000));
  const warnings: string[] = [];
  const workspace = openLocalWorkspace(root);
  const found = await loadAgentDefinitions(workspace, root, (text) => warnings.push(text));
  await workspace.close();
  assert.deepEqual(
    found.map(({ name, description }) => [name, description]),
    [['wide', 'Wide ä.']],
  );
  assert.match(warnings.join('\n'), /long\.md is left out: it has 2000000 bytes, more than 1048576$/);
});
