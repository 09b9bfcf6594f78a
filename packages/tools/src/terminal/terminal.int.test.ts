import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Content, type Observation, type Tool, textOf } from '@longhand/sdk';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { terminalTool } from './tool.ts';

let home: string;
let folder: string;
let tried: TriedTools;
let terminal: Tool;
let signal = new AbortController().signal;
const outerHome = process.env['HOME'];

before(() => {
  home = mkdtempSync(join(tmpdir(), 'longhand-home-'));
  process.env['HOME'] = home; // the start-up files of whoever runs the tests are not part of them
});
after(() => {
  process.env['HOME'] = outerHome;
  rmSync(home, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-terminal-')));
  signal = new AbortController().signal;
  await make(1);
});
afterEach(async () => {
  await tried.close();
  rmSync(folder, { recursive: true, force: true });
});

async function make(quietSeconds: number, directory?: string): Promise<void> {
  await tried?.close();
  const params = { no_change_timeout_seconds: quietSeconds };
  tried = await tryTools(terminalTool, { folder, params, ...(directory === undefined ? {} : { directory }) });
  terminal = tried.tools[0]!;
}

interface Told {
  readonly said: string;
  readonly exit: unknown;
  readonly prefix: string;
  readonly suffix: string;
  readonly isError: boolean;
  readonly metadata: { readonly pid: number; readonly working_dir?: string };
  readonly whole: { readonly [key: string]: unknown };
}

async function run(
  command: string,
  more: { is_input?: boolean; timeout?: number; reset?: boolean } = {},
): Promise<Told> {
  const { observation, said: error } = await tried.call({ command, ...more }, { signal });
  assert.ok(observation !== undefined, error);
  const output = observation as Observation & {
    readonly content: readonly Content[];
    readonly is_error: boolean;
  };
  const metadata = output['metadata'] as {
    pid: number;
    working_dir?: string;
    prefix: string;
    suffix: string;
  };
  const { prefix, suffix } = metadata;
  return {
    said: textOf(output.content),
    exit: output['exit_code'],
    prefix,
    suffix,
    isError: output.is_error,
    metadata,
    whole: output,
  };
}

const input = (command: string, more = {}) => run(command, { is_input: true, ...more });
const isStillRunning = ({ exit, suffix }: Told) => {
  assert.equal(exit, -1);
  assert.match(suffix, /still running/);
};

test('1.12 cases 1, 4, 5, 6: folder, words, an unknown command, a list of commands', async () => {
  assert.equal((await run('pwd')).said, folder);
  const words = await run("echo 'plain words'");
  assert.deepEqual([words.said, words.exit, words.prefix], ['plain words', 0, '']);
  assert.match(words.suffix, /exit code 0/);
  const unknown = await run('nonexistent_command');
  assert.match(unknown.said, /nonexistent_command/);
  assert.equal(unknown.exit, 127);
  assert.equal((await run('echo one && echo two && echo three')).said, 'one\ntwo\nthree');
});

test('1.12 cases 3, 7, 13, 14: folder and variables are kept from call to call', async () => {
  await run('mkdir -p test && cd test');
  const where = await run('pwd && ls -l');
  assert.equal(where.said, `${folder}/test\ntotal 0`);
  assert.equal(where.metadata.working_dir, `${folder}/test`);
  await run("export LH_A='two words'");
  assert.equal((await run('echo $LH_A')).said, 'two words');
  assert.equal((await run('cd ~ && pwd')).said, home);
});

test('1.7: the exit code of the command before is there for $?', async () => {
  assert.equal((await run('false')).exit, 1);
  assert.equal((await run('echo $?')).said, '1');
});

test('1.12 case 16: an exclamation mark is only that', async () => {
  assert.equal((await run('echo A!B')).said, 'A!B');
});

test('1.12 cases 19, 20, 23: long outputs are clipped in the middle, and kept whole in a file that is named', async () => {
  await make(1, folder);
  const { said, whole } = await run('for i in $(seq 50000); do echo "Line $i"; done');
  assert.ok(said.length <= 30_000 && said.startsWith('Line 1\n') && said.endsWith('Line 50000'));
  assert.match(said, /<response clipped>/);
  const [file] = readdirSync(join(folder, 'observations'));
  assert.match(file!, /^terminal_output_[0-9a-f]{8}\.txt$/);
  assert.equal(readFileSync(join(folder, 'observations', file!), 'utf8').split('\n').length, 50_000);
  const shown = textOf(terminal.render!({ ...whole, kind: 'TerminalObservation' } as unknown as Observation));
  assert.ok(shown.length <= 30_000);
  assert.match(shown, /\[Working folder: .*\]/);
});

test('1.12 case 24: what the model sees ends with where the shell stands', () => {
  const metadata = { exit_code: 0, working_dir: '/w', py_interpreter_path: '/p', prefix: '', suffix: '' };
  const observation = {
    content: [{ type: 'text', text: 'Short output' }],
    is_error: false,
    metadata,
    kind: 'TerminalObservation',
  };
  const shown = textOf(terminal.render!(observation as unknown as Observation));
  assert.equal(shown, 'Short output\n[Working folder: /w]\n[Python: /p]\n[Exit code: 0]');
});

test('1.12 cases 28, 29, 31, 32, 38: no line end, blank lines, colours, queries, other scripts', async () => {
  assert.deepEqual((await run('printf "no newline"')).said, 'no newline');
  assert.equal((await run("echo -e 'a\\n\\n\\nz'")).said, 'a\n\n\nz');
  assert.equal((await run("printf '\\x1b[32mgreen\\x1b[0m\\n'")).said, '\x1b[32mgreen\x1b[0m');
  assert.equal((await run("printf 'a\\x1b[6nb\\x1b]11;?\\x07c\\n'")).said, 'abc');
  assert.equal((await run('echo 漢字 👋 é')).said, '漢字 👋 é');
});

test('1.12 case 39: a folder with blanks, quotes and other scripts in its name', async () => {
  const name = 'a "b" 漢字; c';
  mkdirSync(join(folder, name));
  assert.equal((await run(`cd '${name}'`)).metadata.working_dir, join(folder, name));
});

test('1.12 cases 40, 41, 42: commands of several lines', async () => {
  assert.equal((await run('if true; then\n  echo branch\nfi')).said, 'branch');
  assert.equal((await run('echo \\\n-e "foo"')).said, 'foo');
  assert.equal((await run('echo -e "hello\nworld"')).said, 'hello\nworld');
  const loops = 'for i in 1 2; do\n for j in a b; do\n  echo $i$j\n done\ndone && echo all-made';
  assert.equal((await run(loops)).said, '1a\n1b\n2a\n2b\nall-made');
});

test('text is delivered as it is: tabs, 200 KB in a line, 2000 lines', async () => {
  await run("cat > tabs <<'EOF'\n\ta\tb\nEOF");
  assert.equal(readFileSync(join(folder, 'tabs'), 'utf8'), '\ta\tb\n');
  const long = 'x'.repeat(200_000);
  assert.equal((await run(`printf %s ${long} | wc -c`)).said, '200000');
  const lines = Array.from({ length: 2_000 }, (_, i) => `line ${i}`).join('\n');
  await run(`cat > lines <<'EOF'\n${lines}\nEOF`);
  assert.equal(readFileSync(join(folder, 'lines'), 'utf8'), `${lines}\n`);
});

test('1.12 case 43: several statements are refused, and none is carried out', async () => {
  const refused = await run('touch a\ntouch b');
  assert.ok(refused.isError);
  assert.match(refused.said, /\(1\) touch a\n\(2\) touch b/);
  assert.deepEqual(readdirSync(folder), []);
});

test('1.12 case 50: an escaped semicolon reaches find', async () => {
  writeFileSync(join(folder, 'f'), 'x');
  assert.match((await run(`find ${folder} -type f -exec grep -l "x" {} \\;`)).said, /\/f$/);
});

test('1.12 cases 51, 52: a command that goes quiet is left running; each look shows what is new', async () => {
  const first = await run('echo 1; sleep 2; echo 2; sleep 2; echo 3');
  assert.deepEqual([first.said, first.prefix], ['1', '']);
  isStillRunning(first);
  const refused = await run('sleep 15');
  assert.ok(refused.isError);
  assert.match(refused.suffix, /was not started/);
  let seen = refused.said;
  for (let looks = 0; looks < 9 && !seen.includes('3'); looks += 1) seen += `${(await run('')).said}\n`;
  assert.deepEqual(seen.trim().split(/\s+/), ['2', '3']);
});

test('1.12 case 51: what an earlier command printed last comes with the next one', async () => {
  isStillRunning(await run('sleep 1.5; echo late'));
  await sleep(1_000);
  assert.match((await run('echo next')).said, /^late\nnext$/);
});

test('1.12 cases 53, 64: input for a program that asks, hidden input is not shown', async () => {
  const asked = await run('read -p \'City? \' c && echo "To $c"');
  assert.equal(asked.said, 'City? ');
  isStillRunning(asked);
  assert.deepEqual([(await input('Bern')).said, (await run('true')).exit], ['To Bern', 0]);
  await run('read -s -p "pw: " p && echo "got $p"');
  assert.equal((await input('word')).said.trim(), 'got word');
});

test('1.12 cases 54, 62: a here-document and a quote that are finished by input', async () => {
  isStillRunning(await run('cat << EOF'));
  isStillRunning(await input('line 1'));
  isStillRunning(await input('line 2'));
  assert.equal((await input('EOF')).said, 'line 1\nline 2');
  isStillRunning(await run('echo "abc'));
  assert.equal((await input('"')).said.trim(), 'abc');
});

test('1.12 cases 56, 63: keys end a program', async () => {
  isStillRunning(await run('while true; do echo on; sleep 3; done'));
  const ended = await input('C-c');
  assert.equal(ended.exit, 130);
  assert.match(ended.suffix, /CTRL\+C/);
  isStillRunning(await run('cat'));
  assert.equal((await input('hello')).said, 'hello');
  const closed = await input('C-d');
  assert.deepEqual([closed.exit, /CTRL\+D/.test(closed.suffix)], [0, true]);
});

test('1.12 cases 57, 59: a hard limit leaves the command running', async () => {
  const late = await run('echo 1; sleep 5', { timeout: 0.5 });
  assert.deepEqual([late.said, late.whole['timeout']], ['1', true]);
  isStillRunning(late);
  assert.equal((await input('C-c')).exit, 130);
});

test('1.12 cases 60, 61: nothing to look at, nothing to talk to', async () => {
  for (const told of [await run(''), await input('x')]) {
    assert.deepEqual([told.isError, told.exit, told.prefix, told.suffix], [true, -1, '', '']);
  }
});

test('1.12 case 65: a job in the background returns at once, with its process id', async () => {
  const { exit, said, metadata } = await run('sleep 1 &');
  assert.equal(exit, 0);
  assert.match(said, new RegExp(`\\[1\\] ${metadata.pid}`));
});

test('1.12 cases 68, 69, 70: lists and objects are refused, tests and groups are not, nor is input', async () => {
  for (const literal of ['[[1,2],[3]]', '[{"a":1}]', '  ["x"]', '{"a":1}']) {
    const { isError, said, exit } = await run(literal);
    assert.deepEqual([isError, exit, said.includes(literal.trim().slice(0, 4))], [true, undefined, true]);
  }
  for (const command of ['[ -d / ]', '[[ -z $V ]]', '{ ls; }', "echo '[1, 2]'"])
    assert.equal((await run(command)).exit, 0);
  await run('cat');
  assert.equal((await input('["x"]')).said, '["x"]');
});

test('1.12 cases 72, 73, 74, 76: reset', async () => {
  await run('export A=1; cd /');
  const renewed = await run('', { reset: true });
  assert.deepEqual([renewed.whole['command'], renewed.exit], ['[RESET]', 0]);
  assert.equal((await run('echo "$A $PWD"')).said, ` ${folder}`);
  const both = await run('echo new-shell', { reset: true });
  assert.equal(both.whole['command'], '[RESET] echo new-shell');
  assert.match(both.said, /renewed[\s\S]*new-shell/);
  await assert.rejects(run('x', { reset: true, is_input: true }), /exclude each other/);
});

for (const [command, status] of [
  ['exit 3', '3'],
  ['kill -9 $$', 'SIGKILL'],
  ['exec true', '0'],
] as const) {
  test(`T3: a shell that ends (${command}) says so at once, and the next command runs in the same folder`, async () => {
    mkdirSync(join(folder, 'here'));
    await run('cd here');
    const ended = await run(command);
    assert.ok(ended.isError);
    assert.ok(ended.suffix.includes(`(${status})`), ended.suffix);
    assert.equal((await run('pwd')).said, join(folder, 'here'));
  });
}

test('T3: a command that takes the prompt away is told from one that runs', async () => {
  assert.equal((await run('PROMPT_COMMAND=; PS1="$ "')).exit, 0);
  assert.equal((await run('echo on')).said, 'on');
  assert.equal((await run('set -u')).exit, 0);
  assert.equal((await run('echo still')).said, 'still');
});

test('an interrupt ends the command, and the shell goes on', async () => {
  const abort = new AbortController();
  ({ signal } = abort);
  await run('echo ready');
  setTimeout(() => abort.abort(), 100);
  const ended = await run('sleep 60', { timeout: 30 });
  assert.match(ended.suffix, /interrupted/);
  ({ signal } = new AbortController());
  assert.equal((await run('echo on')).said, 'on');
});

test('T1: nothing is left when the terminal is closed, programs with sessions of their own included', async () => {
  const mark = `31${process.pid}`;
  await run(`(setsid sleep ${mark} &) ; nohup sleep ${mark} > /dev/null & disown`);
  await run(`bash -c 'trap "" TERM HUP; sleep ${mark}' &`);
  await terminal.close?.();
  assert.deepEqual(processesNamed(`sleep\0${mark}`), []);
});

test('T2: a flood stays bounded', async () => {
  const { said, exit } = await run('yes longhand | head -c 100000000 && echo END', { timeout: 60 });
  assert.equal(exit, 0);
  assert.ok(said.length <= 30_000 && said.endsWith('END'));
});

function processesNamed(command: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(command);
    } catch {
      return false;
    }
  });
}
