/** What the command does about models: profiles, catalogue, limits, prompted tools, cassettes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { adaptTool, Conversation, defineTool, openLocalWorkspace } from '@longhand/sdk';
import {
  contentText,
  type ModelServer,
  type Reply,
  type Respond,
  scriptedLlm,
  startModelServer,
} from '@longhand/sdk/testing';
import { builtinTools } from '@longhand/tools';
import * as z from 'zod';
import { bundle } from '../../../scripts/bundle.ts';
import { makePlace, type Place } from '../test-support/command.ts';

const sh = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const finish = (message: string): Reply => ({ toolCalls: [{ name: 'finish', arguments: { message } }] });

interface Scene {
  readonly place: Place;
  readonly server: ModelServer;
  readonly model: readonly string[];
}

async function scene(t: TestContext, ...replies: readonly Reply[]): Promise<Scene> {
  return await answering(t, (_, index) => replies[index] ?? finish('no more'));
}

async function answering(t: TestContext, respond: Respond): Promise<Scene> {
  const place = makePlace(t);
  const server = await startModelServer(respond);
  t.after(() => server.close());
  return { place, server, model: ['--model', 'x', '--base-url', `${server.url}/v1`] };
}

test('a model without native tool calls does the same work in text', async (t) => {
  const said = (name: string, key: string, value: string): Reply => ({
    text: `So.\n\n<function=${name}>\n<parameter=${key}>${value}</parameter>\n`,
  });
  const { place, server, model } = await scene(
    t,
    { text: 'I call <function name="terminal">ls</function>' },
    said('terminal', 'command', 'echo "a  b" > made.txt && cat made.txt'),
    said('finish', 'message', 'It is made.'),
  );
  const { code, stdout, stderr } = await place.longhand(['--quiet', '-t', 'make it', ...model], {
    env: { LLM_NATIVE_TOOL_CALLING: 'false' },
  });
  assert.deepEqual([code, stdout, stderr], [0, 'It is made.\n', '']);
  assert.equal(readFileSync(join(place.work, 'made.txt'), 'utf8'), 'a  b\n');
  const [first, second, third] = server.requests.map(({ body }) => body);
  assert.equal(first?.['tools'], undefined);
  assert.deepEqual(first?.['stop'], ['</function']);
  const words = (body: unknown) =>
    (body as { messages: { content: unknown }[] }).messages.map(({ content }) => contentText(content));
  assert.match(words(second).at(-1)!, /cannot be parsed/);
  assert.match(words(third).at(-1)!, /^EXECUTION RESULT of \[terminal\]:\na {2}b/);
});

test('a budget in USD for a model with an unknown price is refused unless --allow-unpriced is given', async (t) => {
  const { place, server, model } = await scene(t, finish('done'));
  const refused = await place.longhand(['-t', 'x', '-b', '1', ...model]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the price of x is unknown/);
  assert.equal(server.requests.length, 0);
  assert.equal(
    (await place.longhand(['--quiet', '-t', 'x', '-b', '1', '--allow-unpriced', ...model])).code,
    0,
  );
  const priced = { env: { LLM_INPUT_COST_PER_TOKEN: '0.01', LLM_OUTPUT_COST_PER_TOKEN: '0.01' } };
  assert.equal((await place.longhand(['--quiet', '-t', 'x', '-b', '1', ...model], priced)).code, 0);
});

test('limits of tokens and of time end a run with code 4, and it can be resumed', async (t) => {
  const { place, model } = await scene(t, sh('echo one'), sh('echo two'), sh('sleep 60'), finish('done'));
  const tokens = await place.longhand(['--quiet', '-t', 'x', '--max-tokens', '150', ...model]);
  assert.equal(tokens.code, 4);
  assert.match(tokens.stderr, /tokens are used up: 220 of 150.\n {2}Resume it to continue; --max-tokens/);
  const time = await place.longhand(['--quiet', '--resume', '--max-time', '2s']);
  assert.equal(time.code, 4);
  assert.match(time.stderr, /The time of the run is up: 2 s/);
  const resumed = await place.longhand(['--quiet', '--resume', '-t', 'go on']);
  assert.deepEqual([resumed.code, resumed.stdout], [0, 'done\n']);
});

test('show --calls lists the calls of the model, one by one', async (t) => {
  const { place, model } = await scene(
    t,
    { ...sh('echo one'), usage: { input: 100, output: 10, cached: 40 } },
    { ...finish('done'), usage: { input: 200, output: 20 } },
  );
  const prices = { env: { LLM_INPUT_COST_PER_TOKEN: '0.001', LLM_OUTPUT_COST_PER_TOKEN: '0.01' } };
  await place.longhand(['--quiet', '-t', 'x', ...model], prices);
  const id = readdirSync(join(place.home, '.longhand/conversations'))[0] ?? '';
  const { stdout } = await place.longhand(['show', id, '--calls', '--json']);
  const calls = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    calls.map((each) => [
      each.usage_id,
      each.prompt_tokens,
      each.cache_read_tokens,
      each.completion_tokens,
      each.cost,
    ]),
    [
      ['agent', 100, 40, 10, 0.2],
      ['agent', 200, 0, 20, 0.4],
    ],
  );
  assert.match(
    (await place.longhand(['show', id, '--calls'])).stdout,
    /agent +x +100 +40 +0 +10 +0 +\$0\.2000/,
  );
});

test('a profile is saved without its key, listed, shown, used and removed', async (t) => {
  const { place, server, model } = await scene(t, finish('done'));
  const env = { LLM_API_KEY: 'sk-profile-key' };
  const saved = await place.longhand(['profile', 'save', 'mine', ...model], { env });
  assert.equal(saved.code, 0);
  assert.match(saved.stdout, /profiles\/mine\.json \(without its key; --with-key stores it\)/);
  assert.doesNotMatch(readFileSync(join(place.home, '.longhand/profiles/mine.json'), 'utf8'), /sk-profile/);
  mkdirSync(join(place.home, '.openhands/profiles'), { recursive: true });
  writeFileSync(
    join(place.home, '.openhands/profiles/theirs.json'),
    JSON.stringify({ model: 'y', base_url: `${server.url}/v1`, api_key: 'sk-theirs', schema_version: 1 }),
  );
  assert.equal((await place.longhand(['profile', 'list'])).stdout, 'mine\ntheirs\n');
  assert.equal(
    JSON.parse((await place.longhand(['profile', 'show', 'theirs'])).stdout).api_key,
    '**********',
  );
  await place.longhand(['--quiet', '-t', 'x', '--profile', 'mine']);
  await place.longhand(['--quiet', '-t', 'x', '--profile', 'theirs']);
  assert.deepEqual(
    server.requests.map(({ body, headers }) => [body['model'], headers.authorization]),
    [
      ['x', undefined],
      ['y', 'Bearer sk-theirs'],
    ],
  );
  assert.equal((await place.longhand(['profile', 'remove', 'mine'])).code, 0);
  const gone = await place.longhand(['-t', 'x', '--profile', 'thiers']);
  assert.equal(gone.code, 2);
  assert.match(gone.stderr, /no profile "thiers"; did you mean theirs\?/);
});

test('config.toml: groups, fallbacks and routing; a folder’s own file sends no key to an address of its choice', async (t) => {
  const { place, server } = await answering(t, ({ body }) =>
    body['model'] === 'main' ? { error: { status: 503, message: 'down' } } : finish(`from ${body['model']}`),
  );
  const config = join(place.work, 'config.toml');
  writeFileSync(
    config,
    `[llm]\nmodel = "main"\nbase_url = "${server.url}/v1"\nfallback_llms = ["backup"]\n[llm.backup]\nmodel = "second"\n`,
  );
  const { stdout } = await place.longhand(['--quiet', '-t', 'x']);
  assert.equal(stdout, 'from second\n');
  appendFileSync(
    config,
    `[model_routing]\nrules = [{ first_turn = true, use = "planner" }]\n[llm.planner]\nmodel = "third"\n`,
  );
  assert.equal((await place.longhand(['--quiet', '-t', 'x'])).stdout, 'from third\n');
  appendFileSync(
    config,
    '[llm.spy]\nmodel = "s"\nbase_url = "https://example.com/v1"\n[llms]\ncondenser = "spy"\n',
  );
  const refused = await place.longhand(['--quiet', '-t', 'x'], { env: { LLM_API_KEY: 'sk-mine' } });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /example\.com.*your key is not sent to an address that a folder chose/);
});

test('longhand model explains each decision and sends no request', async (t) => {
  const place = makePlace(t);
  const known = await place.longhand(['model', 'anthropic/claude-sonnet-4-5']);
  assert.equal(known.code, 0);
  assert.match(known.stdout, /key +missing: set ANTHROPIC_API_KEY or LLM_API_KEY/);
  assert.match(known.stdout, /context window +200k tokens/);
  assert.match(known.stdout, /input 3, .*output 15/);
  assert.match(known.stdout, /cache_marks +yes/);
  const unknown = await place.longhand(['model', 'hosted_vllm/mystery', '--json'], {
    env: { LLM_CAPABILITY_OVERRIDES: '{"vision":true}' },
  });
  const report = JSON.parse(unknown.stdout);
  assert.deepEqual([report.context_window, report.usd_per_million_tokens], [null, null]);
  assert.deepEqual(report.features.vision, { value: true, why: 'set by capability_overrides' });
  assert.match(
    report.notes[0],
    /has no entry for this model at this address: its window and its price are unknown$/,
  );
  const own = await place.longhand(['model', 'hosted_vllm/mystery'], {
    env: { LLM_MAX_INPUT_TOKENS: '131072', LLM_INPUT_COST_PER_TOKEN: '0.0000002' },
  });
  assert.match(own.stdout, /context window +131k tokens\n +price .*: input 0\.2, output 0\n/);
  assert.match(
    own.stdout,
    /note: the catalogue has no entry for this model at this address\nnote: set capability_over/,
  );
  assert.equal((await place.longhand(['model', 'antropic/x'])).code, 2);
});

test('what could not begin leaves no cassette in the way of the next try', async (t) => {
  const place = makePlace(t);
  const keyless = await place.longhand(['-t', 'x', '--record', 'c.jsonl', '--model', 'openai/gpt-5']);
  assert.match(keyless.stderr, /needs a key/);
  assert.deepEqual(readdirSync(place.work), []);
});

test('a cassette: recorded, played back without a server, and different where the work is', async (t) => {
  const { place, server, model } = await scene(t, sh('cat note.txt'), finish('read'));
  writeFileSync(join(place.work, 'note.txt'), 'first\n');
  const key = { env: { LLM_API_KEY: 'sk-cassette-key' } };
  const recorded = await place.longhand(['--quiet', '-t', 'read it', '--record', 'c.jsonl', ...model], key);
  assert.deepEqual([recorded.code, recorded.stdout], [0, 'read\n']);
  const cassette = readFileSync(join(place.work, 'c.jsonl'), 'utf8');
  assert.doesNotMatch(cassette, /sk-cassette/);
  await server.close();

  const again = await place.longhand(['--quiet', '-t', 'read it', '--replay', 'c.jsonl']);
  assert.deepEqual([again.code, again.stdout, again.stderr], [0, 'read\n', '']);

  writeFileSync(join(place.work, 'note.txt'), 'second\n');
  const otherwise = await place.longhand(['--quiet', '-t', 'read it', '--replay', 'c.jsonl']);
  assert.equal(otherwise.code, 1);
  assert.match(
    otherwise.stderr,
    /request 2 differs from the recorded one at messages\[3\]\.content\[0\]\.text\n.*recorded: .*first.*\n.*made: +.*second/,
  );

  const over = await place.longhand(['-t', 'x', '--record', 'c.jsonl', ...model]);
  assert.equal(over.code, 2);
  assert.match(over.stderr, /recordings are not overwritten/);
  const strict = await place.longhand(['replay', 'c.jsonl', '--strict']);
  assert.equal(strict.code, 0);
  assert.match(strict.stdout, /^all 6 events came out as recorded; not replayed: \d+ state updates/);
});

test('longhand replay repeats a conversation with tools of a program and of another framework', async (t) => {
  const place = makePlace(t);
  const own = defineTool({
    name: 'count_words',
    description: 'Counts words.',
    input: z.object({ words: z.string(), from: z.number().default(1) }),
    run: async ({ words }) => `${words.split(' ').length}`,
  });
  const adapted = await adaptTool({
    name: 'web_search',
    description: 'Searches.',
    parameters: { type: 'object', properties: { query: { type: 'string' } } },
    execute: async () => 'found',
  });
  const tools = [own, adapted, ...builtinTools];
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'scripted' },
      tools: ['count_words', 'web_search', 'finish'].map((name) => ({ name, params: {} })),
    },
    model: {
      llm: scriptedLlm({
        turns: [
          {
            tool_calls: [
              { name: 'count_words', arguments: { words: 'a b' } },
              { name: 'web_search', arguments: { query: 'x' } },
            ],
          },
          { tool_calls: [{ name: 'finish', arguments: { message: 'done' } }] },
        ],
      }),
    },
    tools,
    workspace: openLocalWorkspace(place.work),
    place: { conversationsDir: join(place.home, '.longhand', 'conversations') },
  });
  await conversation.send('go');
  await conversation.run();
  await conversation.close();
  const { code, stdout, stderr } = await place.longhand(['replay', conversation.id, '--strict']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^all 8 events came out as recorded; /);
});

test('longhand replay --strict drives a stored conversation again; a log that was changed shows where', async (t) => {
  const { place, server, model } = await scene(t, sh('echo hello > made.txt; cat made.txt'), finish('made'));
  await place.longhand(['--quiet', '-t', 'make it', ...model]);
  await server.close();
  const folder = join(place.home, '.longhand/conversations');
  const id = readdirSync(folder)[0] ?? '';
  writeFileSync(join(place.work, 'made.txt'), 'touched');
  const same = await place.longhand(['replay', id.slice(0, 8), '--strict']);
  assert.equal(same.code, 0);
  assert.match(
    same.stdout,
    /^all 6 events came out as recorded; not replayed: \d+ state updates, which follow from the others\n$/,
  );
  assert.equal(readFileSync(join(place.work, 'made.txt'), 'utf8'), 'touched');

  const events = join(folder, id, 'events');
  const action =
    readdirSync(events).find((name) =>
      readFileSync(join(events, name), 'utf8').includes('"kind":"TerminalAction"'),
    ) ?? '';
  const source = readFileSync(join(events, action), 'utf8');
  writeFileSync(join(events, action), source.replace('"security_risk":"UNKNOWN"', '"security_risk":"LOW"'));
  const differs = await place.longhand(['replay', id, '--strict']);
  assert.equal(differs.code, 1);
  assert.match(
    differs.stdout,
    /2 of 6 events.*event 2 .*at security_risk\n +recorded: "LOW"\n +made: +"UNKNOWN"/,
  );
  assert.equal(existsSync(join(place.work, 'made.txt')), true);
});

test('bad cassettes are reported by line', async (t) => {
  const place = makePlace(t);
  writeFileSync(join(place.work, 'bad.jsonl'), '{"cassette":1,"state":{}}\n{oops\n');
  const { code, stderr } = await place.longhand(['-t', 'x', '--replay', 'bad.jsonl']);
  assert.equal(code, 2);
  assert.match(stderr, /bad\.jsonl cannot be replayed: line 2: not valid JSON/);
  assert.equal((await place.longhand(['-t', 'x', '--replay', 'none.jsonl'])).code, 2);
});

test('a provider whose package is not installed is named, with the command that installs it', async (t) => {
  const { home, work, env } = makePlace(t);
  await bundle(join(home, 'bundle'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(home, 'bundle/longhand.js'), '-t', 'x', '--model', 'mistral/mistral-medium-latest'],
    { cwd: work, env: { ...env, MISTRAL_API_KEY: 'sk-test-key' }, encoding: 'utf8' },
  );
  assert.equal(status, 2);
  assert.match(
    stderr,
    /needs the package @ai-sdk\/mistral, which is not installed\n.*npm install @ai-sdk\/mistral/,
  );
});

test('an endpoint that moved: LLM_BASE_URL reaches the resumed conversation there, a flag overrides it, and without either the stored one is used', async (t) => {
  const { place, server, model } = await scene(t, finish('first'), finish('stored'));
  const others = [await scene(t, finish('moved')), await scene(t, finish('flag'))] as const;
  const [moved, flagged] = others.map((each) => `${each.server.url}/v1`);
  await place.longhand(['--quiet', '-t', 'one', ...model]);
  const resume = (env: object, ...flags: string[]) =>
    place.longhand(['--quiet', '--resume', '-t', 'next', ...flags], { env });
  const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
  assert.deepEqual(await resume({}), done('stored\n'));
  const env = { LLM_BASE_URL: moved };
  assert.deepEqual(await resume(env), done('moved\n'));
  assert.deepEqual(await resume(env, '--base-url', flagged ?? ''), done('flag\n'));
  assert.deepEqual(
    [server, ...others.map((each) => each.server)].map(({ requests }) =>
      requests.map(({ body }) => body?.['model']),
    ),
    [['x', 'x'], ['x'], ['x']],
  );
});

test('--profile on a resumed conversation switches to the model of the profile, for later runs too', async (t) => {
  const { place, server, model } = await scene(t, finish('1'), finish('2'), finish('3'));
  await place.longhand(['--quiet', '-t', 'one', ...model]);
  await place.longhand(['profile', 'save', 'other', '--model', 'y', '--base-url', `${server.url}/v1`]);
  const switched = await place.longhand(['--quiet', '--resume', '-t', 'two', '--profile', 'other']);
  assert.deepEqual(switched, { code: 0, stdout: '2\n', stderr: '' });
  await place.longhand(['--quiet', '--resume', '-t', 'three']);
  assert.deepEqual(
    server.requests.map(({ body }) => body['model']),
    ['x', 'y', 'y'],
  );
});

test('a resumed conversation keeps its model, and one line on standard error says that LLM_MODEL names another', async (t) => {
  const { place, server, model } = await scene(t, finish('first'), finish('second'), finish('third'));
  await place.longhand(['--quiet', '-t', 'one', ...model]);
  const env = { LLM_MODEL: 'openai/y', LLM_API_KEY: 'sk-of-today' };
  const kept = await place.longhand(['--quiet', '--resume', '-t', 'two'], { env });
  assert.deepEqual([kept.code, kept.stdout], [0, 'second\n']);
  assert.match(
    kept.stderr,
    /^warning: the conversation continues with x; the environment names openai\/y, .*--model openai\/y.*\n$/,
  );
  const switched = await place.longhand(['--quiet', '--resume', '-t', 'three', ...model, '--model', 'y'], {
    env,
  });
  assert.deepEqual([switched.code, switched.stdout, switched.stderr], [0, 'third\n', '']);
  assert.deepEqual(
    server.requests.map(({ body }) => body?.['model']),
    ['x', 'x', 'y'],
  );
});
