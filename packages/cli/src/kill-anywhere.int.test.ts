import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentText, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

const WORDS = ['one', 'two', 'three'];

/** Writes the words down one after another. Told that a call was cut, it looks at the file before it goes on. */
function writer(ledger: string) {
  return ({ body }: { readonly body: { readonly [key: string]: unknown } }): Reply => {
    const messages = body['messages'] as { role: string; content: unknown }[];
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => contentText(content));
    if (results.at(-1)?.includes('cut before the result')) return shell(`touch ${ledger}; cat ${ledger}`);
    const written = results.findLast((result) => !result.includes('cut before the result')) ?? '';
    const next = WORDS.find((word) => !written.includes(word));
    return next === undefined ? finish : shell(`echo ${next} >> ${ledger}; cat ${ledger}`);
  };
}

const shell = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const finish: Reply = { toolCalls: [{ name: 'finish', arguments: { message: 'all written' } }] };

test('killed behind any event, and resumed, it comes to the same end, and nothing is done twice', async (t) => {
  let wasKilled = true;
  // The first line says which conversation it is; events follow.
  for (let lines = 1; wasKilled; lines += 1) {
    const place = makePlace(t);
    const ledger = join(place.home, 'ledger');
    const server = await startModelServer(writer(ledger));
    t.after(() => server.close());
    const run = place.start(['--json', '-t', 'write', '--model', 'x', '--base-url', `${server.url}/v1`]);
    let seen = '';
    run.child.stdout?.on('data', (text: string) => {
      seen += text;
      if (seen.split('\n').length > lines + 1) run.child.kill('SIGKILL');
    });
    wasKilled = (await run.result).code === null;
    const { code, stdout, stderr } = await place.longhand(['--quiet', '--resume']);
    assert.deepEqual([code, stdout, stderr], [0, 'all written\n', ''], `killed behind event ${lines}`);
    assert.deepEqual(readFileSync(ledger, 'utf8').trim().split('\n'), WORDS, `killed behind event ${lines}`);
  }
});
