import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { loadAgentDefinitions } from './definition.ts';

test('agents are read as skills are: in UTF-16 too, and not without limit', async (t) => {
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
