import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Event, Outcome } from '@longhand/sdk';
import { contentText, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';
import { converse } from './run/session.ts';
import { createReporter, type Reporter } from './view/reporter.ts';

const WORDS = ['one', 'two', 'three'];

/** Writes the words down one after another. When it hears that a call was cut, it reads the file before it continues. */
function writer(ledger: string) {
  return ({ body }: { readonly body: { readonly [key: string]: unknown } }): Reply => {
    const messages = body['messages'] as { role: string; content: unknown }[];
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => contentText(content));
    if (results.at(-1)?.includes('ended before the result')) return shell(`touch ${ledger}; cat ${ledger}`);
    const written = results.findLast((result) => !result.includes('ended before the result')) ?? '';
    const next = WORDS.find((word) => !written.includes(word));
    return next === undefined ? finish : shell(`echo ${next} >> ${ledger}; cat ${ledger}`);
  };
}

const shell = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const finish: Reply = { toolCalls: [{ name: 'finish', arguments: { message: 'all written' } }] };

/** What a kill leaves: the conversations and the ledger, as they are on disk when an event has been published. */
interface Remains {
  readonly what: string;
  readonly conversations: string;
  readonly ledger: string;
}

test('cut after any event and resumed, a run ends the same way, and nothing is done twice', async (t) => {
  const { home, work } = makePlace(t);
  const ledger = join(home, 'ledger');
  const server = await startModelServer(writer(ledger));
  t.after(() => server.close());
  const silent = { write: () => true };
  const reporter = createReporter({ quiet: true }, { stdout: silent, stderr: silent }, {});
  const id = crypto.randomUUID();
  const run = (conversationsDir: string, isNew: boolean, told: Reporter): Promise<Outcome> =>
    converse(
      {
        intro: [],
        message: isNew ? 'write' : undefined,
        isNew,
        workingDir: work,
        storeFlag: '',
        agent: { llm: { model: 'x', endpoint: { baseUrl: `${server.url}/v1` } } },
        place: { conversationsDir, id },
      },
      told,
    );
  const whole = join(home, 'whole');
  mkdirSync(whole);
  const remains: Remains[] = [];
  const keep = (event: Event) => {
    const conversations = join(home, `cut-${remains.length}`);
    cpSync(whole, conversations, { recursive: true });
    const written = existsSync(ledger) ? readFileSync(ledger, 'utf8') : '';
    remains.push({ what: `behind event ${remains.length}, ${event.kind}`, conversations, ledger: written });
  };
  const view = {
    onEvent: keep,
    onNotice: () => undefined,
    interrupting: () => undefined,
    close: () => undefined,
  };
  const first = await run(whole, true, { ...reporter, view: () => view });
  assert.deepEqual([first.kind, remains.length > 10], ['finished', true]);
  const actions = remains.filter(({ what }) => what.endsWith('ActionEvent'));
  assert.equal(actions.length, WORDS.length + 1);
  // The same cut, but later: the command has run, and its result was not written down.
  const later = actions.flatMap(({ what, conversations, ledger: written }, index) => {
    const [word] = WORDS.slice(index);
    if (word === undefined) return [];
    cpSync(conversations, `${conversations}-later`, { recursive: true });
    const again = `${conversations}-later`;
    return [{ what: `${what}, executed`, conversations: again, ledger: `${written}${word}\n` }];
  });
  for (const { what, conversations, ledger: written } of [...remains, ...later]) {
    writeFileSync(ledger, written);
    const outcome = await run(conversations, false, reporter);
    assert.deepEqual(outcome.kind === 'finished' && outcome.message, 'all written', what);
    assert.deepEqual(readFileSync(ledger, 'utf8').trim().split('\n'), WORDS, what);
  }
});

for (const kind of ['SystemPromptEvent', 'ActionEvent', 'ObservationEvent'])
  test(`killed with SIGKILL as soon as it prints a ${kind} and resumed, the command ends the same way`, async (t) => {
    const place = makePlace(t);
    const ledger = join(place.home, 'ledger');
    const server = await startModelServer(writer(ledger));
    t.after(() => server.close());
    const run = place.start(['--json', '-t', 'write', '--model', 'x', '--base-url', `${server.url}/v1`]);
    await run.shows(`"kind":"${kind}"`);
    run.child.kill('SIGKILL');
    assert.equal((await run.result).code, null);
    const { code, stdout, stderr } = await place.longhand(['--quiet', '--resume']);
    assert.deepEqual([code, stdout, stderr], [0, 'all written\n', '']);
    assert.deepEqual(readFileSync(ledger, 'utf8').trim().split('\n'), WORDS);
  });
