import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

interface Case {
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly input?: Uint8Array;
  readonly prepare?: (place: Place) => void;
  readonly stderr: RegExp;
}

const MODEL = ['--model', 'openai/m', '--base-url', 'http://127.0.0.1:9/v1'];
const inWork =
  (name: string, content: string) =>
  ({ work }: Place) =>
    writeFileSync(join(work, name), content);

/** All of these end with exit code 2, before anything is stored or asked. */
const CASES: { readonly [what: string]: Case } = {
  'no task': { args: [], stderr: /^longhand: there is no task\n {2}Give one with -t/ },
  'an empty task': { args: ['-t', ' \n'], stderr: /^longhand: the task is empty \(-t\)\n$/ },
  'empty standard input': { args: ['-'], stderr: /^longhand: the task is empty \(standard input\)\n$/ },
  'a task file that is missing': {
    args: ['-f', 'no.md'],
    stderr: /^longhand: the task file no\.md cannot be read: there is no such file\n$/,
  },
  'a task file that is a folder': { args: ['-f', '.'], stderr: /: it is a folder\n$/ },
  'a task file that is not text': {
    args: ['-f', 'x.bin'],
    prepare: ({ work }) => writeFileSync(join(work, 'x.bin'), Buffer.from([0xff, 0xfe, 0x00])),
    stderr: /x\.bin cannot be read: it is not UTF-8 text\n$/,
  },
  'standard input that is not text': {
    args: [],
    input: Buffer.from([0x61, 0xff]),
    stderr: /^longhand: the task on standard input is not UTF-8 text\n$/,
  },
  'an unknown flag': {
    args: ['--modell', 'x'],
    stderr: /^longhand: unknown flag --modell; did you mean --model\?\n$/,
  },
  'an unknown command': { args: ['lst'], stderr: /unknown command "lst"; did you mean longhand ls\?/ },
  'a task without -t': { args: ['fix the bug'], stderr: /give a task with -t/ },
  'a missing value': { args: ['-t'], stderr: /^longhand: -t needs a value, but nothing follows it\n$/ },
  'a flag where a value should be': {
    args: ['-t', '--json'],
    stderr: /-t needs a value, but it is followed by --json/,
  },
  'two tasks': {
    args: ['-t', 'a', '-f', 'b'],
    stderr: /the task is given more than once; use one of -t and -f/,
  },
  '--json and --quiet': { args: ['-t', 'a', '--json', '--quiet'], stderr: /exclude each other/ },
  'a bad number': {
    args: ['-t', 'a', '-i', 'many'],
    stderr: /--max-iterations must be a whole number of at least 1, not "many"/,
  },
  'a bad amount': {
    args: ['-t', 'a', '-b', '0'],
    stderr: /--max-budget must be an amount in US dollars above 0, not "0"/,
  },
  'a bad log level': {
    args: ['-t', 'a', '--log-level', 'loud'],
    stderr: /one of error, warning, info, debug, not "loud"/,
  },
  'a folder that does not exist': {
    args: ['-t', 'a', '-d', 'nowhere', ...MODEL],
    stderr: /the folder \/.*\/nowhere does not exist; choose one with -d\n$/,
  },
  'a folder that is a file': {
    args: ['-t', 'a', '-d', 'file', ...MODEL],
    prepare: inWork('file', ''),
    stderr: /file is not a folder/,
  },
  'a conversations folder that cannot be': {
    args: ['-t', 'a', '--conversations-dir', 'file/x', ...MODEL],
    prepare: inWork('file', ''),
    stderr: /conversations cannot be stored in .*file\/x .*--conversations-dir\n$/,
  },
  'a config file that is missing': {
    args: ['-t', 'a', '--config', 'no.toml'],
    stderr: /^longhand: no\.toml cannot be read: there is no such file\n$/,
  },
  'a config file that is a folder': {
    args: ['-t', 'a', '--config', '.'],
    stderr: /\. cannot be read: it is a folder/,
  },
  'a config file with bad syntax': {
    args: ['-t', 'a'],
    prepare: inWork('config.toml', '[llm]\nmodel = \n'),
    stderr: /^longhand: \.\/config\.toml:2:\d+: not valid TOML: .+\n$/,
  },
  'a config file with a wrong type': {
    args: ['-t', 'a'],
    prepare: inWork('config.toml', '[core]\n# limits\nmax_iterations = "ten"\n'),
    stderr: /^longhand: \.\/config\.toml:3: max_iterations must be a whole number above 0, not text\n$/,
  },
  'an environment variable that is wrong': {
    args: ['-t', 'a'],
    env: { LLM_TEMPERATURE: 'warm' },
    stderr: /\$LLM_TEMPERATURE must be a number, not text/,
  },
  'an unknown provider': {
    args: ['-t', 'a', '--model', 'antropic/claude'],
    stderr: /"antropic" in "antropic\/claude" is not a provider\n {2}Did you mean anthropic\?/,
  },
  'a model of nobody': {
    args: ['-t', 'a', '--model', 'mystery'],
    stderr: /the provider of the model "mystery" is unknown/,
  },
  'a key that is missing': { args: ['-t', 'a', '--model', 'openai/gpt-5'], stderr: /OPENAI_API_KEY/ },
  'a base URL that is none': {
    args: ['-t', 'a', '--model', 'm', '--base-url', 'localhost:1234'],
    stderr: /the base URL "localhost:1234" \(from the command line\) is not an http or https address/,
  },
  'a base URL without a model': {
    args: ['-t', 'a', '--base-url', 'http://127.0.0.1:9'],
    stderr: /there is a base URL \(from the command line\), but no model/,
  },
  'an address that a folder chose, and a key of the user': {
    args: ['-t', 'a'],
    env: { OPENAI_API_KEY: 'sk-secret' },
    prepare: inWork('config.toml', '[llm]\nmodel = "openai/gpt-5"\nbase_url = "https://evil.example/v1"\n'),
    stderr: /config\.toml sends requests to https:\/\/evil\.example\/v1 but has no api_key/,
  },
  'no conversation to resume': { args: ['--resume'], stderr: /there is no conversation to resume in / },
  'an id that is none': {
    args: ['--resume', 'abc', '-t', 'x'],
    stderr: /there is no conversation "abc" in .*longhand ls/,
  },
  'show without an id': { args: ['show'], stderr: /show needs a conversation's id/ },
};

for (const [what, { args, env, input, prepare, stderr }] of Object.entries(CASES)) {
  test(`${what}: one message, exit code 2, nothing stored`, async (t) => {
    const place = makePlace(t);
    prepare?.(place);
    const result = await place.longhand(args, { env: env ?? {}, input: input ?? '' });
    assert.match(result.stderr, stderr);
    assert.doesNotMatch(result.stderr, /\n {4}at |sk-secret/);
    assert.deepEqual([result.code, result.stdout], [2, '']);
    assert.deepEqual(
      readdirSync(place.home, { recursive: true }).filter((name) => name.includes('events')),
      [],
    );
  });
}

test('unknown keys and sections lead to a warning with the nearest name, and the run continues', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'done' }));
  t.after(() => server.close());
  const toml = `[llm]\nmodle = "x"\nmodel = "m"\nbase_url = "${server.url}/v1"\ncustom_tokenizer = "x"\n[cor]\nmax_iterations = 1\n[sandbox]\ntimeout = 60\n`;
  writeFileSync(join(place.work, 'config.toml'), toml);
  const { code, stdout, stderr } = await place.longhand(['-t', 'x', '--quiet']);
  assert.deepEqual([code, stdout], [0, 'done\n']);
  assert.equal(
    stderr,
    `warning: ./config.toml:2: unknown key "modle" in [llm]; did you mean "model"?
warning: ./config.toml:6: unknown section [cor]; did you mean [core]?
warning: ./config.toml: without effect here: [llm] custom_tokenizer, [sandbox] timeout
`,
  );
});

test('a folder that cannot be written is named', {
  skip: process.getuid?.() === 0 && 'root may write anywhere',
}, async (t) => {
  const place = makePlace(t);
  mkdirSync(join(place.work, 'locked'));
  chmodSync(join(place.work, 'locked'), 0o500);
  const { code, stderr } = await place.longhand(['-t', 'a', '-d', 'locked', ...MODEL]);
  assert.equal(code, 2);
  assert.match(stderr, /locked cannot be written by you/);
});

test('without a key and a model, three lines say what to set; a model server on this machine is used if there is one', async (t) => {
  const place = makePlace(t);
  const { code, stdout, stderr } = await place.longhand(['-t', 'x']);
  if (code === 2) {
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^longhand: no model is set.*\n {2}With a key: .*\n {2}With a server: .*\n {2}Without either: .*demo\n$/,
    );
  } else assert.match(stdout, / answers at http:\/\/127/); // this machine has one
});

test('a model server at a usual port of this machine is found and named', async (t) => {
  const port = 11434;
  if (!(await isFree(port))) return t.skip(`something listens on ${port}`);
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'done' }), port);
  t.after(() => server.close());
  const { code, stdout } = await place.longhand(['-t', 'x']);
  assert.equal(code, 0);
  assert.match(stdout, /^ollama\/test-model \(Ollama answers at http:\/\/127\.0\.0\.1:11434\/v1\) in /);
});

test('a wrong key is not tried again, and its variable is named', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ error: { status: 401, message: 'bad key' } }));
  t.after(() => server.close());
  const env = { LLM_API_KEY: 'sk-wrong-key', LLM_NUM_RETRIES: '3' };
  const { code, stderr } = await place.longhand(
    ['-t', 'x', '--model', 'anthropic/m', '--base-url', `${server.url}/v1`],
    { env },
  );
  assert.deepEqual([code, server.requests.length], [1, 1]);
  assert.match(stderr, /^longhand: anthropic\/m at http.*401.*bad key\n {2}.*LLM_API_KEY/);
  assert.doesNotMatch(stderr, /sk-wrong-key/);
});

test('a wrong key of a file is looked for there', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ error: { status: 401, message: 'bad key' } }));
  t.after(() => server.close());
  writeFileSync(
    join(place.work, 'config.toml'),
    `[llm]\nmodel = "m"\nbase_url = "${server.url}/v1"\napi_key = "sk-wrong"\n`,
  );
  const { code, stderr } = await place.longhand(['-t', 'x', '--quiet']);
  assert.equal(code, 1);
  assert.match(stderr, /\n {2}Check api_key in \.\/config\.toml\.\n$/);
});

test('an endpoint that fails: every retry is shown, then what was tried', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ error: { status: 503, message: 'overloaded' } }));
  t.after(() => server.close());
  const url = `${server.url}/v1`;
  const env = { LLM_NUM_RETRIES: '3', LLM_RETRY_MIN_WAIT: '0.01', LLM_RETRY_MAX_WAIT: '0.01' };
  const { code, stdout, stderr } = await place.longhand(
    ['-t', 'x', '--model', 'openai/m', '--base-url', url],
    { env },
  );
  assert.equal(code, 1);
  assert.match(stdout, /attempt 1 of 3 failed: .*\nattempt 2 of 3 failed: .*; retrying in \d+ ms\n/);
  assert.match(stderr, new RegExp(`^longhand: openai/m at ${url}.*\\(tried 3 times\\)\n {2}.*resume`, 's'));
});

test('an endpoint of this machine that refuses the connection is reported at once', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({}));
  const url = `${server.url}/v1`;
  await server.close();
  const { code, stdout, stderr } = await place.longhand([
    ...['-t', 'x', '--model', 'openai/m', '--base-url', url],
  ]);
  assert.equal(code, 1);
  assert.doesNotMatch(stdout, /attempt/);
  assert.match(stderr, new RegExp(`^longhand: openai/m at ${url}`));
});

test('the second process on a conversation says who holds it', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ hang: true }));
  t.after(() => server.close());
  const model = ['--model', 'openai/m', '--base-url', `${server.url}/v1`];
  const first = place.start(['-t', 'x', ...model]);
  await first.shows('> x');
  const { code, stderr } = await place.longhand(['--resume', '-t', 'y']);
  first.child.kill('SIGINT');
  await first.result;
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^longhand: .* is being written by process ${first.child.pid} on `));
});

/** A conversation that ended with the answer "done", and the name of the answer's file in its folder of events. */
async function answered(t: TestContext) {
  const place = makePlace(t);
  const server = await startModelServer(() => ({ text: 'done' }));
  t.after(() => server.close());
  await place.longhand(['-t', 'x', '--model', 'openai/m', '--base-url', `${server.url}/v1`]);
  const folder = join(place.home, '.longhand', 'conversations');
  const [id = ''] = readdirSync(folder);
  const events = join(folder, id, 'events');
  const isAnswer = (name: string) => readFileSync(join(events, name), 'utf8').includes('"role":"assistant"');
  const answer = readdirSync(events).find((name) => name.startsWith('event-') && isAnswer(name)) ?? '';
  return { place, id, events, answer };
}

test('an event file that is cut short costs a warning and one event, not the conversation', async (t) => {
  const { place, id, events, answer } = await answered(t);
  truncateSync(join(events, answer), 20);
  const shown = await place.longhand(['show', id]);
  assert.equal(shown.code, 0);
  assert.match(shown.stderr, new RegExp(`^warning: .*${answer}`));
  const { code, stdout, stderr } = await place.longhand(['--quiet', '--resume', '-t', 'again']);
  assert.deepEqual([code, stdout], [0, 'done\n']);
  assert.match(stderr, new RegExp(answer));
});

test('an event file that changed after it was written is reported by show and on resuming', async (t) => {
  const { place, id, events, answer } = await answered(t);
  const path = join(events, answer);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"done"', '"dOne"'));
  const changed = `warning: ${path} was changed after it was written`;
  const shown = await place.longhand(['show', id]);
  assert.deepEqual([shown.code, shown.stderr.startsWith(changed)], [0, true]);
  assert.match(shown.stderr, /restore the file from a backup/);
  const { code, stderr } = await place.longhand(['--quiet', '--resume', '-t', 'again']);
  assert.deepEqual([code, stderr.includes(changed)], [0, true]);
  const forked = await place.longhand(['fork', id]);
  assert.deepEqual([forked.code, forked.stderr.startsWith(changed)], [0, true]);
});

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
