import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryTools } from '@longhand/sdk/testing';
import * as z from 'zod';
import { tryTerminal } from '../../test-support/try-terminal.ts';
import { terminalTool } from './tool.ts';

test('the shell starts in its folder', async (t) => {
  const { folder, run } = await tryTerminal(t);
  const { said, suffix, metadata } = await run('pwd');
  assert.deepEqual([said, metadata['working_dir']], [folder, folder]);
  assert.match(suffix, /exit code 0/);
});

test('the param username is accepted with a warning that commands run as this user', async (t) => {
  const { tried, run } = await tryTerminal(t, { username: 'nobody' });
  assert.deepEqual(tried.warnings.length, 1);
  assert.match(tried.warnings[0] ?? '', /"nobody"/);
  assert.equal((await run('true')).exit, 0);
  await tried.close();
});

test('the working folder is kept between calls', async (t) => {
  const { folder, run } = await tryTerminal(t);
  await run('mkdir -p test/random');
  await run('cd test');
  assert.equal((await run('pwd')).said, `${folder}/test`);
  assert.equal((await run(`cd ${folder}/test/random`)).metadata['working_dir'], `${folder}/test/random`);
  const { said, metadata } = await run('pwd');
  assert.deepEqual([said, metadata['working_dir']], [`${folder}/test/random`, `${folder}/test/random`]);
});

test('output, an unknown command, and commands joined with && and ;', async (t) => {
  const { run } = await tryTerminal(t);
  const words = await run("echo 'plain words'");
  assert.deepEqual([words.said, words.exit, words.prefix], ['plain words', 0, '']);
  const unknown = await run('nonexistent_command');
  assert.match(unknown.said, /nonexistent_command/);
  assert.deepEqual([unknown.exit, unknown.isError], [127, false]);
  const list = await run('echo one && echo two && echo three');
  assert.deepEqual([list.said, list.exit], ['one\ntwo\nthree', 0]);
});

test('variables are kept between calls, and inherited ones are set', async (t) => {
  process.env['LONGHAND_TEST_OUTER'] = 'from outside';
  t.after(() => delete process.env['LONGHAND_TEST_OUTER']);
  const { run } = await tryTerminal(t);
  await run("export LH_A='two words'");
  assert.equal((await run('echo $LH_A')).said, 'two words');
  assert.equal((await run('echo "$LONGHAND_TEST_OUTER"')).said, 'from outside');
});

test('configured variables override inherited ones, also after a reset', async (t) => {
  process.env['LONGHAND_TEST_OVER'] = 'outer';
  t.after(() => delete process.env['LONGHAND_TEST_OVER']);
  const { run, tool } = await tryTerminal(t, { env: { LONGHAND_TEST_OVER: "it's $5\nand more" } });
  const print = `printf "%s" "$LONGHAND_TEST_OVER"`;
  assert.equal((await run(print)).said, "it's $5\nand more");
  await run('', { reset: true });
  assert.equal((await run(print)).said, "it's $5\nand more");
  assert.ok(!JSON.stringify(z.toJSONSchema(tool.input as z.ZodType, { io: 'input' })).includes('"env"'));
});

const wrongParams: readonly [string, object, RegExp][] = [
  ['an invalid variable name', { env: { 'INVALID-NAME': 'x' } }, /env.*not the name/],
  ['a variable that is not text', { env: { NAME: 5 } }, /env\.NAME/],
  ['a folder that does not exist', { working_dir: 'nowhere' }, /working_dir.*nowhere/],
  ['a shell that does not exist', { shell_path: '/nowhere/bash' }, /shell_path.*nowhere/],
  ['a shell that is not executable', { shell_path: '/etc/passwd' }, /shell_path.*not executable/],
  ['an unknown type', { terminal_type: 'teletype' }, /terminal_type/],
  ['PowerShell', { terminal_type: 'powershell' }, /PowerShell/],
  ['zero shells', { max_panes: 0 }, /max_panes/],
  ['a negative number of shells', { max_panes: -1 }, /max_panes/],
];
for (const [name, params, reason] of wrongParams) {
  test(`${name} is an error when the tool is created`, async (t) => {
    const { folder } = await tryTerminal(t);
    await assert.rejects(tryTools(terminalTool, { folder, params: { ...params } }), reason);
  });
}

test('a configured folder, absolute or relative to the workspace', async (t) => {
  const { folder, run } = await tryTerminal(t);
  await run('mkdir inner');
  for (const working_dir of ['inner', `${folder}/inner`]) {
    const tried = await tryTools(terminalTool, { folder, params: { working_dir } });
    assert.match((await tried.call({ command: 'pwd' })).said, new RegExp(`^${folder}/inner\n`));
    await tried.close();
  }
});

test('the home of the user', async (t) => {
  const { home, run } = await tryTerminal(t);
  assert.equal((await run('cd ~ && pwd')).said, home);
});

test('an empty folder', async (t) => {
  const { folder, run } = await tryTerminal(t);
  assert.equal((await run('pwd && ls -l')).said, `${folder}\ntotal 0`);
});

test('a program, and where its interpreter is; looked up again when the PATH changes', async (t) => {
  const { folder, run } = await tryTerminal(t);
  await run(`mkdir bin && printf '#!/bin/sh\\necho Python 9.9\\n' > bin/python && chmod +x bin/python`);
  const { metadata } = await run(`PATH=${folder}/bin:$PATH`);
  assert.equal(metadata['py_interpreter_path'], `${folder}/bin/python`);
  const version = await run('python --version');
  assert.deepEqual([version.said, version.exit], ['Python 9.9', 0]);
  assert.match(version.shown, /\[Python: .*\/bin\/python\]/);
  const none = await run('PATH=/nowhere');
  assert.equal(none.metadata['py_interpreter_path'], undefined);
});

test('an exclamation mark has no special meaning', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run('echo A!B')).said, 'A!B');
});

test('the schema for the model, and the values that it accepts', async (t) => {
  const { tool } = await tryTerminal(t);
  const { properties, required } = z.toJSONSchema(tool.input as z.ZodType, { io: 'input' }) as unknown as {
    readonly properties: { readonly [name: string]: { readonly type?: string; readonly anyOf?: unknown } };
    readonly required: readonly string[];
  };
  assert.equal(tool.name, 'terminal');
  const types = Object.entries(properties).map(([name, { type }]) => [name, type]);
  assert.deepEqual(types, [
    ['command', 'string'],
    ['is_input', 'boolean'],
    ['timeout', 'number'],
    ['reset', 'boolean'],
  ]);
  assert.deepEqual(required, ['command']);
});

test('the tool writes no log', async (t) => {
  const { run, tried } = await tryTerminal(t);
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (text: string) => boolean;
    t.mock.method(stream, 'write', (text: string) => {
      written.push(text);
      return write(text);
    });
  }
  assert.equal((await run('echo ghp_token_4711 && false')).exit, 1);
  t.mock.restoreAll();
  assert.deepEqual([tried.warnings, written.filter((text) => String(text).includes('4711'))], [[], []]);
});

test('$? is the exit code of the previous command', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run('(exit 7)')).exit, 7);
  assert.equal((await run('echo $?')).said, '7');
  await run('(exit 8)');
  assert.equal((await run(`echo $? ${'#'.repeat(10_000)}`)).said, '8');
});

test('functions, aliases, arrays and jobs are kept', async (t) => {
  const { run } = await tryTerminal(t);
  await run('f() { echo "f $1"; }; alias hi="echo hi"; declare -A m=([k]=v)');
  assert.equal((await run('f x; hi; echo ${m[k]}')).said, 'f x\nhi\nv');
  await run('sleep 300.7 &');
  assert.match((await run('jobs')).said, /Running.*sleep 300\.7/);
});

test('functions of the command named like builtins do not affect the terminal', async (t) => {
  const { run } = await tryTerminal(t);
  const names = ['eval', 'printf', 'read', 'type'];
  await run(names.map((name) => `${name}() { echo "mine: ${name}"; }`).join('; '));
  assert.deepEqual([(await run('printf x')).said, (await run('false')).exit], ['mine: printf', 1]);
  const long = `echo ${'x'.repeat(5_000)}`; // it passes through a file
  assert.equal((await run(long)).said, 'x'.repeat(5_000));
});
