import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { assertRunning, processesNamed, QUIET, tryTerminal } from '../../test-support/try-terminal.ts';

/** An interrupt that comes as soon as there is such a file. */
function abortedWhen(path: string): AbortSignal {
  const abort = new AbortController();
  const look = () => (existsSync(path) ? abort.abort() : setTimeout(look, 10));
  look();
  return abort.signal;
}

// They wait most of the time, each for its own shell.
describe('a command that goes on', { concurrency: 6 }, () => {
  test('a quiet command is left running; a new one is refused; each empty command shows new output', async (t) => {
    const { run } = await tryTerminal(t, QUIET);
    const first = await run('echo 1; sleep 2; echo 2; sleep 4; echo 3');
    assert.deepEqual([first.said, first.prefix], ['1', '']);
    assertRunning(first);
    assert.match(first.suffix, /for 1 seconds/);
    const second = await run('', { timeout: 3 });
    assert.equal(second.said, '2');
    assert.match(second.prefix, /since the last call/);
    const refused = await run('sleep 15');
    assert.deepEqual([refused.isError, refused.exit, refused.said.includes('3')], [true, -1, false]);
    assert.match(refused.suffix, /"sleep 15" was not started/);
    await sleep(4_000);
    const third = await run('sleep 15');
    assert.deepEqual([third.said, third.exit], ['3', -1]);
  });

  test('polling shows each line once', async (t) => {
    const { run, follow } = await tryTerminal(t, QUIET);
    const first = await run('for i in {1..4}; do echo $i; sleep 1.6; done');
    const { seen, last } = await follow(first);
    assert.deepEqual(`${first.said}\n${seen}`.match(/\d/g), ['1', '2', '3', '4']);
    assert.equal(last.exit, 0);
  });

  test('a program can ask for input, and a typed secret is not echoed', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    const asked = await run('read -p \'City? \' c && echo "To $c"');
    assert.equal(asked.said, 'City? ');
    assertRunning(asked);
    assertRunning(await input('')); // a look, not a line
    const answered = await input('Bern');
    assert.deepEqual([answered.said, answered.exit, answered.prefix], ['To Bern', 0, '']);
    assert.equal((await run('read -s -p "pw: " p && echo "got $p"')).said, 'pw: ');
    assert.equal((await input('word')).said.trim(), 'got word');
  });

  test('input can finish a here-document', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('cat << EOF'));
    for (const line of ['line 1', 'line 2']) {
      const told = await input(line);
      assertRunning(told);
      assert.match(told.prefix, /since the last call/);
    }
    const { said, exit } = await input('EOF');
    assert.deepEqual([said, exit], ['line 1\nline 2', 0]);
  });

  test('a program that asks twice, and reads what is typed from its terminal', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    const script = `
    const { createInterface } = require('node:readline');
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    lines.question('Name? ', (name) => lines.question('Age? ', (age) => {
      console.log('Hello ' + name + ', ' + age);
      lines.close();
    }));`;
    const name = await run(`'${process.execPath}' -e '${script.replaceAll("'", "'\\''")}'`, { timeout: 3 });
    assert.match(name.said, /Name\? /);
    const age = await input('Ada', { timeout: 3 });
    assert.match(age.said, /Age\? /);
    const { said, exit } = await input('36', { timeout: 30 });
    assert.deepEqual([/Hello Ada, 36$/.test(said), exit], [true, 0]);
  });

  test('keys end a program', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('while true; do echo on; sleep 3; done'));
    const ended = await input('C-c');
    assert.deepEqual([ended.exit, ended.prefix], [130, '']);
    assert.match(ended.suffix, /CTRL\+C/);
    assertRunning(await run('cat'));
    assert.equal((await input('hello')).said, 'hello');
    const closed = await input('C-d');
    assert.deepEqual([closed.exit, /CTRL\+D/.test(closed.suffix)], [0, true]);
  });

  test('exit code -1 after a timeout and after silence, in the result and in its metadata', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    const late = await run('sleep 10', { timeout: 1 });
    assertRunning(late);
    assert.deepEqual([late.observation['timeout'], late.suffix.includes('1 seconds')], [true, true]);
    await input('C-c');
    assert.equal((await run('sleep 0.2', { timeout: 1e12 })).exit, 0);
    const quiet = await run('sleep 5');
    assertRunning(quiet);
    assert.equal(quiet.observation['timeout'], false);
  });

  test('polling with a timeout', async (t) => {
    const { run } = await tryTerminal(t, QUIET);
    let told = await run('for i in 1 2 3; do echo $i; sleep 1.5; done', { timeout: 0.7 });
    const seen = [told.said];
    for (let looks = 0; told.exit === -1 && looks < 40; looks += 1) {
      assert.match(told.suffix, /still running after 0\.7 seconds/);
      told = await run('', { timeout: 0.7 });
      seen.push(told.said);
    }
    assert.deepEqual([seen.filter((said) => said !== ''), told.exit], [['1', '2', '3'], 0]);
  });

  test('an empty command or input without a running command is refused', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    for (const told of [await run(''), await input('x')]) {
      assert.deepEqual([told.isError, told.exit, told.prefix, told.suffix], [true, -1, '', '']);
      assert.match(told.said, /No command is running/);
      assert.match(told.shown, /^\[An error/);
    }
    assert.equal((await run('echo on')).exit, 0);
  });

  test('an open quote is closed by input', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('echo "abc'));
    const { said, exit } = await input('"');
    assert.deepEqual([said.trim(), exit], ['abc', 0]);
    assert.equal((await run('if true; then')).exit, -1);
    assert.equal((await input('C-c')).exit, 130);
  });

  test('a job in the background returns at once, with its process id', async (t) => {
    const { run } = await tryTerminal(t, QUIET);
    const { exit, said, metadata } = await run('sleep 300.8 &');
    assert.deepEqual([exit, said], [0, `[1] ${metadata['pid']}`]);
  });

  test('C-z stops a program, and the shell takes commands again', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('sleep 300.9'));
    const stopped = await input('C-z');
    assert.deepEqual([stopped.exit, /CTRL\+Z/.test(stopped.suffix)], [148, true]);
    assert.match((await run('jobs')).said, /Stopped.*sleep 300\.9/);
  });

  test('keys reach a program that reads keys, and Enter is a carriage return', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('stty raw; head -c 9 | od -An -tx1; stty cooked -echo'));
    await input('UP');
    await input('TAB');
    await input('F1');
    const { said, exit } = await input('ab');
    assert.deepEqual([said.trim().replace(/\s+/g, ' '), exit], ['1b 5b 41 09 46 31 0d 61 62', 0]);
  });

  test('input of 60 KB arrives whole, larger input is refused, and unread input blocks nothing', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    const text = `${'x'.repeat(99)}\n`.repeat(600).trimEnd();
    assertRunning(await run('head -n 600 | md5sum; echo'));
    const { said, exit } = await input(text, { timeout: 30 });
    assert.deepEqual(
      [exit, said.split(' ')[0]],
      [0, (await run(`yes ${'x'.repeat(99)} | head -n 600 | md5sum`)).said.split(' ')[0]],
    );
    assertRunning(await run('sleep 301'));
    const refused = await input('x'.repeat(70_000));
    assert.match(refused.said, /at most \d+ can be typed/);
    assertRunning(await input(text));
    await run('', { reset: true });
    assert.equal((await run('echo on')).said, 'on');
  });

  test('a hidden exit code is not guessed, and the shell stays usable', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('PROMPT_COMMAND=; sleep 302'));
    const hidden = await input('C-c');
    assert.equal(hidden.exit, -1);
    assert.match(hidden.suffix, /ended.*unknown/);
    assert.deepEqual([(await run('echo on')).said, (await run('false')).exit], ['on', 1]);
  });

  test('a program with its own prompt is not taken for the shell', async (t) => {
    const { run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('bash --norc'));
    assertRunning(await input('echo $((6 * 7))'));
    const { said, exit } = await input('exit 4');
    assert.deepEqual([exit, said.includes('__lh')], [4, false]);
  });

  for (const command of [
    'PROMPT_COMMAND=; PS1="$ "',
    'exec 2>&-',
    'exec > /dev/null',
    'exec >&-',
    "trap '' INT TERM",
    'set -u',
    'set -o noclobber',
    'unset HOME PATH',
    'readonly status=5',
    'stty raw',
    'cd /; rm -rf "$OLDPWD"',
  ]) {
    test(`after \`${command}\` the shell still tells how commands end`, async (t) => {
      const { run } = await tryTerminal(t);
      assert.equal((await run(command)).exit, 0);
      assert.deepEqual([(await run('(exit 5)')).exit, (await run('true')).exit], [5, 0]);
    });
  }

  test('an interrupt ends the command and keeps the shell', async (t) => {
    const { run } = await tryTerminal(t, QUIET);
    const abort = new AbortController();
    await run('echo ready; export A=kept');
    setTimeout(() => abort.abort(), 100);
    const ended = await run('sleep 60', { timeout: 30, signal: abort.signal });
    assert.deepEqual([ended.isError, ended.exit], [true, 130]);
    assert.match(ended.suffix, /interrupted/);
    assert.equal((await run('echo $A')).said, 'kept');
  });

  test('an interrupt at any moment, also before bash has read the line, leaves the shell as it is', async (t) => {
    const { run } = await tryTerminal(t, QUIET);
    await run('A=kept');
    for (let i = 0; i < 30; i += 1) {
      const abort = new AbortController();
      const running = run('echo $A; sleep 60', { timeout: 30, signal: abort.signal });
      for (const until = performance.now() + i / 8; performance.now() < until; ) await setImmediate();
      abort.abort();
      const told = await running.then(
        ({ suffix }) => suffix,
        (notBegun: Error) => notBegun.message,
      );
      assert.match(told, /interrupted the command\.\]|user interrupted this call/);
    }
    assert.equal((await run('echo $A')).said, 'kept');
  });

  test('an interrupt that ends the shell itself is reported as such', async (t) => {
    const { folder, run } = await tryTerminal(t, QUIET);
    const signal = abortedWhen(join(folder, 'ready'));
    const ended = await run("trap 'exit 7' INT; touch ready; read x", { timeout: 30, signal });
    assert.deepEqual([ended.isError, ended.exit], [true, 7]);
    assert.match(ended.suffix, /shell itself exited \(7\)/);
  });

  test('an interrupt ends the syntax check of a command', async (t) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-own-bash-')));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [ready, shell_path] = ['ready', 'own-bash'].map((name) => join(folder, name)) as [string, string];
    const slow = `#!/bin/sh\n[ "$1" = -n ] || exec bash "$@"\ntouch ${ready}\nexec sleep 600.25\n`;
    writeFileSync(shell_path, slow, { mode: 0o755 });
    const { run } = await tryTerminal(t, { shell_path });
    await assert.rejects(run('echo a\necho b', { signal: abortedWhen(ready) }), /user interrupted this call/);
    assert.deepEqual(processesNamed('sleep\x00600.25'), []);
  });

  test('a command that is interrupted while the shell starts is not run later', async (t) => {
    const { folder, home, run } = await tryTerminal(t, QUIET);
    writeFileSync(join(home, '.bashrc'), 'sleep 1\n');
    await run('', { reset: true });
    const abort = new AbortController();
    await run('kill -9 $$');
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(run('touch begun', { signal: abort.signal }), /user interrupted this call/);
    assert.equal((await run('ls')).said, '');
    assert.equal(existsSync(join(folder, 'begun')), false);
  });

  test('input for a command that has ended is not sent, and the result says so', async (t) => {
    const { folder, run, input } = await tryTerminal(t, QUIET);
    assertRunning(await run('sleep 1.5; echo late; touch done'));
    while (!existsSync(join(folder, 'done'))) await sleep(20);
    await sleep(500); // it is told right behind
    const told = await input('C-c');
    assert.deepEqual([told.said, told.exit], ['late', 0]);
    assert.match(told.suffix, /the input was not sent/);
    assert.doesNotMatch(told.suffix, /CTRL/);
  });

  test('a command that cannot be interrupted loses its shell', async (t) => {
    const { folder, run } = await tryTerminal(t, QUIET);
    const signal = abortedWhen(join(folder, 'ready'));
    const ended = await run("trap '' INT; touch ready; cd /; while true; do sleep 1; done", {
      timeout: 30,
      signal,
    });
    assert.deepEqual([ended.isError, ended.exit], [true, -1]);
    assert.match(ended.suffix, /shell was replaced/);
    assert.equal((await run('echo on')).said, 'on');
  });
});
