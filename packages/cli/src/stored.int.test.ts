/** Finding, showing and removing stored conversations: `--resume`, `ls`, `show` and `rm`. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Conversation, openLocalWorkspace } from '@longhand/sdk';
import {
  contentText,
  type ModelServer,
  type Reply,
  scriptedLlm,
  startModelServer,
} from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

const call = (name: string, args: object): Reply => ({ toolCalls: [{ name, arguments: args }] });
const FINISH = call('finish', { message: 'done' });

/** A place with the folders `one` and `two`, and a model that finishes at once. */
async function scene(t: TestContext, ...replies: readonly Reply[]) {
  const place = makePlace(t);
  const [one, two] = ['one', 'two'].map((name) => join(place.work, name)) as [string, string];
  for (const folder of [one, two]) mkdirSync(folder);
  const server = await startModelServer((_, index) => replies[index] ?? FINISH);
  t.after(() => server.close());
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  const run = (...words: string[]) => place.longhand(['--quiet', ...words, ...model]);
  return { place, server, one, two, run, model };
}

const said = ({ requests }: ModelServer) =>
  (requests.at(-1)!.body['messages'] as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => contentText(content));

const stored = ({ home }: Place) => readdirSync(join(home, '.longhand', 'conversations'));

test('--resume takes the latest conversation of this folder, --resume latest that of any folder', async (t) => {
  const { place, server, one, two, run } = await scene(t);
  await run('-d', one, '-t', 'in one');
  await run('-d', two, '-t', 'in two');
  symlinkSync(one, join(place.work, 'link'));
  assert.equal((await run('--resume', '-d', join(place.work, 'link'), '-t', 'again')).code, 0);
  assert.deepEqual(said(server), ['in one', 'again']);
  await run('-d', two, '--resume', '-t', 'more');
  assert.deepEqual(said(server), ['in two', 'more']);
  await run('--resume', 'latest', '-t', 'and more');
  assert.deepEqual(said(server), ['in two', 'more', 'and more']);

  const { code, stderr } = await run('--resume', '-t', 'x');
  assert.equal(code, 2);
  assert.equal(
    stderr,
    `longhand: no conversation worked in ${place.work}\n  --resume latest resumes the latest one of any folder; longhand ls lists them all\n`,
  );
  assert.equal(stored(place).length, 2);
});

test('ls shows the folder of each conversation, and filters by folder and by status', async (t) => {
  const { place, one, two, run } = await scene(t, call('terminal', { command: 'true' }), FINISH);
  await run('-d', one, '-i', '1', '-t', 'limited');
  await run('-d', two, '-t', 'whole');
  const titles = async (...words: string[]) =>
    (await place.longhand(['ls', ...words, '--json'])).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { title: string }).title);
  assert.deepEqual(await titles(), ['whole', 'limited']);
  assert.deepEqual(await titles('-d', one), ['limited']);
  assert.deepEqual(await titles('--status', 'finished'), ['whole']);
  assert.deepEqual(await titles('--status', 'finished', '--status', 'error'), ['whole', 'limited']);
  assert.deepEqual(await titles('-d', one, '--status', 'finished'), []);
  const { stdout } = await place.longhand(['ls'], { env: { HOME: place.home } });
  assert.match(stdout, / FOLDER +TASK\n.*\/two +whole\n.*\/one +limited\n$/s);
  const none = await place.longhand(['ls', '-d', '.']);
  assert.match(none.stdout, /^no such conversations in .*; 2 others are not listed\n$/);
});

test('show marks the events of a branch that HEAD has left', async (t) => {
  const { place, run } = await scene(t, call('terminal', { command: 'echo abandoned' }), FINISH);
  await run('-t', 'the task');
  const [id = ''] = stored(place);
  const conversation = await Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [] },
    tools: [],
    model: { llm: scriptedLlm({ turns: [] }) },
    workspace: openLocalWorkspace(place.work),
    place: { conversationsDir: join(place.home, '.longhand', 'conversations'), id },
  });
  const task = conversation.view.events.find(({ kind }) => kind === 'MessageEvent');
  await conversation.navigate(task?.id ?? null);
  await conversation.close();
  const lines = (await place.longhand(['show', id])).stdout.split('\n');
  const line = (words: string) => lines.find((each) => each.includes(words)) ?? '';
  assert.match(line('echo abandoned'), / \(another branch\)$/);
  assert.doesNotMatch(line('the task'), /another branch/);
});

test('rm removes conversations by id and by name, and nothing if one of the words names none', async (t) => {
  const { place, one, run } = await scene(t);
  for (const name of ['alpha', 'beta', 'gamma']) await run('-d', one, '-n', name, '-t', name);
  assert.equal((await place.longhand(['rm', 'alpha', 'no-such'])).code, 2);
  assert.equal((await place.longhand(['rm'])).code, 2);
  assert.equal(stored(place).length, 3);
  const [first = ''] = stored(place);
  const listed = (await place.longhand(['ls', '--json'])).stdout.trim().split('\n');
  const { name } = listed.map((line) => JSON.parse(line)).find(({ id }) => id.replaceAll('-', '') === first);
  const other = ['alpha', 'beta', 'gamma'].find((each) => each !== name) ?? '';
  const { code, stdout } = await place.longhand(['rm', first.slice(0, 8), other]);
  assert.deepEqual([code, stdout.match(/^removed [0-9a-f]{32}$/gm)?.length], [0, 2]);
  const left = readdirSync(join(place.home, '.longhand', 'conversations'));
  assert.equal(left.length, 1);
  assert.ok(existsSync(one));
});

test('rm refuses a conversation that is running', async (t) => {
  const { place, one, model } = await scene(t, call('terminal', { command: 'touch here; sleep 60' }));
  const running = place.start(['--json', '-d', one, '-n', 'busy', '-t', 'x', ...model]);
  await running.shows('"kind":"ActionEvent"');
  const { code, stderr } = await place.longhand(['rm', 'busy']);
  assert.equal(code, 1);
  assert.match(stderr, /is being written by process \d+/);
  running.child.kill('SIGTERM');
  await running.result;
  assert.equal((await place.longhand(['show', 'busy'])).code, 0);
  assert.equal((await place.longhand(['rm', 'busy'])).code, 0);
  assert.deepEqual(stored(place), []);
});

test('a conversation whose process ended before its first message says so, and takes the task when it is resumed', async (t) => {
  const { place, run, server } = await scene(t);
  await run('-t', 'first');
  const conversations = join(place.home, '.longhand', 'conversations');
  const [id = ''] = stored(place);
  const folder = join(conversations, id);
  const whole = join(place.home, 'whole');
  renameSync(folder, whole);
  const firstEvent = readdirSync(join(whole, 'events')).sort()[0] ?? '';
  // In the order in which they are made.
  const parts = ['', 'events', '.writer.lock', 'base_state.json', join('events', firstEvent)];
  for (const [i, last] of parts.entries()) {
    for (const task of [[], ['-t', 'again']]) {
      rmSync(folder, { recursive: true, force: true });
      for (const part of parts.slice(0, i + 1)) {
        if (part === '' || part === 'events') mkdirSync(join(folder, part));
        else cpSync(join(whole, part), join(folder, part));
      }
      const { code, stderr } = await run('--resume', id, ...task);
      const told =
        'longhand: the conversation has no task: it ended before one was stored; give one with -t\n';
      assert.deepEqual([code, stderr], task.length > 0 ? [0, ''] : [2, told], last);
      if (task.length > 0) assert.deepEqual(said(server), ['again'], last);
    }
  }
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  const { code, stderr } = await place.longhand(['show', id]);
  assert.deepEqual([code, stderr.startsWith(`longhand: ${folder} has no events: `)], [1, true], stderr);
});
