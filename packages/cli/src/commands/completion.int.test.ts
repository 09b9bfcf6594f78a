import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CompletedCommand, completionScript, SHELLS, type Shell } from '../flags/completion.ts';
import { COMMANDS } from './registry.ts';

async function script(shell: Shell): Promise<string> {
  const commands: CompletedCommand[] = [];
  for (const { name, does, load } of COMMANDS) commands.push({ ...(await load()), name, does });
  return completionScript(shell, commands);
}

const has = (program: string) => spawnSync('which', [program]).status === 0;

/** A folder with a file, a folder, and a `longhand` whose `ls` lists two conversations. */
function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'longhand-completion-'));
  t.after(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, 'bin'));
  const ls = '#!/bin/sh\nprintf "ID        STATUS\\n1a2b3c4d  finished\\n99999999  idle\\n"\n';
  writeFileSync(join(path, 'bin/longhand'), ls, { mode: 0o755 });
  mkdirSync(join(path, 'work'));
  writeFileSync(join(path, 'wish.md'), '');
  return path;
}

const COMPLETIONS = [
  ['longhand sh', 'show'],
  ['longhand show 1', '1a2b3c4d'],
  ['longhand show --mes', '--messages'],
  ['longhand --max-i', '--max-iterations'],
  ['longhand -t x --log-level d', 'debug'],
  ['longhand --file w', 'wish.md work'],
  ['longhand --directory w', 'work'],
  ['longhand export 1 --format j', 'jsonl'],
  ['longhand help st', 'stats'],
  ['longhand completion z', 'zsh'],
  ['longhand --resume 9', '99999999'],
  ['longhand show --model', ''],
] as const;

for (const [line, proposed] of COMPLETIONS)
  test(`bash completes "${line}"`, { skip: !has('bash') && 'needs bash' }, async (t) => {
    const cwd = folder(t);
    const words = line.split(' ');
    const program = `${await script('bash')}
compopt() { :; } # works only while bash completes
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_longhand; echo "\${COMPREPLY[*]}"`;
    const env = { PATH: `${cwd}/bin:${process.env['PATH']}` };
    const reply = execFileSync('bash', ['-c', program], { cwd, env, encoding: 'utf8' });
    assert.deepEqual(reply.trim().split(' ').toSorted().join(' '), proposed);
  });

for (const [line, proposed] of COMPLETIONS)
  test(`fish completes "${line}"`, { skip: !has('fish') && 'needs fish' }, async (t) => {
    const cwd = folder(t);
    writeFileSync(join(cwd, 'bin/script'), await script('fish'));
    const env = { PATH: `${cwd}/bin:${process.env['PATH']}`, HOME: cwd };
    const program = `source bin/script; complete -C ${JSON.stringify(line)}`;
    const reply = execFileSync('fish', ['-c', program], { cwd, env, encoding: 'utf8' });
    const words = reply.split('\n').map((each) => each.replace(/\/?(\t.*)?$/, ''));
    assert.deepEqual(words.filter(Boolean).toSorted().join(' '), proposed);
  });

test('zsh reads its script', { skip: !has('zsh') && 'needs zsh' }, async () => {
  const { status, stderr } = spawnSync('zsh', ['-n'], { input: await script('zsh'), encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

for (const shell of SHELLS)
  test(`the script for ${shell} names every command`, async () => {
    const text = await script(shell);
    for (const { name } of COMMANDS) assert.match(text, new RegExp(`\\b${name}\\b`));
  });
