/** Agents by name: built in, from Markdown, kept for the next time. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Reply, type Respond, startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const FINISH: Reply = { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] };

async function scene(t: TestContext, respond: Respond = () => FINISH) {
  const place = makePlace(t);
  const server = await startModelServer(respond);
  t.after(() => server.close());
  const flags = ['--quiet', '--model', 'x', '--base-url', `${server.url}/v1`];
  const bodies = () => server.requests.map(({ body }) => body as unknown as Body);
  const runWith = (env: object, ...args: string[]) => place.longhand([...flags, ...args], { env });
  const run = (...args: string[]) => runWith({}, ...args);
  return { place, run, runWith, bodies };
}

const toolsOf = (body: Body | undefined) => (body?.tools ?? []).map((tool) => tool.function.name);
const systemOf = (body: Body | undefined) => JSON.stringify(body?.messages[0]?.content);

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const REVIEWER =
  '---\nname: reviewer\ndescription: Reads\ntools: [terminal]\n---\nYou review, and say what is wrong.\n';

test('agent hub: an agent of a Markdown file has its tools and its words, and the conversation keeps it', async (t) => {
  const { place, run, bodies } = await scene(t);
  write(join(place.work, '.openhands/agents/reviewer.md'), REVIEWER);
  assert.equal((await run('--agent', 'reviewer', '-t', 'go')).code, 0);
  assert.equal((await run('--resume', '--', '-t')).code, 2);
  assert.equal((await run('--resume', '-t', 'again')).code, 0);
  for (const body of bodies()) {
    assert.deepEqual(toolsOf(body), ['terminal', 'finish', 'think']);
    assert.match(systemOf(body), /You review, and say what is wrong/);
  }
  assert.equal(bodies().length, 2);
});

test('agent hub: --agent-cls and default_agent name agents of V0 by their classes', async (t) => {
  const { place, run, bodies } = await scene(t);
  assert.equal((await run('--agent-cls', 'ReadOnlyAgent', '-t', 'go')).code, 0);
  write(join(place.work, 'config.toml'), '[core]\ndefault_agent = "ReadOnlyAgent"\n');
  assert.equal((await run('-t', 'go')).code, 0);
  for (const body of bodies()) assert.deepEqual(toolsOf(body), ['grep', 'glob', 'view', 'finish', 'think']);
});

test('agent hub: a tool that [agent] switches off is missing from every agent, under all its names, and from its sub-agents', async (t) => {
  const { place, run, bodies } = await scene(t, ({ body }) => {
    const said = JSON.stringify((body as unknown as Body).messages);
    if (said.includes('look around') || said.includes('has 3')) return FINISH;
    return { toolCalls: [{ name: 'task', arguments: { prompt: 'look around' } }] };
  });
  const off = ['cmd', 'jupyter', 'browsing', 'condensation_request', 'plan_mode'];
  write(
    join(place.work, 'config.toml'),
    `[agent]\n${off.map((each) => `enable_${each} = false`).join('\n')}\n`,
  );
  assert.equal((await run('--agent', 'codeact', '-t', 'go')).code, 0);
  const [parent, child] = bodies();
  assert.deepEqual(toolsOf(parent), ['str_replace_editor', 'task', 'finish', 'think']);
  assert.deepEqual(toolsOf(child), ['file_editor', 'finish', 'think']);
});

test('the default agent is CodeActAgent, lean; [agent] switches its tools on, off and over, and so do variables', async (t) => {
  const { place, run, runWith, bodies } = await scene(t);
  const lean = ['terminal', 'file_editor', 'task_tracker', 'finish', 'think'];
  const config = (lines: string) => write(join(place.work, 'config.toml'), `[agent]\n${lines}\n`);
  await run('-t', 'go');
  config(
    'enable_jupyter = true\nenable_browsing = true\nenable_condensation_request = true\nenable_cmd = true',
  );
  await run('-t', 'go');
  config('enable_llm_editor = true\nenable_plan_mode = false');
  await run('-t', 'go');
  await run('--agent', 'general-purpose', '-t', 'go');
  await run('--agent', 'readonly', '-t', 'go');
  config('enable_jupyter = true\nenable_think = false');
  const env = { AGENT_ENABLE_JUPYTER: 'false', AGENT_ENABLE_LLM_EDITOR: 'true' };
  await runWith(env, '-t', 'go');
  assert.deepEqual(bodies().map(toolsOf), [
    lean,
    [
      'terminal',
      'file_editor',
      'task_tracker',
      'execute_ipython_cell',
      'browser',
      'request_condensation',
      'finish',
      'think',
    ],
    ['terminal', 'edit_file', 'finish', 'think'],
    ['terminal', 'edit_file', 'finish', 'think'],
    ['grep', 'glob', 'view', 'finish', 'think'],
    ['terminal', 'edit_file', 'task_tracker', 'finish'],
  ]);
  const wrong = await runWith({ AGENT_ENABLE_CMD: 'perhaps' }, '-t', 'go');
  assert.deepEqual([wrong.code, bodies().length], [2, 6]);
  assert.match(wrong.stderr, /\$AGENT_ENABLE_CMD must be/);
});

test('a resumed conversation keeps the tools of its default agent; switches still apply', async (t) => {
  const { run, runWith, bodies } = await scene(t);
  await runWith({ AGENT_ENABLE_JUPYTER: 'true', AGENT_ENABLE_PLAN_MODE: 'false' }, '-t', 'go');
  await run('--resume', '-t', 'more');
  const env = { AGENT_ENABLE_JUPYTER: 'false', AGENT_ENABLE_PLAN_MODE: 'true' };
  await runWith(env, '--resume', '-t', 'more');
  await run('-t', 'go');
  const switched = ['terminal', 'file_editor', 'execute_ipython_cell', 'finish', 'think'];
  const lean = ['terminal', 'file_editor', 'task_tracker', 'finish', 'think'];
  assert.deepEqual(bodies().map(toolsOf), [switched, switched, lean, lean]);
});

test('a conversation that OpenHands began keeps its tools, so that OpenHands opens it again', async (t) => {
  const { place, run, bodies } = await scene(t);
  await run('-t', 'go');
  const conversations = join(place.home, '.longhand/conversations');
  const [id = ''] = readdirSync(conversations);
  const path = join(conversations, id, 'base_state.json');
  const { written_by: _, tags: __, ...state } = JSON.parse(readFileSync(path, 'utf8'));
  const storeTools = (...names: string[]) => {
    const tools = names.map((name) => ({ name, params: {} }));
    writeFileSync(path, JSON.stringify({ ...state, tags: {}, agent: { ...state.agent, tools } }));
  };
  storeTools('terminal', 'a_tool_of_its_own');
  await run('--resume', '-t', 'more');
  storeTools('a_tool_of_its_own');
  await run('--resume', '-t', 'more');
  const lean = ['terminal', 'file_editor', 'task_tracker', 'finish', 'think'];
  assert.deepEqual(bodies().map(toolsOf), [lean, ['terminal', 'finish', 'think'], lean]);
});

test('[agent.NAME] applies to the agent under any of its names, also when the conversation is resumed', async (t) => {
  const { place, run, bodies } = await scene(t);
  write(
    join(place.work, 'config.toml'),
    '[agent.ReadOnlyAgent]\nenable_think = false\n[agent.CodeActAgent]\nenable_finish = false\n',
  );
  await run('--agent', 'readonly', '-t', 'go');
  await run('--resume', '-t', 'again');
  await run('-t', 'go', '-i', '1');
  await run('--agent', 'default', '-t', 'go', '-i', '1');
  assert.deepEqual(bodies().map(toolsOf), [
    ['grep', 'glob', 'view', 'finish'],
    ['grep', 'glob', 'view', 'finish'],
    ['terminal', 'file_editor', 'task_tracker', 'think'],
    ['terminal', 'file_editor', 'task_tracker', 'think'],
  ]);
});

test('enable_mcp = false starts no server, wherever it is configured', async (t) => {
  const { place, run, bodies } = await scene(t);
  const started = join(place.work, 'started');
  const server = { command: '/bin/sh', args: ['-c', `touch ${started}`] };
  write(join(place.home, '.longhand/mcp.json'), JSON.stringify({ mcpServers: { a: server } }));
  write(join(place.work, 'config.toml'), '[agent]\nenable_mcp = false\n');
  const { code, stderr } = await run('-t', 'go', '--mcp', join(place.home, '.longhand/mcp.json'));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /--mcp has no effect, because enable_mcp is false/);
  assert.equal(bodies().length, 1);
  assert.equal(existsSync(started), false);
});

/** The `agent_class` of the newest conversation as V0 knows it, and its id. */
async function exported(place: Awaited<ReturnType<typeof scene>>['place']) {
  const { id } = JSON.parse((await place.longhand(['ls', '--json'])).stdout.split('\n')[0] ?? '') as {
    id: string;
  };
  const { stdout } = await place.longhand(['export', id]);
  const system = (JSON.parse(stdout) as { action?: string; args?: { agent_class?: string } }[]).find(
    ({ action }) => action === 'system',
  );
  return { id, stdout, agentClass: system?.args?.agent_class };
}

test('every conversation names its agent on disk, and exports name it by the class of V0', async (t) => {
  const { place, run } = await scene(t);
  write(join(place.work, '.openhands/agents/reviewer.md'), REVIEWER);
  const seen: unknown[] = [];
  for (const args of [[], ['codeact'], ['ReadOnlyAgent'], ['browsing'], ['reviewer']]) {
    await run('-t', 'go', ...args.flatMap((name) => ['--agent', name]));
    const { id, agentClass } = await exported(place);
    const folder = join(place.home, '.longhand/conversations', id.replaceAll('-', ''));
    const { tags } = JSON.parse(readFileSync(join(folder, 'base_state.json'), 'utf8')) as { tags: object };
    const events = readdirSync(join(folder, 'events')).map((name) =>
      readFileSync(join(folder, 'events', name), 'utf8'),
    );
    const [, named] = /"key":"tags","value":\{"agent":"(\w+)"\}/.exec(events.join('\n')) ?? [];
    seen.push([tags, named, agentClass]);
  }
  const told = (agent: string, agentClass: string) => [{ agent }, agent, agentClass];
  assert.deepEqual(seen, [
    told('CodeActAgent', 'CodeActAgent'),
    told('codeact', 'CodeActAgent'),
    told('readonly', 'ReadOnlyAgent'),
    told('browsing', 'BrowsingAgent'),
    told('reviewer', 'reviewer'),
  ]);
});

test('an imported conversation keeps the agent that its file names, and so does a fork', async (t) => {
  const { place, run, bodies } = await scene(t);
  await run('-t', 'go', '--agent', 'readonly');
  const { stdout } = await exported(place);
  write(join(place.work, 'saved.json'), stdout);
  const id = (await place.longhand(['import', 'saved.json'])).stdout.trim();
  assert.equal((await exported(place)).agentClass, 'ReadOnlyAgent');
  const fork = (await place.longhand(['fork', id])).stdout.trim();
  assert.equal((await run('--resume', fork, '-t', 'more')).code, 0);
  assert.deepEqual(toolsOf(bodies().at(-1)), ['grep', 'glob', 'view', 'finish', 'think']);
});

test('agent hub: an unknown name is reported with the nearest one; no model is called and nothing is stored', async (t) => {
  const { run, bodies } = await scene(t);
  const { code, stderr } = await run('--agent', 'codeakt', '-t', 'go');
  assert.equal(code, 2);
  assert.match(stderr, /no agent "codeakt"; did you mean codeact\?/);
  assert.equal(bodies().length, 0);
});

test('an agent with an unknown tool is reported with its file, exit code 2 and without its escape sequences', async (t) => {
  const { place, run, bodies } = await scene(t);
  const file = join(place.work, '.agents/agents/odd.md');
  write(file, '---\ntools: ["grepp"]\n---\nx');
  const { code, stderr } = await run('--agent', 'odd', '-t', 'go');
  assert.equal(code, 2);
  assert.equal(stderr, `longhand: the agent ${file} has an unknown tool "grepp"; did you mean grep?\n`);
  assert.equal(bodies().length, 0);
  write(file, '---\ntools: ["\\e]0;title\\a"]\n---\nx');
  assert.doesNotMatch((await place.longhand(['agents'])).stdout, /\x1b|\x07/);
});

test('longhand agents: lists the built-in ones and those of the folder, as text and as JSON lines', async (t) => {
  const { place } = await scene(t);
  write(join(place.work, '.agents/agents/reviewer.md'), REVIEWER);
  write(join(place.work, '.agents/agents/broken.md'), '---\ntools: {a: 1}\n---\n');
  const text = await place.longhand(['agents']);
  assert.match(text.stdout, /^reviewer +Reads$/m);
  assert.match(text.stdout, /^CodeActAgent +The default/);
  assert.match(text.stdout, /^codeact +/m);
  assert.match(text.stderr, /broken\.md is left out: tools must be a list/);
  const json = await place.longhand(['agents', '--json']);
  const names = json.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { name: string }).name);
  assert.ok(
    ['CodeActAgent', 'reviewer', 'codeact', 'readonly', 'planning', 'gemini', 'gpt'].every((name) =>
      names.includes(name),
    ),
  );
});

test('delegation from the command line: the sub-agent has its own conversation, which longhand show mentions', async (t) => {
  const { place, run } = await scene(t, ({ body }) => {
    const { messages } = body as unknown as Body;
    const said = JSON.stringify(messages);
    if (!said.includes('ask a helper'))
      return { toolCalls: [{ name: 'finish', arguments: { message: 'There are 7.' } }] };
    if (said.includes('There are 7.')) return FINISH;
    const args = { description: 'count', prompt: 'count the files', subagent_type: 'general-purpose' };
    return { toolCalls: [{ name: 'task', arguments: args }] };
  });
  write(join(place.work, '.agents/agents/lead.md'), '---\nname: lead\ntools: [task_tool_set]\n---\nLead.\n');
  const { code, stderr } = await run('--agent', 'lead', '-t', 'ask a helper');
  assert.equal(code, 0, stderr);
  const [line = ''] = (await place.longhand(['ls', '--json'])).stdout.split('\n');
  const { id } = JSON.parse(line) as { id: string };
  const { stdout } = await place.longhand(['show', id]);
  assert.match(stdout, /There are 7\./);
  // The agents that there were then may be gone.
  rmSync(join(place.work, '.agents'), { recursive: true });
  const replayed = await place.longhand(['replay', id, '--strict']);
  assert.equal(replayed.code, 0, replayed.stdout);
});
