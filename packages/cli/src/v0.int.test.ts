/** Where V0 is known to be wrong and we are not: the deviations of `docs/v0.md`, by their numbers, from outside. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Reply, type Respond, startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

async function scene(t: TestContext, replies: readonly Reply[] | Respond) {
  const place = makePlace(t);
  const respond: Respond =
    typeof replies === 'function'
      ? replies
      : (_, index) => replies[Math.min(index, replies.length - 1)] ?? {};
  const server = await startModelServer(respond);
  t.after(() => server.close());
  const run = (args: readonly string[], options: { input?: string; env?: object } = {}) =>
    place.longhand(['--quiet', '--model', 'x', '--base-url', `${server.url}/v1`, ...args], options);
  const prompts = () => server.requests.map(({ body }) => (body as { messages?: Message[] }).messages ?? []);
  return { place, run, prompts };
}

const call = (name: string, args: object | string = {}) => ({ name, arguments: args });
const FINISH: Reply = { toolCalls: [call('finish', { message: 'done' })] };
const terminal = (command: string): Reply => ({ toolCalls: [call('terminal', { command })] });

function folderOf(place: Place): string {
  const all = join(place.home, '.longhand/conversations');
  return join(all, readdirSync(all)[0] ?? '');
}

function events(place: Place): Record<string, unknown>[] {
  const folder = join(folderOf(place), 'events');
  return readdirSync(folder)
    .filter((name) => name.startsWith('event-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

test('the exit code reflects how the run ended, and an exhausted rate limit ends it', async (t) => {
  const limited = await scene(t, () => ({ error: { status: 429, message: 'slow down' } }));
  assert.equal((await limited.run(['-t', 'go'])).code, 1);
  const finished = await scene(t, [FINISH]);
  assert.equal((await finished.run(['-t', 'go'])).code, 0);
  const stuck = await scene(t, [terminal('true')]);
  assert.equal((await stuck.run(['-t', 'go'])).code, 3);
  const long = await scene(t, (_, index) => terminal(`echo ${index}`));
  assert.equal((await long.run(['-t', 'go', '-i', '2'])).code, 4);
});

test('the whole of standard input is the task', async (t) => {
  const { run, prompts } = await scene(t, [FINISH]);
  assert.equal((await run(['-'], { input: 'line one\nline two\n\nline four\n' })).code, 0);
  assert.match(JSON.stringify(prompts()[0]), /line one\\nline two\\n\\nline four/);
});

test('-d and --log-level take effect', async (t) => {
  const { place, run } = await scene(t, [terminal('pwd > where'), FINISH]);
  mkdirSync(join(place.work, 'inner'));
  assert.equal((await run(['-d', 'inner', '-t', 'go'])).code, 0);
  assert.equal(readFileSync(join(place.work, 'inner/where'), 'utf8').trim(), join(place.work, 'inner'));
  const broken = await scene(t, () => ({ error: { status: 400, message: 'no' } }));
  const { stderr } = await broken.run(['--log-level', 'debug', '-t', 'go']);
  assert.match(stderr, /^ +at .*:\d+:\d+/m);
  assert.match(
    stderr,
    /^debug: \S+Z [0-9a-f]{8} agent \(x\) failed after \d+ ms: LLMBadRequestError, status 400$/m,
  );
});

test('--log-level debug reports each call to a model without its contents', async (t) => {
  const { run } = await scene(t, [terminal('echo private-1'), FINISH]);
  const { stderr } = await run(['--log-level', 'debug', '-t', 'private-2']);
  const calls = stderr.split('\n').filter((line) => line.startsWith('debug: '));
  assert.deepEqual(
    calls.map((line) => /(asked|answered|failed)/.exec(line)?.[0]),
    ['asked', 'answered', 'asked', 'answered'],
  );
  assert.match(calls[0] ?? '', / asked: 2 messages, \d+ tools, \d+ bytes$/);
  assert.match(calls[1] ?? '', / response \S+, .* tokens in .*, call \S+ of \w+$/);
  assert.doesNotMatch(stderr, /private/);
  assert.equal((await run(['-t', 'x'])).stderr, '');
});

test('a secret is masked everywhere: in lists, in arguments, in repeated messages', async (t) => {
  const secret = 'sk-abc"def-0123456789';
  const { place, run, prompts } = await scene(t, [
    {
      text: `I use ${secret}.`,
      toolCalls: [call('task_tracker', { command: 'plan', task_list: [{ title: `with ${secret}` }] })],
    },
    terminal('echo "$LLM_API_KEY"'),
    FINISH,
  ]);
  assert.equal((await run(['-t', `use ${secret}`], { env: { LLM_API_KEY: secret } })).code, 0);
  const stored = JSON.stringify(events(place));
  assert.doesNotMatch(stored, /def-0123456789/);
  assert.equal(stored.match(/<secret-hidden>/g)?.length, 6);
  assert.doesNotMatch(JSON.stringify(prompts().at(-1)), /def-0123456789/);
});

test('keys of every provider are masked, from the environment and from config files', async (t) => {
  const { place, run } = await scene(t, [terminal('env; cat config.toml'), FINISH]);
  const config = `[llm]\naws_secret_access_key = "masked-1-of-the-file"\nfallback_llms = ["spare"]
    [llm.spare]\nmodel = "y"\napi_key = "masked-2-of-the-file"\n`;
  writeFileSync(join(place.work, 'config.toml'), config);
  const env = {
    AWS_BEARER_TOKEN_BEDROCK: 'masked-3-of-bedrock',
    AWS_SESSION_TOKEN: 'masked-4-of-bedrock',
    HF_TOKEN: 'masked-5-of-hugging-face',
    OPENAI_API_KEY: 'masked-6-of-openai',
    PLAIN: 'plain to see',
  };
  assert.equal((await run(['-t', 'go'], { env })).code, 0);
  const stored = JSON.stringify(events(place));
  assert.match(stored, /PLAIN=plain to see/);
  assert.deepEqual(stored.match(/masked-\d/g), null);
});

test('credentials that consist of several variables are masked wherever they are given', async (t) => {
  const { place, run } = await scene(t, [
    terminal('echo "$AWS_SECRET_ACCESS_KEY $LLM_AWS_SESSION_TOKEN $HF_TOKEN"'),
    FINISH,
  ]);
  const env = {
    AWS_SECRET_ACCESS_KEY: 'aws-secret-zyxw',
    LLM_AWS_SESSION_TOKEN: 'aws-token-zyxw',
    HF_TOKEN: 'hf-token-zyxw',
  };
  assert.equal((await run(['-t', 'go'], { env })).code, 0);
  assert.doesNotMatch(JSON.stringify(events(place)), /zyxw/); // ids are hexadecimal
});

test('a resumed conversation continues the numbering of its events, and all of them can be read', async (t) => {
  const { place, run } = await scene(t, [terminal('echo 1'), FINISH, terminal('echo 2'), FINISH]);
  assert.equal((await run(['-t', 'one'])).code, 0);
  assert.equal((await run(['--resume', '-t', 'two'])).code, 0);
  const names = readdirSync(join(folderOf(place), 'events')).filter((name) => name.startsWith('event-'));
  assert.deepEqual(
    names.map((name) => Number(name.slice(6, 11))),
    names.map((_, i) => i),
  );
  const shown = await place.longhand(['show', await firstId(place), '--json']);
  assert.equal(shown.stdout.trim().split('\n').length, names.length);
});

test('--auto-continue replies with the standard message or with the given one; without it the run ends when the agent speaks', async (t) => {
  const replies: readonly Reply[] = [{ text: 'Shall I?' }, FINISH];
  const plain = await scene(t, replies);
  assert.equal((await plain.run(['-t', 'go'])).stdout, 'Shall I?\n');
  const ours = await scene(t, replies);
  assert.equal((await ours.run(['-t', 'go', '--auto-continue'])).stdout, 'done\n');
  assert.match(JSON.stringify(ours.prompts()[1]), /No user is available to answer/);
  const given = await scene(t, replies);
  assert.equal((await given.run(['-t', 'go', '--auto-continue', 'Yes, do.'])).stdout, 'done\n');
  assert.match(JSON.stringify(given.prompts()[1]), /Yes, do\./);
  const codeact = await scene(t, replies);
  assert.equal((await codeact.run(['-t', 'go', '--agent', 'readonly'])).stdout, 'done\n');
});

test('--no-auto-continue: a line of standard input is the reply; /exit and end of input end the run', async (t) => {
  const replies: readonly Reply[] = [{ text: 'One?' }, { text: 'Two?' }, FINISH];
  for (const [input, prompts] of [
    ['', 1],
    ['yes\n', 2],
    ['yes\n/exit\nmore\n', 2],
  ] as const) {
    const here = await scene(t, replies);
    const { code, stdout } = await here.run(['-t', 'go', '--no-auto-continue'], { input });
    assert.deepEqual([code, here.prompts().length], [0, prompts]);
    assert.equal(stdout, prompts === 1 ? 'One?\n' : 'Two?\n');
  }
  // All of standard input is the task, and nothing is left to answer with.
  const taken = await scene(t, replies);
  assert.equal((await taken.run(['--no-auto-continue'], { input: 'go\nyes\n' })).stdout, 'One?\n');
});

async function firstId(place: Place): Promise<string> {
  const { stdout } = await place.longhand(['ls', '--json']);
  return (JSON.parse(stdout.split('\n')[0] ?? '{}') as { id: string }).id;
}

test('condensers survive short views, say nothing twice and keep call and result together', async (t) => {
  for (const condenser of [
    'type = "recent"\nkeep_first = 2\nmax_events = 4',
    'type = "observation_masking"\nattention_window = 1',
    'type = "amortized"\nmax_size = 8\nkeep_first = 2',
  ]) {
    const { place, run, prompts } = await scene(t, (_, index) =>
      index < 6 ? terminal(`echo ${index}`) : FINISH,
    );
    writeFileSync(join(place.work, 'config.toml'), `[condenser]\n${condenser}\n`);
    const { code, stderr } = await run(['-t', 'go']);
    assert.equal(code, 0, `${condenser}: ${stderr}`);
    for (const messages of prompts()) {
      const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      const results = messages.flatMap(({ tool_call_id: id }) => id ?? []);
      assert.deepEqual(results, calls);
      assert.equal(new Set(calls).size, calls.length);
    }
  }
});

test('requests for a condensation that have no effect end the run instead of repeating forever', async (t) => {
  const { run, prompts } = await scene(t, () => ({
    error: { status: 400, message: "This model's maximum context length is 10 tokens" },
  }));
  assert.equal((await run(['-t', 'go'])).code, 1);
  assert.ok(prompts().length < 20);
});

test('of several calls in a turn each bad one is answered for itself, and the good one is carried out', async (t) => {
  const { place, run, prompts } = await scene(t, [
    {
      toolCalls: [
        call('nonsense'),
        call('terminal', '{"command": "cut'),
        call('terminal', { command: 'echo good > it' }),
      ],
    },
    FINISH,
  ]);
  assert.equal((await run(['-t', 'go'])).code, 0);
  const [unknown, broken, good] = (prompts()[1] ?? []).filter(({ role }) => role === 'tool');
  assert.match(JSON.stringify(unknown?.content), /nonsense/);
  assert.match(JSON.stringify(broken?.content), /JSON/);
  assert.doesNotMatch(JSON.stringify(good?.content), /error/i);
  assert.equal(readFileSync(join(place.work, 'it'), 'utf8'), 'good\n');
});

test('no two messages of text follow each other in the same role', async (t) => {
  const { run, prompts } = await scene(t, (_, index) =>
    index === 0 ? { error: { status: 400, message: 'no' } } : index < 4 ? terminal('false') : FINISH,
  );
  assert.equal((await run(['-t', 'one'])).code, 1);
  assert.equal((await run(['--resume', '-t', 'two'])).code, 0);
  for (const messages of prompts()) {
    const roles = messages.map(({ role }) => role).filter((role) => role !== 'tool');
    for (const [i, role] of roles.entries())
      assert.ok(role === 'assistant' || role !== roles[i - 1], roles.join(' '));
  }
});

test('the state of a conversation is JSON that any program can read', async (t) => {
  const { place, run } = await scene(t, [FINISH]);
  assert.equal((await run(['-t', 'go'])).code, 0);
  const state = JSON.parse(readFileSync(join(folderOf(place), 'base_state.json'), 'utf8')) as object;
  assert.equal((state as { execution_status?: unknown }).execution_status, 'finished');
});

test('calls in text are read without a security_risk, without a line break behind the tag, and with numbers', async (t) => {
  const { place, run } = await scene(t, [
    {
      text: '<function=terminal><parameter=command>echo text > it</parameter><parameter=timeout>5</parameter></function>',
    },
    { text: '<function=finish>\n<parameter=message>done</parameter>\n</function>' },
  ]);
  assert.equal((await run(['-t', 'go'], { env: { LLM_NATIVE_TOOL_CALLING: 'false' } })).code, 0);
  assert.equal(readFileSync(join(place.work, 'it'), 'utf8'), 'text\n');
});
