/** Commands that change what the shell itself needs: its functions, variables, traps, descriptors and markers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryTerminal } from '../../test-support/try-terminal.ts';

for (const command of [
  'unset -f $(compgen -A function)',
  'unset -f __lh_load',
  'unset ${!__lh_*}',
  'unset -f $(compgen -A function); unset ${!__lh_*} PROMPT_COMMAND PS1; set -u',
]) {
  test(`the terminal keeps working after ${command}`, async (t) => {
    const { run } = await tryTerminal(t);
    await run('f() { echo f; }; A=1; cd /');
    const unset = await run(`${command}; (exit 7)`, { timeout: 30 });
    assert.deepEqual([unset.said, unset.exit], ['', 7]);
    const next = await run('echo "$? $A $PWD"', { timeout: 30 });
    assert.deepEqual([next.said, next.exit], ['7 1 /', 0]);
    assert.equal((await run(`echo ${'x'.repeat(5_000)}`, { timeout: 30 })).said, 'x'.repeat(5_000));
  });
}

test('DEBUG, ERR and RETURN traps run for the command only, and survive to the next one', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run(`trap 'echo "[$BASH_COMMAND]"' DEBUG`)).said, '');
  assert.equal((await run('echo a; false')).said, '[echo a]\na\n[false]');
  assert.equal((await run('echo $?')).said, '[echo $?]\n1');
  assert.equal((await run(`echo b # ${'x'.repeat(5_000)}`)).said, '[echo b]\nb');
  assert.equal((await run('set -T')).said, '[set -T]');
  assert.equal((await run('echo c')).said, '[echo c]\nc');
  assert.equal((await run('trap - DEBUG')).said, '[trap - DEBUG]');
  assert.equal((await run('echo d')).said, 'd');
  assert.equal((await run(`trap 'echo failed' ERR; trap 'echo returned' RETURN`)).said, '');
  assert.deepEqual([(await run('false')).said, (await run('true')).said], ['failed', '']);
  assert.equal((await run('f() { :; }; declare -ft f; f')).said, 'returned');
});

test('a trap of a sourced script, and a trap of ~/.bashrc', async (t) => {
  const { run, home } = await tryTerminal(t);
  await run(`echo "trap 'echo DBG' DEBUG" > ~/.bashrc; cp ~/.bashrc traps.sh`);
  await run('. ./traps.sh');
  assert.equal((await run('echo a')).said, 'DBG\na');
  await run('', { reset: true });
  assert.deepEqual([(await run('echo $HOME')).said, (await run('echo b')).said], [home, 'b']);
});

for (const [terminal_type, command] of [
  ['pty', 'exec 0<&-'],
  ['pty', 'exec 0<&- 1>&- 2>&-'],
  ['pty', 'exec < /dev/null'],
  ['pipes', 'exec 0<&-'],
  ['pipes', 'exec 1>&- 2>&-'],
] as const) {
  test(`on ${terminal_type}, ${command} ends the shell, the result says so, and the next command runs`, async (t) => {
    const { run } = await tryTerminal(t, { terminal_type });
    const ended = await run(`${command}; (exit 3)`, { timeout: 30 });
    assert.deepEqual([ended.said, ended.exit, ended.isError], ['', 3, true]);
    assert.match(ended.suffix, /The shell itself exited \(3\)/);
    const next = await run('echo on', { timeout: 30 });
    assert.deepEqual([next.said, next.exit], ['on', 0]);
  });
}

test('the start of a marker that a command prints hides neither its output nor its end', async (t) => {
  const { run } = await tryTerminal(t);
  const printed = await run('echo a; printf "%s" "${PS1%%prompt*}"; echo b', { timeout: 30 });
  assert.deepEqual([printed.said, printed.exit], ['a\nb', 0]);
});
