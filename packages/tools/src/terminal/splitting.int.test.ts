import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tryTerminal } from '../../test-support/try-terminal.ts';

test('a command may have several lines', async (t) => {
  const { run } = await tryTerminal(t);
  const branch = await run('if true; then\n  echo branch\nfi');
  assert.deepEqual([branch.said, branch.exit, branch.prefix], ['branch', 0, '']);
  assert.equal((await run('echo \\\n-e "foo"')).said, 'foo');
  assert.equal((await run('echo -e "hello\nworld"')).said, 'hello\nworld');
  const loops = 'for i in 1 2; do\n for j in a b; do\n  echo $i$j\n done\ndone && echo all-made';
  assert.equal((await run(loops)).said, '1a\n1b\n2a\n2b\nall-made');
});

const SEVEN = [
  'touch one',
  'for i in 1 2; do\n  touch two$i\ndone',
  'cat > three <<EOF\n  text; touch wrong\nEOF',
  'f() {\n  touch four\n}; f',
  'touch "fi\nve"',
  'touch six && \\\n  touch seven',
  'echo $(\n  touch eight\n)',
];

test('several statements are refused and none runs; each runs alone', async (t) => {
  const { folder, run } = await tryTerminal(t);
  const refused = await run(SEVEN.join('\n'));
  assert.deepEqual([refused.isError, refused.exit, readdirSync(folder)], [true, -1, []]);
  for (const [index, statement] of SEVEN.entries()) {
    assert.ok(refused.said.includes(`(${index + 1}) ${statement}`), refused.said);
    assert.equal((await run(statement)).exit, 0);
  }
  const made = ['eight', 'fi\nve', 'four', 'one', 'seven', 'six', 'three', 'two1', 'two2'];
  assert.deepEqual(readdirSync(folder).sort(), made);
});

test('a script of thousands of lines is refused with the start of a list', async (t) => {
  const { run } = await tryTerminal(t);
  const refused = await run('echo x\n'.repeat(3_000));
  assert.ok(refused.isError);
  assert.match(refused.said, /\(50\) echo x\n\.\.\. and 2950 more$/);
});

test('bash decides where the grammar finds an error', async (t) => {
  const { run, input } = await tryTerminal(t);
  const several = 'if true; then if true; then echo a; fi fi\necho b';
  assert.equal((await run(several)).said, 'a\nb');
  assert.equal((await run(several.replace('echo a', 'sleep 0.2; echo a'))).said, 'a\nb');
  assert.equal((await run('((echo c); echo d)')).said, 'c\nd');
  assert.equal((await run("echo \"$(cat <<'E'\nit's done :)\nE\n)\"")).said, "it's done :)");
  const wrong = await run('echo e; fi )\necho not reached');
  assert.match(wrong.said, /syntax error/);
  assert.ok(!wrong.said.includes('not reached\n'), wrong.said);
  assert.equal((await run("echo 'f", { timeout: 0.1 })).exit, -1);
  assert.equal((await input("g'")).said, 'f\ng');
});

test('a substitution in a quoted word is part of its statement', async (t) => {
  const { run } = await tryTerminal(t);
  const assigned = 'x="`echo "it\'s"`"';
  assert.match((await run(`${assigned}\necho "got $x"`)).said, /\(1\) x=.*\n\(2\) echo "got \$x"/);
  assert.equal((await run(`${assigned}; echo "got $x"`)).said, "got it's");
});

test('backslashes reach the command unchanged', async (t) => {
  const { folder, run } = await tryTerminal(t);
  writeFileSync(join(folder, 'f'), 'x');
  assert.match((await run(`find ${folder} -type f -exec grep -l "x" {} \\;`)).said, /\/f$/);
  assert.equal((await run(`printf '%s.' \\;\\|\\& "\\;" '\\\\' \\< "\\""`)).said, ';|&.\\;.\\\\.<.".');
});

test('text is delivered unchanged: tabs, control characters, a line of 200 KB, 2000 lines', async (t) => {
  const { folder, run } = await tryTerminal(t);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  await run("cat > tabs <<'EOF'\n\ta\tb\nEOF");
  assert.equal(read('tabs'), '\ta\tb\n');
  await run("printf %s 'a\x01\x03\x04\x15\x16\x1b\x7f\r漢\u0085' > controls");
  assert.equal(read('controls'), 'a\x01\x03\x04\x15\x16\x1b\x7f\r漢\u0085');
  const long = 'x'.repeat(200_000);
  assert.equal((await run(`printf %s ${long} | wc -c`)).said, '200000');
  const lines = Array.from({ length: 2_000 }, (_, i) => `line\t${i}`).join('\n');
  await run(`cat > lines <<'EOF'\n${lines}\nEOF`);
  assert.equal(read('lines'), `${lines}\n`);
  assert.equal((await run('echo a\0b')).said, 'ab');
});

test('exit codes of consecutive commands; CRLF in blocks and pipelines', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run('cd /nowhere')).exit, 1);
  assert.equal((await run('sh -c "exit 7"')).exit, 7);
  assert.equal((await run('true')).exit, 0);
  assert.equal((await run('echo a\r\necho b')).exit, -1);
  for (const [command, said] of [
    ['echo "a\r\nb"', 'a\nb'],
    ['{\r\n  echo a\r\n}', 'a'],
    ['echo \\\r\n  a', 'a'],
    ['echo a |\r\n  cat', 'a'],
  ] as const) {
    const told = await run(command);
    assert.deepEqual([told.said, told.exit], [said, 0]);
  }
});

test('a carriage return before a line end is dropped', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run('if true; then\r\n  echo yes\r\nfi\r\n')).said, 'yes');
});

test('an incomplete text that is too long to be typed is refused', async (t) => {
  const { folder, run } = await tryTerminal(t);
  mkdirSync(join(folder, 'd'));
  const refused = await run(`cat > d/f <<'EOF'\n${'line\n'.repeat(1_000)}`);
  assert.match(refused.said, /is not closed/);
  assert.deepEqual([refused.isError, readdirSync(join(folder, 'd'))], [true, []]);
  assert.equal((await run('echo on')).said, 'on');
});
