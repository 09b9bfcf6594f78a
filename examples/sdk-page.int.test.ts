/** The programs in docs/sdk.md run as they stand there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8');
const FINISH = { tool_calls: [{ name: 'finish', arguments: { message: 'It is done.' } }] };
/** What each of them says, in their order. */
const SAID: readonly RegExp[] = [
  /^It is done\. .*conversations\/[0-9a-f]{32}\n\[ 'agent' \]\n$/,
  /^0 agent SystemPromptEvent\n1 user MessageEvent\n[\s\S]*\n\{ kind: 'finished', message: 'It is done\.' \}\n[\s\S]*true finished\n[0-9a-f-]{36}\n\[ 'system', 'user'/,
  /^finish tool-calls \d+ (null|0)\n$/,
];

test('the programs of docs/sdk.md run, and say what they should', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-sdk-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ turns: [FINISH, FINISH] }));
  const programs = [...PAGE.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program);
  assert.equal(programs.length, SAID.length);
  for (const [i, program] of programs.entries()) {
    writeFileSync(join(folder, 'program.mts'), program);
    const node = ['--conditions=longhand-source', '--disable-warning=ExperimentalWarning', 'program.mts'];
    const child = spawn(process.execPath, node, {
      cwd: folder,
      env: { ...process.env, LLM_MODEL: `scripted/${script}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    assert.deepEqual(await once(child, 'close'), [0, null], said);
    assert.match(said, SAID[i] ?? /^$/);
  }
});
