import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLocalWorkspace } from '@longhand/sdk';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

/** What the command writes to a real (pseudo-)terminal. */
async function onTerminal(t: TestContext, ...settings: readonly string[]): Promise<string> {
  const place = makePlace(t);
  const server = await startModelServer((_, index) =>
    index === 0
      ? {
          text: 'I \x1b]0;owned\x07look.',
          toolCalls: [{ name: 'terminal', arguments: { command: "printf '\\033[2Jwiped\\n'" } }],
          delayMs: 300,
        }
      : { toolCalls: [{ name: 'finish', arguments: { message: '**Done** with `x`.' } }] },
  );
  t.after(() => server.close());
  const workspace = openLocalWorkspace(place.work);
  t.after(() => workspace.close());
  const main = join(import.meta.dirname, 'main.ts');
  // A pseudo-terminal sets TERM by itself.
  const argv = [
    '/usr/bin/env',
    ...settings,
    process.execPath,
    '--conditions=longhand-source',
    main,
    '-t',
    'x',
  ];
  const run = await workspace.spawn([...argv, '--model', 'openai/m', '--base-url', `${server.url}/v1`], {
    env: { ...place.env, NO_COLOR: undefined, NODE_TEST_CONTEXT: undefined },
    pty: { columns: 60, rows: 20 },
  });
  const chunks: Uint8Array[] = [];
  run.onOutput((bytes) => chunks.push(bytes));
  assert.deepEqual(await run.exited, { code: 0, signal: null });
  return Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
}

const colours = /\x1b\[[\d;]*m/;

test('a terminal gets a spinner, streamed text and colours, but no escape sequences of the model or a tool', async (t) => {
  const written = await onTerminal(t);
  assert.match(written, /\r\x1b\[2K⠋ thinking\r/);
  assert.match(written, colours);
  assert.ok(written.includes('\x1b[1mDone\x1b[22m with \x1b[36mx\x1b[39m.'), 'Markdown is painted');
  assert.doesNotMatch(
    written.replaceAll('\r\x1b[2K', '').replace(new RegExp(colours, 'g'), ''),
    /[\x1b\x07]/,
  );
  const left = written
    .replace(/\r\x1b\[2K[^\n\r]*(?=\r\x1b\[2K)/g, '')
    .replace(/\r\x1b\[2K|\x1b\[[\d;]*m/g, '');
  assert.match(
    left,
    /^.* in .*\n> x\n\nI .*look\.\n\n\$ printf .*\n {2}wiped\n\nDone with x\.\n\nfinished after .*\nresume: .*\nshow: .*\n$/s,
  );
});

test('NO_COLOR takes the colours away, a dumb terminal the spinner too', async (t) => {
  assert.doesNotMatch(await onTerminal(t, 'NO_COLOR=1'), colours);
  assert.doesNotMatch(await onTerminal(t, 'TERM=dumb'), /[\x1b\r]/);
});
