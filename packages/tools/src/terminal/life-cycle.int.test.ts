import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation, openLocalWorkspace, type ToolFactory, textOf } from '@longhand/sdk';
import { scriptedLlm } from '@longhand/sdk/testing';
import { assertRunning, processesNamed, QUIET, tryTerminal } from '../../test-support/try-terminal.ts';
import { terminalTool } from './tool.ts';

/** Resolves when a process is gone and whoever started it can know. */
async function gone(pid: string): Promise<void> {
  while (existsSync(`/proc/${pid}`)) await sleep(5);
  await sleep(50);
}

test('a reset forgets variables and folder', async (t) => {
  const { folder, run } = await tryTerminal(t);
  await run('export A=1; cd /');
  const renewed = await run('', { reset: true });
  assert.deepEqual([renewed.observation['command'], renewed.exit], ['[RESET]', 0]);
  assert.match(renewed.said, /was reset/);
  assert.equal((await run('echo "$A $PWD"')).said, ` ${folder}`);
});

test('a reset with a command, two resets in a row, and a reset whose timeout is ignored', async (t) => {
  const { run } = await tryTerminal(t);
  const both = await run('echo new-shell', { reset: true });
  assert.equal(both.observation['command'], '[RESET] echo new-shell');
  assert.match(both.said, /was reset[\s\S]*new-shell/);
  await run('', { reset: true });
  assert.equal((await run('', { reset: true, timeout: 0 })).exit, 0);
  const slow = await run('sleep 0.2; echo slept', { reset: true, timeout: 0.01 });
  assert.match(slow.said, /slept/);
});

test('reset and input exclude each other', async (t) => {
  const { run } = await tryTerminal(t);
  await assert.rejects(run('x', { reset: true, is_input: true }), /cannot be combined/);
});

test('a reset ends the command that is left running', async (t) => {
  const { run } = await tryTerminal(t, QUIET);
  const seconds = `303.${process.pid}`; // no other run of these tests sleeps so long
  assertRunning(await run(`sleep ${seconds}`));
  assert.equal(processesNamed(`sleep\0${seconds}\0`).length, 1);
  await run('', { reset: true });
  assert.deepEqual(processesNamed(`sleep\0${seconds}\0`), []);
  assert.match((await run('')).said, /No command is running/);
});

test('a terminal can be closed twice, after its shell exited, and before it started', async (t) => {
  const { run, tool } = await tryTerminal(t);
  await run('kill -9 $$');
  await tool.close?.();
  await tool.close?.();
  const { tool: unused } = await tryTerminal(t);
  await unused.close?.();
});

for (const failing of [false, true]) {
  test(`a conversation closes its tools once${failing ? ', also one that fails at it' : ''}`, async (t) => {
    const { folder } = await tryTerminal(t);
    let closed = 0;
    const counted: ToolFactory = {
      name: 'terminal',
      create: async (environment, params) =>
        (await terminalTool.create(environment, params)).map((tool) => ({
          ...tool,
          close: async () => {
            closed += 1;
            await tool.close?.();
            if (failing) throw new Error('cannot close');
          },
        })),
    };
    const conversation = await Conversation.open({
      agent: { llm: { model: 'scripted' }, tools: [{ name: 'terminal', params: {} }] },
      model: {
        llm: scriptedLlm({
          turns: [{ tool_calls: [{ name: 'terminal', arguments: { command: 'pwd' } }] }, { text: 'done' }],
        }),
      },
      tools: [counted],
      workspace: openLocalWorkspace(folder),
      place: { conversationsDir: join(folder, '..', 'conversations'), durability: 'process' },
    });
    await conversation.send('where are we?');
    await conversation.run();
    const results = conversation.view.messages().filter(({ role }) => role === 'tool');
    assert.ok(textOf(results[0]?.content ?? []).startsWith(folder));
    await conversation.close();
    await conversation.close();
    assert.equal(closed, 1);
  });
}

test('the configured shell runs, also after a reset', async (t) => {
  const { folder } = await tryTerminal(t);
  const own = join(folder, 'own-bash');
  symlinkSync('/bin/bash', own);
  const { run } = await tryTerminal(t, { shell_path: own });
  const asked = 'tr "\\\\0" " " < /proc/$$/cmdline';
  assert.ok((await run(asked)).said.startsWith(own));
  await run('', { reset: true });
  assert.ok((await run(asked)).said.startsWith(own));
});

test('other back-ends are refused or replaced with a warning', async (t) => {
  const { tried } = await tryTerminal(t, { terminal_type: 'subprocess' });
  assert.deepEqual(tried.warnings, []);
  const { tried: other, run } = await tryTerminal(t, { terminal_type: 'tmux' });
  assert.deepEqual([other.warnings.length, /tmux/.test(other.warnings[0] ?? '')], [1, true]);
  assert.equal((await run('true')).exit, 0);
});

test('a shell on pipes has C-c as its only key', async (t) => {
  const { run, input } = await tryTerminal(t, { ...QUIET, terminal_type: 'pipes' });
  assert.equal((await run('echo out; echo err >&2; (exit 3)')).said, 'out\nerr');
  assert.equal((await run('echo $?')).said, '3');
  assertRunning(await run('read a && echo "got $a"'));
  assert.match((await input('C-z')).said, /no pseudo-terminal/);
  assert.equal((await input('x')).said, 'got x');
  assertRunning(await run('sleep 304'));
  assert.equal((await input('C-c')).exit, 130);
});

for (const [command, status] of [
  ['exit 3', '3'],
  ['kill -9 $$', 'SIGKILL'],
  ['exec true', '0'],
  ['set -e; false', '1'],
] as const) {
  test(`a shell that ends (${command}) is reported at once, and the next command runs in the same folder`, async (t) => {
    const { folder, run } = await tryTerminal(t);
    mkdirSync(join(folder, 'here'));
    await run('cd here');
    const ended = await run(`echo before; ${command}`, { timeout: 30 });
    assert.deepEqual([ended.isError, ended.said.startsWith('before')], [true, true]);
    assert.ok(ended.suffix.includes(`(${status})`), ended.suffix);
    assert.equal((await run('pwd')).said, join(folder, 'here'));
  });
}

test('a shell that exits between two calls is reported before anything runs in a new one', async (t) => {
  const { run } = await tryTerminal(t);
  const [pid = ''] = (await run('D=/tmp/x; echo $$')).said.split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await gone(pid);
  const refused = await run('echo "$D"');
  assert.deepEqual([refused.isError, refused.exit, refused.said], [true, -1, '']);
  assert.match(refused.suffix, /was not started.*\(SIGKILL\)/s);
  assert.equal((await run('echo on')).said, 'on');
});

test('a command that lost its shell while running is an error', async (t) => {
  const { run } = await tryTerminal(t, QUIET);
  const first = await run('echo $$; sleep 305');
  assertRunning(first);
  process.kill(Number(first.said), 'SIGKILL');
  await gone(first.said);
  const look = await run('');
  assert.deepEqual([look.isError, look.exit], [true, -1]);
  assert.match(look.suffix, /\(SIGKILL\)/);
  assert.equal((await run('echo on')).said, 'on');
});

test('C-d ends a subshell that reads input, and the result says so', async (t) => {
  const { run, input } = await tryTerminal(t, QUIET);
  assertRunning(await run('sh -c "cat; exit 6"'));
  assert.equal((await input('C-d')).exit, 6);
});

test('closing the terminal ends every program, including those with sessions of their own', async (t) => {
  const { run, tool } = await tryTerminal(t);
  const mark = `31${process.pid}`;
  await run(`(setsid sleep ${mark} &) ; nohup sleep ${mark} > /dev/null & disown`);
  await run(`bash -c 'trap "" TERM HUP; sleep ${mark}' &`);
  await tool.close?.();
  assert.deepEqual(processesNamed(`sleep\0${mark}`), []);
});

test('the file that delivers a command is private, and removed before the next command', async (t) => {
  const { run, tool } = await tryTerminal(t);
  const file = (await run('tr "\\0" "\\n" < /proc/$$/cmdline | grep /longhand-')).said;
  assert.equal(existsSync(file), false);
  const long = `ls -l ${file}; : ${'x'.repeat(5_000)}`;
  assert.match((await run(long)).said, /^-rw------- /);
  assert.match((await run(`ls ${file}`)).said, /No such file/);
  await run(long);
  await tool.close?.();
  assert.equal(existsSync(file), false);
});

test('a call whose shell is closed while it starts reports that its command was not started', async (t) => {
  const { home, tried, tool } = await tryTerminal(t);
  writeFileSync(join(home, '.bashrc'), `touch ${home}/begun; sleep 306\n`);
  const waiting = tried.call({ command: 'true' });
  while (!existsSync(join(home, 'begun'))) await sleep(5);
  await tool.close?.();
  assert.match((await waiting).said, /^The terminal was reset or closed.*not started\.$/);
});

test('a start-up file that exits the shell is skipped, with a warning that quotes its output', async (t) => {
  const { home, tried } = await tryTerminal(t);
  writeFileSync(join(home, '.bashrc'), 'echo broken start; exit 9\n');
  const { isError, said } = await tried.call({ command: 'echo up' });
  assert.equal(isError, false);
  assert.match(said, /^up/);
  assert.equal(tried.warnings.length, 1);
  assert.match(tried.warnings[0] ?? '', /\.bashrc was skipped.*did not become ready.*broken start/s);
});

test('an error about a shell that cannot start quotes its output', async (t) => {
  const { folder } = await tryTerminal(t);
  const shell_path = join(folder, 'own-bash');
  writeFileSync(shell_path, '#!/bin/sh\necho broken start\nexit 9\n', { mode: 0o755 });
  const { tried } = await tryTerminal(t, { shell_path });
  const { isError, said } = await tried.call({ command: 'true' });
  assert.ok(isError);
  assert.match(said, /did not become ready.*broken start/s);
});
