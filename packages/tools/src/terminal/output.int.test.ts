import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Content, type Observation, textOf } from '@longhand/sdk';
import { tryTerminal } from '../../test-support/try-terminal.ts';
import { render } from './output/observation.ts';

const shownOf = (body: object): readonly Content[] =>
  render({ kind: 'TerminalObservation', ...body } as unknown as Observation);

function observed(said: string, more: object = {}, metadata: object = {}): object {
  return {
    content: [{ type: 'text', text: said }],
    is_error: false,
    ...more,
    metadata: { exit_code: 0, working_dir: '/w', prefix: '', suffix: '', ...metadata },
  };
}
const TRAILER = '\n[Working folder: /w]\n[Exit code: 0]';

test('output is passed on while the command runs, and all of it is in the result', async (t) => {
  const { tried, folder } = await tryTerminal(t);
  let printed = '';
  const onOutput = (text: string) => {
    printed += text;
    if (printed.includes('first')) writeFileSync(join(folder, 'seen'), '');
  };
  const command = 'echo first; until [ -e seen ]; do sleep 0.05; done; echo second';
  const { said } = await tried.call({ command, timeout: 60 }, { onOutput });
  assert.match(said, /^first\nsecond\n/);
  assert.equal(printed, 'first\nsecond\n');
  await tried.call({ command: 'echo third' });
  assert.equal(printed, 'first\nsecond\n');
});

test('five thousand lines are shown whole if they fit', async (t) => {
  const { run } = await tryTerminal(t);
  const { said, prefix } = await run('for i in {1..5000}; do echo $i; done');
  assert.deepEqual([said.split('\n').length, prefix], [5_000, '']);
});

test('clipped output is stored whole in the file that the result names, and no line is lost', async (t) => {
  const { run, kept } = await tryTerminal(t);
  const { said, prefix, exit, observation, shown } = await run(
    'for i in {1..50000}; do echo "Line $i"; done',
  );
  assert.deepEqual([prefix, exit, observation['full_output_save_dir']], ['', 0, kept]);
  assert.ok(said.length <= 30_000 && said.startsWith('Line 1\n') && said.endsWith('Line 50000'));
  const [, path = '', line] = /All of it is in (\S+); the cut starts at line (\d+)\./.exec(shown) ?? [];
  const lines = readFileSync(path, 'utf8').split('\n');
  assert.deepEqual(
    [lines.length, lines[0], lines[39_999], lines[49_999]],
    [50_000, 'Line 1', 'Line 40000', 'Line 50000'],
  );
  assert.equal(
    said.split('\n').findIndex((each) => each.includes('<response clipped>')),
    Number(line),
  );
  assert.match(path, /terminal_output_[0-9a-f]{8}\.txt$/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('one long line and many short ones are clipped in the middle at 30,000 characters', async (t) => {
  const { run } = await tryTerminal(t);
  const long = await run(`printf 'A%.0s' {1..50000}`);
  assert.equal(long.shown.length, 30_000);
  assert.match(long.said, /^A+\n<response clipped>[^\n]*\nA+$/);
  const short = await run(`printf 'A\\n%.0s' {1..50000}`);
  assert.ok(short.said.length <= 30_000 && short.said.startsWith('A\nA\n'));
  assert.ok(short.said.split('\n').length > 10_000);
});

test('what the model sees of a clipped output ends with suffix and trailer', async (t) => {
  const { run, folder } = await tryTerminal(t);
  const { shown, suffix } = await run('seq 1 20000');
  assert.equal(shown.length, 30_000);
  assert.ok(shown.includes(`${suffix}\n[Working folder: ${folder}]`));
});

test('a result is the text and the state of the shell', () => {
  const body = observed('Short output', {}, { py_interpreter_path: '/p' });
  assert.equal(textOf(shownOf(body)), 'Short output\n[Working folder: /w]\n[Python: /p]\n[Exit code: 0]');
});

test('output of exactly the limit is whole, and one more character is clipped', () => {
  const room = 30_000 - TRAILER.length;
  assert.equal(textOf(shownOf(observed('x'.repeat(room)))), `${'x'.repeat(room)}${TRAILER}`);
  const clipped = textOf(shownOf(observed('x'.repeat(room + 1))));
  assert.equal(clipped.length, 30_000);
  assert.ok(clipped.includes('<response clipped>') && clipped.endsWith(TRAILER));
});

test('an error beyond the limit is a header and a clipped text', () => {
  const [header, body, ...more] = shownOf(observed('x'.repeat(40_000), { is_error: true }));
  assert.equal(more.length, 0);
  assert.match(textOf([header!]), /error/);
  assert.equal(textOf([body!]).length, 30_000);
});

test('prefix and suffix survive the clip', () => {
  const body = observed('x'.repeat(40_000), {}, { prefix: '[before]\n', suffix: '\n[after]', exit_code: -1 });
  const shown = textOf(shownOf(body));
  assert.ok(shown.startsWith('[before]\nx') && shown.endsWith('\n[after]\n[Working folder: /w]'));
});

test('output without a line end, and blank lines', async (t) => {
  const { run } = await tryTerminal(t);
  assert.deepEqual([(await run('printf "no newline"')).said, (await run('true')).said], ['no newline', '']);
  assert.equal((await run("echo -e 'a\\n\\n\\nz'")).said, 'a\n\n\nz');
});

test('the command is not part of its output', async (t) => {
  const { run } = await tryTerminal(t);
  await run('git init -q . && git remote add origin https://host.example/repo.git');
  const { said } = await run('git remote -v');
  assert.ok(said.startsWith('origin\thttps://host.example/repo.git (fetch)'));
  assert.doesNotMatch(said, /git remote/);
});

test('colours are kept, queries to the terminal are removed', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run("printf '\\x1b[32mgreen\\x1b[0m\\n'")).said, '\x1b[32mgreen\x1b[0m');
  assert.equal((await run("printf 'before\\x1b]11;?\\x07after\\n'")).said, 'beforeafter');
  assert.equal((await run("printf 'a\\x1b[6nb\\x1b]11;?\\x07c\\n'")).said, 'abc');
});

test('any script is shown; a character may arrive in pieces; a cut splits none; invalid bytes become replacement characters', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run('echo 漢字 👋 é')).said, '漢字 👋 é');
  assert.equal((await run("printf '\\xe6\\xbc'; sleep 0.1; printf '\\xa2\\n'")).said, '漢');
  assert.equal((await run("printf 'a\\xffb\\n'")).said, 'a\ufffdb');
  // Some providers refuse a whole request because of half a surrogate pair.
  for (const begin of ['', 'a']) {
    const cut = await run(`printf '${begin}'; printf '👋%.0s' {1..20000}`);
    assert.ok(cut.said.includes('<response clipped>'));
    assert.doesNotMatch(cut.said + cut.shown, /\ufffd/);
  }
  await run('head -c 200000 /dev/urandom');
  assert.equal((await run('echo on')).said, 'on');
});

for (const name of ['with blanks', 'a "b" 漢字; c', "it's $HOME `x` \\ #"]) {
  test(`a folder called ${name}`, async (t) => {
    const { folder, run } = await tryTerminal(t);
    mkdirSync(join(folder, name));
    const { metadata } = await run(`cd '${name.replaceAll("'", "'\\''")}'`);
    assert.equal(metadata['working_dir'], join(folder, name));
  });
}

test('a working folder with control characters in its name is kept but not reported', async (t) => {
  const { folder, run } = await tryTerminal(t);
  mkdirSync(join(folder, 'a\n\x07b'));
  assert.equal((await run("cd $'a\\n\\x07b'")).metadata['working_dir'], undefined);
  assert.equal((await run('pwd | od -c | head -1 | wc -l')).said.trim(), '1');
});

test('progress bars show their last state', async (t) => {
  const { run } = await tryTerminal(t);
  assert.equal((await run("printf '10%%\\r50%%\\r100%%\\ndone\\r\\n'")).said, '100%\ndone');
  assert.equal((await run("for i in 1 22 3; do printf '\\r\\x1b[K%s of 3' $i; done; echo")).said, '3 of 3');
});

test('a flood is bounded in memory, shows its head and tail, and is stored whole', async (t) => {
  const { run, kept } = await tryTerminal(t);
  const { said, exit } = await run('seq 1 3000000; echo END', { timeout: 120 });
  assert.equal(exit, 0);
  assert.ok(said.length <= 30_000 && said.startsWith('1\n2\n') && said.endsWith('\n3000000\nEND'));
  const [file = ''] = readdirSync(kept);
  const whole = readFileSync(join(kept, file), 'utf8');
  const expected = `${Array.from({ length: 3_000_000 }, (_, i) => i + 1).join('\n')}\nEND\n`;
  assert.ok(whole === expected);
  assert.ok(said.includes(`${expected.length} characters`) && said.includes(join(kept, file)));
});

test('one line of 100 MB, and a hundred thousand escape sequences', async (t) => {
  const { run } = await tryTerminal(t);
  const line = await run('head -c 100000000 /dev/zero | tr "\\0" x', { timeout: 120 });
  assert.ok(line.exit === 0 && line.said.length <= 30_000);
  const colours = await run("yes $'\\x1b[31mr\\x1b[0m\\x1b[6n' | head -n 100000", { timeout: 120 });
  assert.ok(colours.exit === 0 && !colours.said.includes('\x1b[6n'));
});

test('a terminal whose echo was switched on shows no typed line, and is reset', async (t) => {
  const { run } = await tryTerminal(t);
  await run('stty sane');
  assert.deepEqual([(await run('echo one')).said, (await run('echo two')).said], ['one', 'two']);
  assert.match((await run('stty -a')).said, / -echo /);
});

test('output of a job that arrives after its command has ended comes with the next result', async (t) => {
  const { run, folder } = await tryTerminal(t);
  await run(`(sleep 0.2; echo from the job; touch ${folder}/done) &`);
  while (!existsSync(join(folder, 'done'))) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match((await run('echo next')).said, /^from the job\n(.*\n)?next(\n.*Done.*)?$/);
});
