import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contentText, type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

/** A place whose model gives these replies one after another, then the last again. */
async function scene(
  t: TestContext,
  ...replies: readonly Reply[]
): Promise<{ place: Place; server: ModelServer; model: string[] }> {
  const place = makePlace(t);
  const server = await startModelServer((_, index) => replies[Math.min(index, replies.length - 1)] ?? {});
  t.after(() => server.close());
  return { place, server, model: ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`] };
}

const call = (name: string, args: object): Reply => ({ toolCalls: [{ name, arguments: args }] });
const finish = (message: string): Reply => call('finish', { message });
const sh = (command: string): Reply => call('terminal', { command });

const eventsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const conversations = ({ home }: Place) => readdirSync(join(home, '.longhand', 'conversations'));

test('a task of several steps ends with exit code 0, the work done and every event on disk', async (t) => {
  const { place, model } = await scene(
    t,
    { text: 'I write it.', ...sh('echo hello > greeting.txt') },
    sh('cat greeting.txt; exit_code_of_nothing'),
    finish('The greeting is written.'),
  );
  const { code, stdout, stderr } = await place.longhand(['-t', 'write a greeting', ...model]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(readFileSync(join(place.work, 'greeting.txt'), 'utf8'), 'hello\n');
  const [id = ''] = conversations(place);
  assert.deepEqual(
    stdout
      .replace(/after .*/, 'after ...')
      .replace(/bash: .*command not found/, '...')
      .split('\n'),
    [
      `openai/test-model in ${place.work}`,
      '> write a greeting',
      '',
      'I write it.',
      '',
      '$ echo hello > greeting.txt',
      '',
      '$ cat greeting.txt; exit_code_of_nothing',
      '  hello',
      '  ...',
      '  exit code 127',
      '',
      'The greeting is written.',
      '',
      'finished after ...',
      `resume:  longhand --resume ${id.slice(0, 8)} -t "..."`,
      `show:    longhand show ${id.slice(0, 8)}`,
      '',
    ],
  );
});

test('--json prints the events of the log, one a line, between what the conversation is and how it ended', async (t) => {
  const { place, model } = await scene(t, sh('true'), finish('done'));
  const { code, stdout, stderr } = await place.longhand(['run', '--json', '-t', 'x', ...model]);
  const [id = ''] = conversations(place);
  const folder = join(place.home, '.longhand', 'conversations', id, 'events');
  const stored = readdirSync(folder)
    .filter((name) => name.startsWith('event-'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  assert.deepEqual([code, stderr], [0, '']);
  const [first, ...events] = eventsOf(stdout);
  const last = events.pop();
  assert.deepEqual(events, stored);
  const { type, schema_version, conversation_id, model: name, working_dir, resumed } = first;
  assert.deepEqual(
    [type, schema_version, conversation_id.replaceAll('-', ''), name, working_dir, resumed],
    ['conversation', 1, id, 'openai/test-model', place.work, false],
  );
  const { duration_ms, tokens, ...end } = last;
  assert.deepEqual(end, {
    schema_version: 1,
    type: 'outcome',
    conversation_id,
    status: 'finished',
    exit_code: 0,
    message: 'done',
    cost_usd: 0,
    unpriced_calls: 2,
  });
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(Object.keys(tokens), ['prompt', 'completion', 'cache_read', 'cache_write', 'reasoning']);
});

test('--quiet prints the final message only', async (t) => {
  const { place, model } = await scene(t, sh('true'), finish('All is well.'));
  assert.deepEqual(await place.longhand(['--quiet', '-t', 'x', ...model]), {
    code: 0,
    stdout: 'All is well.\n',
    stderr: '',
  });
});

test('a task may come from a file or, all of it, from standard input', async (t) => {
  const { place, server, model } = await scene(t, finish('done'));
  writeFileSync(join(place.work, 'task.md'), 'from\na file\n');
  await place.longhand(['--quiet', '-f', 'task.md', ...model]);
  await place.longhand(['--quiet', '-', ...model], { input: 'from\n\nstandard input\n' });
  const tasks = server.requests.map(({ body }) =>
    contentText((body['messages'] as { content: unknown }[])[1]?.content),
  );
  assert.deepEqual(tasks, ['from\na file', 'from\n\nstandard input']);
});

const lastTask = (server: ModelServer) =>
  (server.requests.at(-1)!.body['messages'] as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => contentText(content))
    .at(-1);

test('what is piped in follows the task of -t or -f, and is the next message of a resumed conversation', async (t) => {
  const { place, server, model } = await scene(t, finish('done'));
  writeFileSync(join(place.work, 'task.md'), 'review this\n');
  const input = ' context\n-old\n+new\n\n';
  const whole = 'review this\n\n<standard_input>\n context\n-old\n+new\n</standard_input>';
  for (const words of [
    ['-t', 'review this'],
    ['-f', 'task.md'],
    ['-t', 'review this', '-'],
  ]) {
    assert.equal((await place.longhand(['--quiet', ...words, ...model], { input })).code, 0);
    assert.equal(lastTask(server), whole, words.join(' '));
  }
  await place.longhand(['--quiet', '--resume', '-t', 'and this'], { input: 'more' });
  assert.equal(lastTask(server), 'and this\n\n<standard_input>\nmore\n</standard_input>');
  await place.longhand(['--quiet', '--resume'], { input: 'the next message\n' });
  assert.equal(lastTask(server), 'the next message');
});

test('a pipe that is open but silent does not hold the task up, and a warning says so', async (t) => {
  const { place, server, model } = await scene(t, finish('done'));
  const { code, stderr } = await place.longhand(['--quiet', '-t', 'go', ...model], { input: null });
  assert.deepEqual([code, lastTask(server)], [0, 'go']);
  assert.match(stderr, /standard input is open, but nothing came in 3 seconds.*\n.*add -; .*\/dev\/null/);
});

test('--resume resumes the latest conversation, in its folder and with its model', async (t) => {
  const { place, server, model } = await scene(
    t,
    sh('mkdir -p sub && cd sub'),
    finish('first'),
    sh('pwd'),
    finish('second'),
  );
  await place.longhand(['--quiet', '-t', 'one', ...model]);
  const resumed = await place.longhand(['--quiet', '--resume', '-t', 'two', '-b', '5', '--allow-unpriced'], {
    env: { LLM_API_KEY: 'sk-test' },
  });
  assert.deepEqual(resumed, { code: 0, stdout: 'second\n', stderr: '' });
  assert.equal(conversations(place).length, 1);
  const last = server.requests.at(-1);
  assert.equal(last?.headers.authorization, 'Bearer sk-test');
  const roles = (last!.body['messages'] as { role: string }[]).map(({ role }) => role).join(' ');
  assert.equal(roles, 'system user assistant tool assistant tool user assistant tool');
});

test('a resumed conversation that is finished says so and runs nothing', async (t) => {
  const { place, server, model } = await scene(t, finish('first'));
  await place.longhand(['--quiet', '-t', 'one', ...model]);
  const { code, stdout } = await place.longhand(['--resume']);
  assert.deepEqual([code, server.requests.length], [0, 1]);
  assert.match(stdout, /It is finished already/);
});

test('ls, show and fork work on stored conversations, and show rebuilds the prompt as it was sent', async (t) => {
  const { place, server, model } = await scene(
    t,
    { text: 'look', ...sh('echo \x1b[31mred') },
    finish('done'),
  );
  await place.longhand(['--quiet', '-t', 'a \x1b]0;title\x07task', ...model]);
  const [id = ''] = conversations(place);

  const listed = await place.longhand(['ls', '--json']);
  const { status, title, workingDir } = JSON.parse(listed.stdout);
  assert.deepEqual([status, title, workingDir], ['finished', 'a \x1b]0;title\x07task', place.work]);
  const table = await place.longhand(['ls']);
  assert.match(table.stdout, new RegExp(`^${id.slice(0, 8)}  finished  now  .* a task$`, 'm'));

  const shown = await place.longhand(['show', id.slice(0, 6)]);
  assert.match(shown.stdout, /\d {2}\d\d:\d\d:\d\d {2}look\n +\$ echo red\n/);
  assert.doesNotMatch(shown.stdout, /\x1b/);

  const timeline = eventsOf((await place.longhand(['show', id, '--json'])).stdout);
  const before = timeline.findIndex((event) => event.kind === 'ObservationEvent');
  const messages = eventsOf(
    (await place.longhand(['show', id, '--at', String(before), '--messages', '--json'])).stdout,
  );
  const sent = server.requests[1]?.body['messages'] as { role: string; content: unknown }[];
  const text = (content: { text: string }[]) => content.map((block) => block.text).join('\n');
  assert.deepEqual(
    messages.map((message) => [message.role, text(message.content)]),
    sent.map((message) => [message.role, contentText(message.content)]),
  );
  const at = JSON.parse((await place.longhand(['show', id, '--at', '1', '--json'])).stdout);
  assert.deepEqual([at.index, at.event, at.state.status], [1, timeline[1], 'idle']);

  const forked = await place.longhand(['fork', id, '--at', '1']);
  assert.match(forked.stdout, /^[0-9a-f]{32}\n$/);
  const forkId = forked.stdout.trim();
  assert.deepEqual(
    eventsOf((await place.longhand(['show', forkId, '--json'])).stdout).map((event) => event.kind),
    ['SystemPromptEvent', 'MessageEvent'],
  );
  assert.deepEqual(await place.longhand(['--quiet', '--resume', forkId]), {
    code: 0,
    stdout: 'done\n',
    stderr: '',
  });
});

test('a conversation can be inspected after the folder that it worked in was deleted', async (t) => {
  const { place, model } = await scene(t, sh('echo here'), finish('done'));
  const work = join(place.home, 'for-a-while');
  mkdirSync(work);
  await place.longhand(['--quiet', '-d', work, '-t', 'look', ...model]);
  const [id = ''] = conversations(place);
  const looks = [['show'], ['show', '--messages'], ['stats'], ['export', '-o', '-'], ['replay', '--strict']];
  const all = async () =>
    await Promise.all(looks.map(([command = '', ...more]) => place.longhand([command, id, ...more])));
  const before = await all();
  assert.deepEqual(
    before.map(({ code }) => code),
    looks.map(() => 0),
    JSON.stringify(before),
  );
  rmSync(work, { recursive: true });
  assert.deepEqual(await all(), before);
});

test('the iteration limit ends with exit code 4, and the conversation can go on', async (t) => {
  const { place, model } = await scene(t, sh('echo 1'), sh('echo 2'), finish('done'));
  const limited = await place.longhand(['--quiet', '-t', 'x', '-i', '2', ...model]);
  assert.deepEqual([limited.code, limited.stdout], [4, '']);
  assert.match(limited.stderr, /^longhand: .*limit.*\n {2}Resume it to continue; --max-iterations/);
  assert.deepEqual(await place.longhand(['--quiet', '--resume']), { code: 0, stdout: 'done\n', stderr: '' });
});

test('the budget ends with exit code 4', async (t) => {
  const { place, model } = await scene(t, { ...sh('true'), usage: { input: 1000, output: 1000 } });
  const env = { LLM_INPUT_COST_PER_TOKEN: '0.001', LLM_OUTPUT_COST_PER_TOKEN: '0.001' };
  const { code, stderr } = await place.longhand(['--quiet', '-t', 'x', '-b', '3', ...model], { env });
  assert.equal(code, 4);
  assert.match(stderr, /4\.0000 of 3 USD/);
});

test('an agent that repeats itself ends with exit code 3', async (t) => {
  const { place, model } = await scene(t, sh('echo again'));
  const { code, stderr } = await place.longhand(['--quiet', '-t', 'x', ...model]);
  assert.equal(code, 3);
  assert.match(stderr, /^longhand: the agent is stuck: /);
});
