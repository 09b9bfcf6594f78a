import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openLocalWorkspace, type Workspace } from '@longhand/sdk';
import { findPython, type PythonSettings } from './find-python.ts';

let folder: string;
let workspace: Workspace;
const outerPath = process.env['PATH'];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-find-')));
  process.env['PATH'] = `${join(folder, 'bin')}:/bin`;
  const local = openLocalWorkspace(folder);
  // What this machine has in the usual places is no part of the test.
  workspace = {
    ...local,
    spawn: (argv, options) =>
      local.spawn(/^\/usr\//.test(argv[0]!) ? [join(folder, argv[0]!), ...argv.slice(1)] : argv, options),
  };
});
afterEach(async () => {
  process.env['PATH'] = outerPath;
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

const find = (settings: Partial<PythonSettings> = {}, signal = new AbortController().signal) =>
  findPython(workspace, { wantsKernel: true, ...settings }, signal);

/** A program that answers as a Python would, and writes down that it was asked. */
function place(path: string, hasKernel: boolean, executable = join(folder, path)): string {
  return program(path, `echo '${JSON.stringify({ executable, hasKernel })}'`);
}

function program(path: string, script: string): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, `#!/bin/sh\necho ${path} >> ${folder}/asked\n${script}\n`);
  chmodSync(whole, 0o755);
  return whole;
}

const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');

test('the first interpreter with ipykernel is used, and none is probed after it', async () => {
  const set = place('set/python', true);
  place('bin/python3', true);
  assert.deepEqual(await find({ python: set }), { executable: set, hasKernel: true });
  assert.deepEqual(asked(), ['set/python']);
});

test('interpreters are probed nearest first, and the result names the one that was passed over', async () => {
  const set = place('set/python', false);
  place('active/bin/python', false);
  place('.venv/bin/python', false);
  place('venv/bin/python', false);
  place('bin/python3', false);
  place('bin/python', false);
  const last = place('usr/bin/python3', true);
  const found = await find({ python: set, virtualEnv: join(folder, 'active') });
  assert.deepEqual(found, { executable: last, hasKernel: true, passedOver: set });
  const before = ['set/python', 'active/bin/python', '.venv/bin/python', 'venv/bin/python'];
  assert.deepEqual(asked(), [...before, 'bin/python3', 'bin/python', 'usr/bin/python3']);
});

test('an interpreter that is merely installed is passed over silently', async () => {
  place('bin/python3', false);
  const last = place('usr/bin/python3', true);
  assert.deepEqual(await find(), { executable: last, hasKernel: true });
});

test('the first interpreter is used if none has ipykernel, or if it is not wanted', async () => {
  const own = place('.venv/bin/python', false);
  place('bin/python3', false);
  assert.deepEqual(await find(), { executable: own, hasKernel: false });
  assert.deepEqual(await find({ wantsKernel: false }), { executable: own, hasKernel: false });
});

test('an interpreter with two names is probed once', async () => {
  place('bin/python3', false, '/usr/bin/python3');
  place('usr/bin/python3', false);
  await find();
  assert.deepEqual(asked(), ['bin/python3']);
});

test('a program that fails or answers something else is not an interpreter', async () => {
  program('.venv/bin/python', 'exit 1');
  program('bin/python3', 'echo Python 2.7');
  program('bin/python', 'kill -9 $$');
  assert.equal(await find(), null);
});

test('a project file with the name of a library does not hide the interpreter', async (t) => {
  process.env['PATH'] = outerPath;
  for (const name of ['json.py', 'ipykernel.py', 'importlib.py']) writeFileSync(join(folder, name), '1/0');
  const { signal } = new AbortController();
  const real = await findPython(openLocalWorkspace(tmpdir()), { wantsKernel: false }, signal);
  if (real === null) return t.skip('needs python3');
  assert.deepEqual(await find({ python: real.executable, wantsKernel: false }), real);
});

test('an interrupt ends a probe that does not answer, and no other follows', async () => {
  program('bin/python3', 'sleep 60');
  place('bin/python', true);
  const interrupt = new AbortController();
  const finding = find({}, interrupt.signal);
  // The shell creates the file before it writes to it.
  const isAsked = () => existsSync(join(folder, 'asked')) && asked().join('') !== '';
  while (!isAsked()) await new Promise((resolve) => setTimeout(resolve, 10));
  interrupt.abort(new Error('enough'));
  await assert.rejects(finding, /enough/);
  assert.deepEqual(asked(), ['bin/python3']);
});
