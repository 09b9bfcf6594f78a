/** What a message carries besides its text: `--image`, and files named in it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const IMAGE = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` },
};
const text = (words: string) => ({ type: 'text', text: words });

async function scene(t: TestContext, name = 'gpt-4o') {
  const place = makePlace(t);
  const server = await startModelServer(() => ({
    toolCalls: [{ name: 'finish', arguments: { message: 'done' } }],
  }));
  t.after(() => server.close());
  writeFileSync(join(place.work, 'shot.png'), PNG);
  mkdirSync(join(place.work, 'src'));
  writeFileSync(join(place.work, 'src/a.ts'), 'const a = 1;\n');
  const model = ['--model', `openai/${name}`, '--base-url', `${server.url}/v1`];
  const run = (...words: string[]) => place.longhand(['--quiet', ...words, ...model]);
  /** The blocks of the last message of the user, without marks for the provider's cache. */
  const sent = () => {
    const messages = server.requests.at(-1)!.body['messages'] as { role: string; content: unknown }[];
    const content = messages.findLast(({ role }) => role === 'user')?.content;
    return typeof content === 'string'
      ? [text(content)]
      : (content as { cache_control?: unknown }[]).map(({ cache_control: _, ...block }) => block);
  };
  return { place, server, run, sent };
}

test('--image sends images with the task, and with the next message', async (t) => {
  const { run, sent } = await scene(t);
  assert.equal((await run('--image', 'shot.png', '--image', 'shot.png', '-t', 'what is this?')).code, 0);
  assert.deepEqual(sent(), [text('what is this?'), IMAGE, IMAGE]);
  assert.equal((await run('--resume', '--image', 'shot.png', '-t', 'and this?')).code, 0);
  assert.deepEqual(sent(), [text('and this?'), IMAGE]);
});

test('@FILE in the text of -t attaches a file of the working folder; what names no file stays a word', async (t) => {
  const { place, run, sent } = await scene(t);
  writeFileSync(join(place.work, 'two words.md'), 'here');
  const file = text('<file path="src/a.ts">\nconst a = 1;\n</file>');
  const task =
    'fix @src/a.ts (see @src/a.ts, @"two words.md" and @shot.png), ask @octocat, me@src/a.ts, @src';
  assert.equal((await run('-t', task)).code, 0);
  assert.deepEqual(sent(), [text(task), file, text('<file path="two words.md">\nhere\n</file>'), IMAGE]);
  writeFileSync(join(place.work, 'task.md'), 'fix @src/a.ts');
  assert.equal((await run('-f', 'task.md')).code, 0);
  assert.deepEqual(sent(), [text('fix @src/a.ts')]);
});

test('a named file that is too large or not text is left to the agent, with a warning', async (t) => {
  const { place, run, sent } = await scene(t);
  writeFileSync(join(place.work, 'large.log'), 'x'.repeat(200_000));
  writeFileSync(join(place.work, 'program'), Buffer.from([0x7f, 0x45, 0xff, 0xfe]));
  const { code, stderr } = await run('-t', 'read @large.log and @program');
  assert.deepEqual([code, sent()], [0, [text('read @large.log and @program')]]);
  assert.match(stderr, /@large\.log is not attached: its 200000 bytes are more than 102400/);
  assert.match(stderr, /@program is not attached: it is not UTF-8 text/);
});

test('an image that cannot be sent is an error before anything is stored', async (t) => {
  const { place, server, run } = await scene(t);
  const blind = await scene(t, 'gpt-3.5-turbo');
  const refused = {
    'a missing file': [
      await run('--image', 'no.png', '-t', 'x'),
      /no\.png cannot be read: there is no such file/,
    ],
    'no image': [
      await run('--image', 'src/a.ts', '-t', 'x'),
      /src\/a\.ts is not a PNG, JPEG, GIF, WebP or BMP image/,
    ],
    'no task': [await run('--image', 'shot.png'), /--image is sent with a task; give one with -t/],
    'a model without vision': [
      await blind.run('--image', 'shot.png', '-t', 'x'),
      /gpt-3\.5-turbo is not known to accept images\n.*vision = true in \[llm\.capability_overrides\]/,
    ],
  } as const;
  for (const [what, [{ code, stderr }, words]] of Object.entries(refused)) {
    assert.equal(code, 2, what);
    assert.match(stderr, words, what);
  }
  assert.equal(server.requests.length + blind.server.requests.length, 0);
  assert.equal((await place.longhand(['ls', '--json'])).stdout, '');
});
