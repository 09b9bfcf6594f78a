/** What the model sees: made again from the log, written down as it goes, condensed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  contentText,
  type ModelServer,
  type Reply,
  type Respond,
  startModelServer,
} from '@longhand/sdk/testing';
import { builtinAgents } from '@longhand/tools';
import { makePlace, type Place } from '../test-support/command.ts';

interface Scene {
  readonly place: Place;
  readonly server: ModelServer;
  readonly model: readonly string[];
}

async function scene(t: TestContext, respond: Respond): Promise<Scene> {
  const place = makePlace(t);
  const server = await startModelServer(respond);
  t.after(() => server.close());
  return { place, server, model: ['--model', 'x', '--base-url', `${server.url}/v1`] };
}

const STEPS: readonly Reply[] = [
  {
    text: 'Two at once.',
    reasoning: 'hm',
    toolCalls: [call('terminal', { command: 'echo "ä" \u0007' }), call('terminal', { command: 'pwd' })],
  },
  { toolCalls: [call('terminal', '{"command": "cut'), call('nonsense', {})] },
  {
    text: 'Now the list.',
    toolCalls: [call('task_tracker', { command: 'plan', task_list: [{ title: 'a', status: 'todo' }] })],
  },
  { toolCalls: [call('finish', { message: 'done' })] },
];

function call(name: string, args: object | string) {
  return { name, arguments: args };
}

const inText = (reply: Reply): Reply => {
  const [first] = reply.toolCalls ?? [];
  const args = typeof first?.arguments === 'object' ? first.arguments : { command: 'true' };
  const parameters = Object.entries(args).map(
    ([key, value]) =>
      `<parameter=${key}>${typeof value === 'string' ? value : JSON.stringify(value)}</parameter>\n`,
  );
  return { text: `${reply.text ?? ''}\n\n<function=${first?.name}>\n${parameters.join('')}` };
};

/** In each, every request is found again in the log. */
const WAYS: readonly (readonly [
  name: string,
  env: { [name: string]: string },
  model: string,
  reply: (reply: Reply) => Reply,
  config: string,
])[] = [
  ['native tools', {}, 'x', (reply) => reply, ''],
  ['prompted tools', { LLM_NATIVE_TOOL_CALLING: 'false' }, 'x', inText, ''],
  ['marks for the cache', {}, 'litellm_proxy/claude-sonnet-4-6', (reply) => reply, ''],
  ['content as text', {}, 'deepseek/deepseek-chat', (reply) => reply, ''],
  ['results omitted', {}, 'x', (reply) => reply, '[condenser]\ntype = "discard_all"\n'],
];

for (const [name, env, model, reply, config] of WAYS) {
  test(`show --at N --messages is to the byte what was sent there: ${name}`, async (t) => {
    const { place, server } = await scene(t, (_, index) => reply(STEPS[index] ?? STEPS[3]!));
    writeFileSync(join(place.work, 'c.toml'), config);
    const flags = ['--model', model, '--base-url', `${server.url}/v1`, '--config', 'c.toml'];
    const { code } = await place.longhand(['--quiet', '-t', 'do it', ...flags], { env });
    assert.equal(code, 0);
    const folder = join(place.home, '.longhand/conversations');
    const id = readdirSync(folder)[0] ?? '';
    const timeline = (await place.longhand(['show', id, '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    // The first event of each response; its request consists of the events before it.
    const answers = timeline.flatMap((event, i) =>
      event.kind === 'ActionEvent' &&
      timeline.findIndex((each) => each.llm_response_id === event.llm_response_id) === i
        ? [i]
        : [],
    );
    assert.equal(answers.length, server.requests.length);
    for (const [k, at] of answers.entries()) {
      const { stdout } = await place.longhand(['show', id, '--at', String(at - 1), '--messages', '--json']);
      const sent = server.requests[k]!.text;
      assert.ok(sent.includes(`"messages":[${stdout.trim().split('\n').join(',')}]`), `request ${k + 1}`);
      const forPeople = await place.longhand(['show', id, '--at', String(at - 1), '--messages']);
      const omitted = (text: string) => text.split(/\bomitted\b/).length;
      assert.equal(omitted(forPeople.stdout), omitted(sent), `request ${k + 1} as people read it`);
    }
  });
}

for (const { name } of builtinAgents) {
  test(`show --at N --messages is to the byte what was sent to the agent ${name}, with tools and with their descriptions in the prompt`, async (t) => {
    for (const native of ['true', 'false']) {
      const written = native === 'true' ? (reply: Reply) => reply : inText;
      const { place, server, model } = await scene(t, (_, index) =>
        written({ toolCalls: [call('finish', index === 0 ? {} : { message: 'done' })] }),
      );
      const env = { LLM_NATIVE_TOOL_CALLING: native };
      const { code } = await place.longhand(['--quiet', '-t', 'do it', '--agent', name, ...model], { env });
      assert.equal(code, 0);
      const [id = ''] = readdirSync(join(place.home, '.longhand/conversations'));
      const timeline = (await place.longhand(['show', id, '--json'])).stdout.trim().split('\n');
      const task = timeline.findIndex((line) => line.includes('"do it"'));
      const { stdout } = await place.longhand(['show', id, '--at', String(task), '--messages', '--json']);
      const [request] = server.requests;
      assert.ok(request?.text.includes(`"messages":[${stdout.trim().split('\n').join(',')}]`), native);
      const replayed = await place.longhand(['replay', id, '--strict']);
      assert.equal(replayed.code, 0, replayed.stderr + replayed.stdout);
    }
  });
}

test('--context-snapshots: a numbered file for each request, with role tool, tools, events and the condenser', async (t) => {
  const { place, server, model } = await scene(t, (_, index) => STEPS[index] ?? STEPS[3]!);
  writeFileSync(join(place.work, 'c.toml'), '[condenser]\ntype = "omit_outputs"\nturns = 1\n');
  await place.longhand([
    '--quiet',
    '-t',
    'do it',
    '--context-snapshots',
    'snaps',
    '--config',
    'c.toml',
    ...model,
  ]);
  const files = readdirSync(join(place.work, 'snaps')).toSorted();
  assert.deepEqual(files, ['00001.json', '00002.json', '00003.json', '00004.json']);
  const last = JSON.parse(readFileSync(join(place.work, 'snaps/00004.json'), 'utf8'));
  assert.deepEqual(last.messages, server.requests[3]!.body['messages']);
  assert.deepEqual([last.condenser, last.masked], ['omit_outputs', true]);
  assert.ok(last.tools.includes('terminal') && last.event_ids.length > 4);
  const results = last.messages.filter((message: { role: string }) => message.role === 'tool');
  assert.equal(contentText(results[0].content), 'omitted');

  rmSync(join(place.work, 'snaps/00001.json'));
  await place.longhand(['--quiet', '-t', 'x', '--context-snapshots', 'snaps', ...model]);
  assert.deepEqual(readdirSync(join(place.work, 'snaps')).toSorted(), [...files.slice(1), '00005.json']);

  mkdirSync(join(place.work, '.agents/agents'), { recursive: true });
  writeFileSync(join(place.work, '.agents/agents/calm.md'), '---\ncondenser: discard_all\n---\nBe calm.');
  await place.longhand(['--quiet', '-t', 'x', '--agent', 'calm', '--context-snapshots', 'calm', ...model]);
  const { condenser } = JSON.parse(readFileSync(join(place.work, 'calm/00001.json'), 'utf8'));
  assert.equal(condenser, 'discard_all', 'that of the agent');
});

test('--context-snapshots: a folder that goes away costs the snapshots only', async (t) => {
  const { place, model } = await scene(t, (_, index) =>
    index === 0 ? { toolCalls: [call('terminal', { command: 'rm -r snaps' })] } : STEPS[3]!,
  );
  const flags = ['--quiet', '-t', 'x', '--context-snapshots', 'snaps', ...model];
  const { code, stdout, stderr } = await place.longhand(flags);
  assert.deepEqual([code, stdout], [0, 'done\n']);
  assert.match(stderr, /^warning: a context snapshot cannot be written: ENOENT.*\n$/);
});

test('[condenser] and /condense: the history gets shorter, and the conversation continues', async (t) => {
  const { place, server, model } = await scene(t, ({ body }, index) => {
    if (body['tools'] === undefined) return { text: 'THE SUMMARY' };
    return index < 12
      ? { toolCalls: [call('terminal', { command: `echo ${index}` })] }
      : { toolCalls: [call('finish', { message: 'done' })] };
  });
  writeFileSync(
    join(place.work, 'config.toml'),
    '[condenser]\ntype = "llm"\nmax_size = 12\nkeep_first = 2\n',
  );
  const { code } = await place.longhand(['--quiet', '-t', 'do it', ...model]);
  assert.equal(code, 0);
  const last = server.requests.findLast(({ body }) => body['tools'] !== undefined)!.body['messages'] as {
    content: unknown;
  }[];
  assert.ok(last.some(({ content }) => contentText(content).includes('THE SUMMARY')));
  const condensed = await place.longhand(['--quiet', '--resume', '-t', '/condense']);
  assert.match(condensed.stdout, /^Condensed the history from \d+ to \d+ events\.$/m);
  const again = await place.longhand(['--resume', '-t', '/condense']);
  assert.match(again.stdout, /^(Condensed the history from |There is nothing to condense)/m);
  const id = readdirSync(join(place.home, '.longhand/conversations'))[0] ?? '';
  assert.match((await place.longhand(['show', id, '--calls'])).stdout, /^condenser /m);

  writeFileSync(join(place.work, 'config.toml'), '[condenser]\ntype = "lmm"\n');
  const wrong = await place.longhand(['--quiet', '-t', 'do it', ...model]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /config\.toml: \[condenser\] type must be one of noop, .*not "lmm"/);
  writeFileSync(join(place.work, 'config.toml'), '[condenser]\ntype = "llm"\nmax_size = 5\n');
  const small = await place.longhand(['--quiet', '-t', 'do it', ...model]);
  assert.equal(small.code, 2);
  assert.match(small.stderr, /config\.toml: \[condenser\] .* needs a max_size of at least 12\n$/);
});

test('the files of a project reach the model: instructions, skills by word, prompts; longhand prompt shows from where', async (t) => {
  const { place, server, model } = await scene(t, () => ({
    toolCalls: [call('finish', { message: 'done' })],
  }));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(place.work, path)), { recursive: true });
    writeFileSync(join(place.work, path), content);
  };
  write('AGENTS.md', 'Use tabs.');
  write('.openhands/microagents/db.md', '---\ntriggers:\n- database\n---\nIt is SQLite.');
  write('.longhand/prompts/role.j2', 'You are the {{ family }} one.');
  write('.openhands/skills/broken.md', '---\nname: [\n---\nx');
  const { code, stderr } = await place.longhand(['--quiet', '-t', 'look at the database', ...model]);
  assert.equal(code, 0);
  assert.match(stderr, /^warning: the skill .*broken\.md is skipped: line \d/);
  const [system, user] = (server.requests[0]!.body['messages'] as { content: unknown }[]).map(({ content }) =>
    contentText(content),
  );
  assert.match(system!, /^You are the unknown one\.[\s\S]*Use tabs\.[\s\S]*Date: /);
  assert.match(user!, /^look at the database\n<EXTRA_INFO>[\s\S]*because of "database"[\s\S]*It is SQLite\./);
  const id = readdirSync(join(place.home, '.longhand/conversations'))[0] ?? '';
  const events = (await place.longhand(['show', id, '--json'])).stdout;
  assert.match(events, /"activated_skills":\["db"\]/);

  const shown = await place.longhand(['prompt', '--model', 'x']);
  assert.match(shown.stdout, /── role \(.*\.longhand\/prompts\/role\.j2\)\nYou are the unknown one\./);
  assert.match(shown.stdout, /── git \(built in\)/);
  assert.match(shown.stdout, /Use tabs\./);
  assert.doesNotMatch(shown.stderr, /MCP/);
  const servers = { one: { command: 'no-such-program' }, off: { command: 'x', disabled: true } };
  writeFileSync(join(place.home, '.longhand/mcp.json'), JSON.stringify({ mcpServers: servers }));
  const without = await place.longhand(['prompt', '--model', 'x']);
  assert.match(without.stderr, /the tools of MCP servers are not shown.*: one$/m);
  rmSync(join(place.home, '.longhand/mcp.json'));

  assert.match(shown.stdout, /── rules \(.*\/AGENTS\.md\)\n/);
  // What is sent is what is shown, whatever files and flags say.
  write('config.toml', '[agent]\ndisabled_microagents = ["agents"]\n');
  write('kit/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Reads PDF\n---\nx');
  for (const flags of [[], ['--plugin', 'kit', '--agent', 'code-explorer']]) {
    const { stdout } = await place.longhand(['prompt', '--json', '--model', 'x', ...flags]);
    const { parts, tools } = JSON.parse(stdout) as {
      parts: { section: string; text: string }[];
      tools: { name: string }[];
    };
    await place.longhand(['--quiet', '-t', 'x', ...flags, ...model]);
    const { body } = server.requests.at(-1)!;
    const [sent] = body['messages'] as { content: unknown }[];
    const begin = parts.findIndex(({ section }) => section === 'skills');
    const text = (some: typeof parts) => some.map((part) => part.text).join('\n\n');
    const undated = (words: string) => words.replace(/^Date: .*$/m, '');
    assert.equal(
      undated(contentText(sent!.content)),
      undated(`${text(parts.slice(0, begin))}\n${text(parts.slice(begin))}`),
    );
    assert.deepEqual(
      (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name),
      tools.map(({ name }) => name),
    );
    assert.ok(!stdout.includes('Use tabs.'));
  }
  rmSync(join(place.work, 'config.toml'));

  write('own.j2', 'Only {{ tools[0] }}.');
  await place.longhand(['--quiet', '-t', 'x', '--system-prompt', 'own.j2', ...model]);
  const [own] = server.requests.at(-1)!.body['messages'] as { content: unknown }[];
  assert.match(contentText(own!.content), /^Only terminal\.\n<REPO_CONTEXT>/);
  writeFileSync(join(place.work, 'utf16.j2'), Buffer.from('\ufeffYou are {{ model }}.', 'utf16le'));
  const wide = await place.longhand(['prompt', '--model', 'x', '--system-prompt', 'utf16.j2']);
  assert.match(wide.stdout, /── all \(utf16\.j2\)\nYou are x\.\n/);
  write('bytes.j2', 'a\0b');
  const bytes = await place.longhand(['-t', 'x', '--system-prompt', 'bytes.j2', ...model]);
  assert.match(bytes.stderr, /system prompt: bytes\.j2 cannot be read: it is not text/);
  write('empty.j2', '{# nothing #}\n');
  const empty = await place.longhand(['-t', 'x', '--system-prompt', 'empty.j2', ...model]);
  assert.deepEqual([empty.code, /empty\.j2 gives an empty prompt/.test(empty.stderr)], [2, true]);
  write('bad.j2', 'fine\n{{ oops');
  const bad = await place.longhand(['-t', 'x', '--system-prompt', 'bad.j2', ...model]);
  assert.deepEqual([bad.code, /bad\.j2:2: /.test(bad.stderr)], [2, true]);
});

test('the prompt lists by name what the agent’s programs get: SANDBOX_ENV_ variables and secrets, no keys of models', async (t) => {
  const { place, server, model } = await scene(t, () => STEPS[3]!);
  const env = {
    SANDBOX_ENV_STAGE: 'test-stage-1',
    SANDBOX_ENV_DEPLOY_TOKEN: 'token-value-1',
    GITHUB_TOKEN: 'token-value-2',
    GROQ_API_KEY: 'key-value-1',
    LONGHAND_SOME_TOKEN: 'x',
  };
  const { stdout } = await place.longhand(['prompt', '--model', 'x'], { env });
  await place.longhand(['--quiet', '-t', 'x', ...model], { env });
  const [system] = server.requests[0]!.body['messages'] as { content: unknown }[];
  for (const prompt of [stdout, contentText(system!.content)]) {
    assert.match(prompt, /^Variables that your programs get: STAGE$/m);
    assert.match(prompt, /^Secret variables that your programs get .*: DEPLOY_TOKEN, GITHUB_TOKEN$/m);
    assert.doesNotMatch(prompt, /-value-|test-stage/);
  }
});

test('without native calls every request ends with the reminder of the form, and begins with the request before it', async (t) => {
  const { place, server, model } = await scene(t, (_, index) => inText(STEPS[index] ?? STEPS[3]!));
  await place.longhand(['--quiet', '-t', 'x', ...model], { env: { LLM_NATIVE_TOOL_CALLING: 'false' } });
  const requests = server.requests.map(({ body }) => body['messages'] as readonly { content: unknown }[]);
  assert.ok(requests.length > 2);
  for (const [i, messages] of requests.entries()) {
    assert.match(contentText(messages.at(-1)!.content), /Reminder: to call a function[^\n]*<\/function>\.$/);
    assert.deepEqual(messages.slice(0, requests[i - 1]?.length ?? 0), requests[i - 1] ?? []);
  }
});

test('the model is told how many turns are left, however few there are', async (t) => {
  const { place, server, model } = await scene(t, (_, index) => ({
    toolCalls: [call('terminal', { command: `echo ${index}` })],
  }));
  assert.equal((await place.longhand(['--quiet', '-t', 'x', '-i', '3', ...model])).code, 4);
  const ends = server.requests.map(({ body }) => {
    const messages = body['messages'] as readonly { role: string; content: unknown }[];
    return contentText(messages.at(-1)!.content).split('\n').at(-1)?.split('.')[0];
  });
  assert.deepEqual(ends, ['You have 3 turns left', 'You have 2 turns left', 'This is your last turn']);
});

test('system_prompt_filename names a template of the user, and not from a config file that was not named', async (t) => {
  const { place } = await scene(t, () => STEPS[3]!);
  const home = join(place.home, '.longhand');
  mkdirSync(join(home, 'prompts'), { recursive: true });
  writeFileSync(join(home, 'prompts/mine.j2'), 'Only {{ tools[0] }}.');
  const shown = async (file: string, name: string) => {
    writeFileSync(file, `[agent]\nsystem_prompt_filename = "${name}"\n`);
    const result = await place.longhand(['prompt', '--model', 'x']);
    rmSync(file);
    return result;
  };
  const own = join(home, 'config.toml');
  assert.match((await shown(own, 'mine.j2')).stdout, /^── all \(.*mine\.j2\)\nOnly terminal\.\n/);
  assert.match((await shown(own, 'system_prompt.j2')).stdout, /^── role \(built in\)\n/);
  const missing = await shown(own, 'none.j2');
  assert.deepEqual([missing.code, /there is no file .*prompts\/none\.j2/.test(missing.stderr)], [2, true]);
  const foreign = await shown(join(place.work, 'config.toml'), 'mine.j2');
  assert.match(foreign.stdout, /^── role \(built in\)\n/);
  assert.match(foreign.stderr, /system_prompt_filename is not taken from a file that was not named/);
});

test('max_message_chars: the model is shown the start and the end of a longer result, the same in show; the log has it all', async (t) => {
  const { place, server, model } = await scene(t, (_, index) =>
    index === 0
      ? { toolCalls: [call('terminal', { command: 'seq 1 500' })] }
      : { toolCalls: [call('finish', { message: 'done' })] },
  );
  const env = { LLM_MAX_MESSAGE_CHARS: '200' };
  await place.longhand(['--quiet', '-t', 'x', ...model], { env });
  const sent = server.requests.at(-1)!.body['messages'] as { role: string; content: unknown }[];
  const result = contentText(sent.at(-1)!.content);
  assert.equal(result.length, 200);
  assert.match(result, /^1\n2\n[\s\S]*\n<response clipped>\n/);
  const { stdout } = await place.longhand(['ls', '--json']);
  const { id } = JSON.parse(stdout.split('\n')[0]!) as { id: string };
  const at = (await place.longhand(['show', id, '--messages', '--json'])).stdout;
  assert.ok(at.includes(JSON.stringify(result).slice(1, -1)), at);
  assert.match((await place.longhand(['show', id, '--json'])).stdout, /\\n250\\n251\\n/);
});

test('--hooks: a refusal reaches the model; a project’s own hooks are not run unasked', async (t) => {
  const { place, server, model } = await scene(t, (_, index) =>
    index === 0
      ? { toolCalls: [call('terminal', { command: 'touch made' })] }
      : { toolCalls: [call('finish', { message: 'done' })] },
  );
  const hooks = {
    pre_tool_use: [{ matcher: 'terminal', hooks: [{ command: 'echo "not here" >&2; exit 2' }] }],
  };
  mkdirSync(join(place.work, '.openhands'));
  writeFileSync(join(place.work, '.openhands/hooks.json'), JSON.stringify(hooks));
  const unasked = await place.longhand(['--quiet', '-t', 'x', ...model]);
  assert.match(
    unasked.stderr,
    /the hooks of this folder are not run: --hooks \.openhands\/hooks\.json runs them/,
  );
  assert.ok(readdirSync(place.work).includes('made'));
  rmSync(join(place.work, 'made'));

  const before = server.requests.length;
  assert.equal(before, 2);
  const again = await startModelServer((_, index) =>
    index === 0
      ? { toolCalls: [call('terminal', { command: 'touch made' })] }
      : { toolCalls: [call('finish', { message: 'done' })] },
  );
  t.after(() => again.close());
  const flags = ['--model', 'x', '--base-url', `${again.url}/v1`, '--hooks', '.openhands/hooks.json'];
  const { code } = await place.longhand(['--quiet', '-t', 'x', ...flags]);
  assert.equal(code, 0);
  assert.ok(!readdirSync(place.work).includes('made'));
  const result = (again.requests[1]!.body['messages'] as { role: string; content: unknown }[]).find(
    ({ role }) => role === 'tool',
  );
  assert.equal(contentText(result?.content), 'Action rejected: not here');

  const strict = { user_prompt_submit: [{ hooks: [{ command: 'echo "not now" >&2; exit 2' }] }] };
  writeFileSync(join(place.work, 'strict.json'), JSON.stringify(strict));
  const refused = await place.longhand(['--json', '-t', 'x', ...model, '--hooks', 'strict.json']);
  const lines = refused.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    [refused.code, lines.at(-1).type, lines.at(-1).exit_code, lines.at(-1).code],
    [1, 'outcome', 1, 'MessageRefused'],
  );
  assert.match(refused.stderr, /a hook refused the message: not now/);
  writeFileSync(join(place.work, 'bad.json'), '{"pre_tool_use": [{}]}');
  const bad = await place.longhand(['-t', 'x', ...model, '--hooks', 'bad.json']);
  assert.deepEqual(
    [bad.code, /bad\.json cannot be used: pre_tool_use\[0\]\.hooks must be a list/.test(bad.stderr)],
    [2, true],
  );
});

test('--plugin: skills, commands and hooks from a folder, or from git at one commit', async (t) => {
  const { place, server, model } = await scene(t, (_, index) =>
    index % 2 === 0
      ? { toolCalls: [call('terminal', { command: 'touch made' })] }
      : { toolCalls: [call('finish', { message: 'done' })] },
  );
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), content);
  };
  write('kit/.claude-plugin/plugin.json', '{"name": "kit", "version": "2.0.0"}');
  write('kit/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Reads PDF\n---\nx');
  write('kit/skills/Own Name/SKILL.md', '---\nname: Its Own\ndescription: Has a name of its own\n---\nx');
  write('one/SKILL.md', '---\nname: alone\ndescription: All that it brings\n---\nALONE');
  write('kit/commands/tidy.md', '---\ndescription: Tidies up\n---\nTIDY EVERYTHING');
  write(
    'kit/hooks/hooks.json',
    '{"pre_tool_use": [{"matcher": "terminal", "hooks": [{"command": "sh ${CLAUDE_PLUGIN_ROOT}/refuse.sh"}]}]}',
  );
  write('kit/refuse.sh', 'exit 2');
  const messages = () =>
    (server.requests.at(-1)!.body['messages'] as { content: unknown }[]).map(({ content }) =>
      contentText(content),
    );

  const { code } = await place.longhand([
    '--quiet',
    '-t',
    'now /kit:tidy',
    '--plugin',
    join(place.home, 'kit'),
    '--plugin',
    join(place.home, 'one'),
    ...model,
  ]);
  assert.equal(code, 0);
  assert.match(messages()[0]!, /- Its Own: Has a name of its own .*\n- pdf: Reads PDF .*\n/);
  assert.match(messages()[0]!, /- alone: All that it brings /);
  assert.ok(!messages()[0]!.includes('ALONE'), 'it is read when it is needed');
  assert.match(messages()[1]!, /because of "\/kit:tidy"[\s\S]*TIDY EVERYTHING/);
  assert.ok(!readdirSync(place.work).includes('made'), 'its hook refused');

  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', join(place.home, 'kit'), '-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args],
      { encoding: 'utf8' },
    );
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'kit');
  const commit = git('rev-parse', 'HEAD').trim();
  const address = `file://${join(place.home, 'kit')}`;
  const unpinned = await place.longhand(['-t', 'x', '--plugin', address, ...model]);
  assert.equal(unpinned.code, 2);
  assert.match(unpinned.stderr, new RegExp(`needs a commit after a #.*; today it is ${commit}`));
  // Two at once, in surroundings that speak of another repository, as those of a hook of git do.
  const other = join(place.home, 'other');
  execFileSync('git', ['init', '--quiet', other]);
  const env = { GIT_DIR: join(other, '.git') };
  const pinned = ['--quiet', '-t', 'x', '--plugin', `${address}#${commit}`, ...model];
  const both = await Promise.all([place.longhand(pinned, { env }), place.longhand(pinned, { env })]);
  assert.deepEqual(
    both.map((each) => [each.code, each.stderr]),
    [
      [0, ''],
      [0, ''],
    ],
  );
  assert.deepEqual(readdirSync(join(other, '.git', 'objects')).sort(), ['info', 'pack']);
  assert.match(messages()[0]!, /- pdf: Reads PDF .*\.longhand\/plugins\//);
  rmSync(join(place.home, 'kit'), { recursive: true });
  const cached = await place.longhand(['--quiet', '-t', 'x', '--plugin', `${address}#${commit}`, ...model]);
  assert.equal(cached.code, 0);
  const gone = await place.longhand(['-t', 'x', '--plugin', 'nowhere', ...model]);
  assert.deepEqual([gone.code, /there is no such folder/.test(gone.stderr)], [2, true]);
  write('one/hooks/hooks.json', '{"pre_tool": []}');
  const wrong = await place.longhand(['-t', 'x', '--plugin', join(place.home, 'one'), ...model]);
  assert.deepEqual(
    [wrong.code, /one\/hooks\/hooks\.json: "pre_tool" is not an event/.test(wrong.stderr)],
    [2, true],
  );
});
