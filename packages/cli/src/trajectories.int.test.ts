import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TrajectoryStats, V0Event } from '@longhand/sdk/internal';
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
const conversations = ({ home }: Place) =>
  readdirSync(join(home, '.longhand', 'conversations')).filter((name) => !name.startsWith('.'));

/** A run that is over: a file written and looked at. */
async function finished(t: TestContext) {
  const made = await scene(
    t,
    { text: 'I write it.', ...sh('echo hello > greeting.txt') },
    sh('cat greeting.txt; (exit 3)'),
    finish('The greeting is written.'),
  );
  await made.place.longhand(['--quiet', '-t', 'write a greeting', ...made.model]);
  const [id = ''] = conversations(made.place);
  return { ...made, id };
}

test('export: a V0 trajectory is a JSON array of actions and observations, as save_trajectory_path writes it', async (t) => {
  const { place, id } = await finished(t);
  const { code, stdout, stderr } = await place.longhand(['export', id, '--format', 'v0']);
  assert.deepEqual([code, stderr], [0, '']);
  const events = JSON.parse(stdout) as V0Event[];
  assert.deepEqual(
    events.map(({ source, action, observation, cause }) => [source, action ?? observation, cause]),
    [
      ['agent', 'system', undefined],
      ['user', 'message', undefined],
      ['user', 'recall', undefined],
      ['environment', 'recall', 2],
      ['agent', 'run', undefined],
      ['agent', 'run', 4],
      ['agent', 'run', undefined],
      ['agent', 'run', 6],
      ['agent', 'finish', undefined],
    ],
  );
  const [system, task, , recalled, action, observation] = events;
  assert.deepEqual(
    [task?.args?.['content'], action?.args?.['command'], action?.args?.['thought']],
    ['write a greeting', 'echo hello > greeting.txt', 'I write it.'],
  );
  assert.match(String(system?.args?.['openhands_version']), /^Longhand \d/);
  assert.match(String(recalled?.extras?.['additional_agent_instructions']), /Working folder: /);
  assert.deepEqual(observation?.tool_call_metadata, action?.tool_call_metadata);
  assert.equal(action?.tool_call_metadata?.function_name, 'terminal');
  assert.match(JSON.stringify(observation?.extras?.['metadata']), /^\{"exit_code":0,/);
  assert.equal(observation?.success, true);
});

test('export and import: V0 keeps reasoning, the trigger of a skill and what was recalled, byte for byte', async (t) => {
  const { place, model } = await scene(
    t,
    { text: 'I look.', reasoning: 'REASON-CALL', ...sh('ls') },
    { text: 'Nothing is there.', reasoning: 'REASON-PLAIN' },
  );
  mkdirSync(join(place.work, '.openhands', 'microagents'), { recursive: true });
  writeFileSync(
    join(place.work, '.openhands', 'microagents', 'greet.md'),
    '---\nname: greeting\ntriggers: [hello]\n---\nBe polite.\n',
  );
  await place.longhand(['--quiet', '-t', 'say hello', ...model]);
  const [id = ''] = conversations(place);
  const file = join(place.work, 'out.json');
  await place.longhand(['export', id, '--out', file]);
  const imported = (await place.longhand(['import', file])).stdout.trim();
  const first = readFileSync(file, 'utf8');
  assert.equal((await place.longhand(['export', imported])).stdout, first);
  const events = JSON.parse(first) as V0Event[];
  const [action, answer] = [
    events.find((event) => event.action === 'run'),
    events.findLast((event) => event.action === 'message'),
  ];
  assert.equal(action?.args?.['thought'], 'REASON-CALL\nI look.');
  assert.equal(answer?.args?.['reasoning'], 'REASON-PLAIN');
  const recalled = events.find((event) => event.observation === 'recall')?.extras?.['microagent_knowledge'];
  const [skill] = recalled as { name: string; trigger: string }[];
  assert.deepEqual([skill?.name, skill?.trigger], ['greeting', 'hello']);
});

test('export: --out - writes to standard output, and no file called -', async (t) => {
  const { place, id } = await finished(t);
  const plain = await place.longhand(['export', id, '--format', 'jsonl']);
  for (const flags of [['-o', '-'], ['--out', '-'], ['--out=-']])
    assert.deepEqual(await place.longhand(['export', id, '--format', 'jsonl', ...flags]), plain);
  assert.equal(existsSync(join(place.work, '-')), false);
  const folder = await place.longhand(['export', id, '--format', 'events', '-o', '-']);
  assert.equal(folder.code, 2);
  assert.match(folder.stderr, /--format events writes a folder: name it with --out DIR/);
});

for (const format of ['v0', 'events', 'openai', 'jsonl']) {
  test(`export and import: ${format} there and back is a conversation that show, fork and resume read`, async (t) => {
    const { place, server, model, id } = await finished(t);
    const file = join(place.work, 'out', format);
    assert.deepEqual(await place.longhand(['export', id, '--format', format, '--out', file]), {
      code: 0,
      stdout: '',
      stderr: `wrote ${file}\n`,
    });
    const { code, stdout } = await place.longhand(['import', file]);
    const imported = stdout.trim();
    assert.deepEqual([code, /^[0-9a-f]{32}$/.test(imported), conversations(place).length], [0, true, 2]);

    const shown = await place.longhand(['show', imported]);
    assert.match(shown.stdout, /finished · /);
    assert.match(shown.stdout, /echo hello > greeting.txt/);
    assert.match(shown.stdout, /The greeting is written\./);
    // A V0 trajectory has the model's own spacing of arguments.
    const told = async (which: string) =>
      (await place.longhand(['export', which, '--format', 'openai'])).stdout.replaceAll(
        '\\": \\"',
        '\\":\\"',
      );
    if (format !== 'openai') assert.equal(await told(imported), await told(id));

    const forked = (await place.longhand(['fork', imported, '--at', '2'])).stdout.trim();
    assert.match(forked, /^[0-9a-f]{32}$/);

    const before = server.requests.length;
    const resumed = await place.longhand(['--quiet', '--resume', imported, '-t', 'and now?', ...model]);
    assert.deepEqual([resumed.code, resumed.stderr], [0, '']);
    const messages = server.requests[before]?.body['messages'] as { role: string; content: unknown }[];
    assert.deepEqual(
      messages.map(({ role }) => role).join(' '),
      'system user assistant tool assistant tool assistant tool user',
    );
    assert.equal(contentText(messages[1]?.content), 'write a greeting');
    assert.match(contentText(messages[3]?.content), /Exit code: 0|exit/i);
  });
}

test('import: neither the address nor the MCP servers that a foreign folder names are used when it is resumed or forked', async (t) => {
  const { place, server, id } = await finished(t);
  const folder = join(place.work, 'foreign');
  await place.longhand(['export', id, '--format', 'events', '--out', folder]);
  const file = join(folder, 'base_state.json');
  const state = JSON.parse(readFileSync(file, 'utf8')) as { agent: { llm: object; mcp_config: object } };
  const mark = join(place.work, 'started');
  state.agent.llm = { ...state.agent.llm, model: 'openai/theirs', base_url: 'http://127.0.0.1:9/v1' };
  state.agent.mcp_config = { theirs: { command: 'touch', args: [mark] } };
  writeFileSync(file, JSON.stringify(state));
  const imported = (await place.longhand(['import', folder])).stdout.trim();
  const forked = (await place.longhand(['fork', imported])).stdout.trim();
  const env = { LLM_MODEL: 'openai/mine', LLM_BASE_URL: `${server.url}/v1` };
  for (const each of [imported, forked]) {
    const { code, stderr } = await place.longhand(['--quiet', '--resume', each, '-t', 'and now?'], { env });
    assert.deepEqual([code, stderr, server.requests.at(-1)?.body['model']], [0, '', 'mine']);
  }
  assert.equal(existsSync(mark), false);
  // From then on it belongs to the user and is resumed like any other.
  const again = await place.longhand(['--quiet', '--resume', imported, '-t', 'more'], {
    env: { LLM_MODEL: 'openai/other' },
  });
  assert.deepEqual([again.code, server.requests.at(-1)?.body['model']], [0, 'mine']);
});

test('export: the roles of OpenAI chat messages are user, agent, assistant with tool_calls, and tool', async (t) => {
  const { place, model } = await scene(t, sh('true'), { text: 'All done.' });
  await place.longhand(['--quiet', '-t', 'x', ...model]);
  const [id = ''] = conversations(place);
  const roles = async (...flags: string[]) => {
    const { stdout } = await place.longhand(['export', id, '--format', 'openai', ...flags]);
    return (JSON.parse(stdout) as { role: string }[]).map(({ role }) => role).join(' ');
  };
  assert.equal(await roles(), 'system user assistant tool agent');
  assert.equal(await roles('--agent-role', 'assistant'), 'system user assistant tool assistant');
});

test('export: an HTML report is one self-contained file, and a folder of events is not written over', async (t) => {
  const { place, id } = await finished(t);
  const page = join(place.work, 'report.html');
  assert.equal((await place.longhand(['export', id, '--format', 'html', '-o', page])).code, 0);
  const html = readFileSync(page, 'utf8');
  assert.match(html, /<h1>write a greeting<\/h1>/);
  assert.match(html, /<pre class="command">echo hello &gt; greeting\.txt<\/pre>/);
  assert.match(html, /exit 3/);
  mkdirSync(join(place.work, 'full'));
  writeFileSync(join(place.work, 'full', 'mine'), '');
  const refused = await place.longhand(['export', id, '--format', 'events', '--out', 'full']);
  assert.deepEqual(
    [refused.code, refused.stderr],
    [2, 'longhand: --out: full exists already and is not empty\n'],
  );
  assert.deepEqual(readdirSync(join(place.work, 'full')), ['mine']);
});

test('export: secrets of the environment are hidden', async (t) => {
  const { place, model } = await scene(t, sh('echo s3cret-value-1'), finish('done'));
  await place.longhand(['--quiet', '-t', 'x', ...model]);
  const [id = ''] = conversations(place);
  for (const format of ['v0', 'openai', 'jsonl', 'html']) {
    const { stdout } = await place.longhand(['export', id, '--format', format], {
      env: { MY_TOKEN: 's3cret-value-1' },
    });
    assert.equal(stdout.includes('s3cret-value-1'), false, format);
    assert.match(stdout, /secret-hidden/);
  }
});

test('stats: interaction_turns, tool_calls, errors, condensations, time and cost of each step, as table, JSON and picture', async (t) => {
  const { place, model } = await scene(
    t,
    { ...sh('sleep 0.2'), usage: { input: 100, output: 10 } },
    call('no_such_tool', {}),
    finish('done'),
  );
  await place.longhand(['--quiet', '-t', 'x', ...model]);
  const [id = ''] = conversations(place);
  const { code, stdout } = await place.longhand(['stats', id, '--json']);
  const stats = JSON.parse(stdout) as TrajectoryStats;
  assert.equal(code, 0);
  assert.deepEqual(
    [stats.interaction_turns, stats.tool_calls, stats.errors, stats.condensations, stats.model_calls],
    [1, 3, 1, 0, 3],
  );
  assert.deepEqual(stats.tools, { terminal: 1, no_such_tool: 1, finish: 1 });
  assert.deepEqual(
    stats.steps.map(({ step, tools, errors }) => [step, tools, errors]),
    [
      [1, ['terminal'], 0],
      [2, ['no_such_tool'], 1],
      [3, ['finish'], 0],
    ],
  );
  assert.deepEqual([stats.steps[0]?.prompt_tokens, stats.steps[0]?.completion_tokens], [100, 10]);
  assert.ok(stats.steps.every((step) => step.model_seconds !== null && step.model_seconds > 0));
  assert.ok((stats.steps[0]?.tool_seconds ?? 0) >= 0.2);

  const table = (await place.longhand(['stats', id])).stdout;
  assert.match(table, /^turns {9}1\ntool calls {4}3\nerrors {8}1\nfailed calls {2}1\ncondensations 0\n/);
  assert.match(table, /\nSTEP +EVENT +MODEL +TOOLS +IN +CACHED +OUT +COST +ERRORS +CALLS\n/);
  const picture = join(place.work, 'stats.svg');
  assert.deepEqual(await place.longhand(['stats', id, '--svg', picture]), {
    code: 0,
    stdout: '',
    stderr: '',
  });
  assert.match(readFileSync(picture, 'utf8'), /^<svg [\s\S]*step 2: no_such_tool[\s\S]*<\/svg>\n$/);
});

test('import: what is malformed is refused with file, line and element, exit code 2, and leaves nothing', async (t) => {
  const place = makePlace(t);
  const refusals: readonly [content: string | Uint8Array, format: string[], said: RegExp][] = [
    [
      Buffer.from('[\n {"role": "user", "content": "caf\xe9"}\n]', 'latin1'),
      [],
      /: line 2: it is not UTF-8 text/,
    ],
    [
      '[\n {"action": "message", "args": {"content": "x"}},\n {"id": 1}\n]',
      [],
      /: line 3: element 1: it has neither/,
    ],
    ['[{"role": "user", "content": "x"},\n{"role": "robot"}]', [], /: line 2: message 1: the role must be/],
    [
      '{"kind": "PauseEvent", "id": "a1a1a1a1", "timestamp": "x", "source": "user"}\nnonsense\n',
      [],
      /: line 2: expected an event as a JSON object/,
    ],
    ['{"a": ', [], /: line 1: not valid JSON/],
    ['{"a": 1}', [], /: unknown format/],
    ['[]', ['--format', 'v0'], /: line 1: expected a list of actions and observations/],
    ['[]', ['--format', 'events'], /: expected a folder of events, but it is a file/],
    ['[]', ['--format', 'yaml'], /--format must be one of v0, events, openai, jsonl, not "yaml"/],
  ];
  for (const [content, format, said] of refusals) {
    writeFileSync(join(place.work, 'bad.json'), content);
    const { code, stdout, stderr } = await place.longhand(['import', 'bad.json', ...format]);
    assert.deepEqual([code, stdout], [2, ''], String(content));
    assert.match(stderr, said);
    assert.match(stderr, /^longhand: [^\n]*\n$/, 'one line');
  }
  const missing = await place.longhand(['import', 'missing.json']);
  assert.deepEqual(
    [missing.code, missing.stderr],
    [2, 'longhand: missing.json cannot be read: there is no such file\n'],
  );
  const empty = await place.longhand(['import', '.']);
  assert.match(empty.stderr, /there are no event files such as/);
  assert.equal(existsSync(join(place.home, '.longhand', 'conversations')), false);
});

test('export: an unknown format, an unknown conversation and a path that cannot be written are reported with exit code 2', async (t) => {
  const { place, id } = await finished(t);
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.longhand(args);
    assert.deepEqual([code, stdout], [2, '']);
    return stderr;
  };
  assert.match(
    await said('export', id, '--format', 'pdf'),
    /--format must be one of v0, events, openai, jsonl, html, not "pdf"/,
  );
  assert.match(await said('export', 'ffff'), /there is no conversation "ffff"/);
  assert.match(await said('export', id, '--out', '.'), /cannot be written: it is a folder/);
  assert.match(await said('export', id, '--format', 'events'), /name it with --out DIR/);
  assert.match(await said('stats', 'ffff'), /there is no conversation/);
});

test("the provider's whole response is kept, with arguments that are not JSON, and exported as V0's model_response", async (t) => {
  const broken = '{"command": "echo secret-in-answer';
  const { place, model } = await scene(
    t,
    { toolCalls: [{ name: 'terminal', arguments: broken }] },
    finish('done'),
  );
  const env = { LLM_API_KEY: 'secret-in-answer' };
  assert.equal((await place.longhand(['--quiet', '-t', 'go', ...model], { env })).code, 0);
  const [id = ''] = conversations(place);
  const kept = readFileSync(join(place.home, '.longhand', 'conversations', id, 'responses.jsonl'), 'utf8');
  assert.equal(kept.includes('secret-in-answer'), false);
  const masked = broken.replace('secret-in-answer', '<secret-hidden>');
  const responsesOf = (exported: string) =>
    (JSON.parse(exported) as V0Event[]).flatMap(({ action, tool_call_metadata: metadata }) =>
      action === undefined || metadata === undefined ? [] : [metadata.model_response],
    );
  const file = join(place.home, 'trajectory.json');
  await place.longhand(['export', id, '--out', file]);
  const written = readFileSync(file, 'utf8');
  const [first, second] = responsesOf(written);
  assert.deepEqual(first, JSON.parse(kept.split('\n')[0] ?? '').response);
  assert.ok(JSON.stringify(first).includes(JSON.stringify(masked)));
  assert.deepEqual([first?.['created'], second?.['created']], [1, 1]);

  const imported = (await place.longhand(['import', file])).stdout.trim();
  assert.equal((await place.longhand(['export', imported])).stdout, written);
  const messages = (await place.longhand(['show', imported, '--messages', '--json'])).stdout;
  assert.equal(messages.includes(masked), false, 'a model is not sent arguments that it cannot read');

  const forked = (await place.longhand(['fork', id])).stdout.trim();
  assert.deepEqual(responsesOf((await place.longhand(['export', forked])).stdout), responsesOf(written));
});
