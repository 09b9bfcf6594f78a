import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { knowledgeOf } from './briefing.ts';

test('skills in the home folder are offered only if the specification asks for them', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'longhand-home-'));
  const { HOME, XDG_CONFIG_HOME } = process.env;
  t.after(() => {
    for (const [name, value] of Object.entries({ HOME, XDG_CONFIG_HOME }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(home, { recursive: true, force: true });
  });
  process.env['HOME'] = home;
  delete process.env['XDG_CONFIG_HOME'];
  assert.equal(homedir(), home);
  const folder = join(home, '.longhand/skills/greeting');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: greeting\ndescription: greets\n---\nSay hello.\n');
  const workspace = openLocalWorkspace(join(home, '.longhand'));
  const offered = async (context?: object) => {
    const knowledge = knowledgeOf({ workspace }, { llm: { model: 'm' }, ...(context && { context }) });
    return (await knowledge.offered()).map(({ name }) => name);
  };
  assert.deepEqual(await offered({ loadUserSkills: true }), ['greeting']);
  assert.deepEqual(await offered({ loadUserSkills: false }), []);
  assert.deepEqual(await offered(), []);
  await workspace.close();
});
