import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openLocalWorkspace } from '@longhand/sdk';
import { startModelServer } from '@longhand/sdk/testing';
import { bundle } from './bundle.ts';

test("the bundle's lazy imports work: Node's own modules, and CommonJS packages by name", async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-bundle-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  await bundle(join(root, 'bundle'));
  const place = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  // YAML front matter, and a tool that starts a program on pipes; without Python it reports that there is none.
  place(
    'work/.agents/agents/py.md',
    '---\nname: py\ndescription: x\ntools: [execute_ipython_cell, finish]\n---\nWork.\n',
  );
  const calls = [
    { name: 'execute_ipython_cell', arguments: { code: 'print(6 * 7)' } },
    { name: 'finish', arguments: { message: 'done' } },
  ];
  place('script.json', JSON.stringify({ turns: calls.map((call) => ({ tool_calls: [call] })) }));
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      join(root, 'bundle/longhand.js'),
      '-c',
      'py',
      '-t',
      'x',
      '--model',
      `scripted/${join(root, 'script.json')}`,
    ],
    { cwd: join(root, 'work'), env: { PATH: process.env['PATH'], HOME: root, TMPDIR: root } },
  );
  assert.match(stdout, /^ {2}42$|There is no Python here/m);
  assert.doesNotMatch(stdout + stderr, /is not a function|Cannot find module/);
});

test('the bundle streams replies to a terminal', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-bundle-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  await bundle(join(root, 'bundle'));
  const server = await startModelServer(() => ({ text: 'Streamed.' }));
  t.after(() => server.close());
  const workspace = openLocalWorkspace(root);
  t.after(() => workspace.close());
  const run = await workspace.spawn(
    [
      ...[process.execPath, join(root, 'bundle/longhand.js'), '-t', 'x'],
      ...['--model', 'openai/m', '--base-url', `${server.url}/v1`],
    ],
    { env: { HOME: root, NODE_TEST_CONTEXT: undefined }, pty: { columns: 80, rows: 20 } },
  );
  let shown = '';
  run.onOutput((bytes) => {
    shown += Buffer.from(bytes).toString();
  });
  assert.deepEqual(await run.exited, { code: 0, signal: null }, shown);
  assert.equal(server.requests[0]?.body['stream'], true);
  assert.match(shown, /Streamed\./);
});
