import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contentText, type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

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
const conversations = ({ home }: Place) => readdirSync(join(home, '.longhand', 'conversations'));

const said = (source: 'user' | 'agent', content: string) => ({
  source,
  action: 'message',
  args: { content, wait_for_response: false },
});
let ids = 100;
/** A command as V0 records it, with what came of it. */
const ran = (command: string, exitCode: number, output = '') => {
  ids += 2;
  return [
    { id: ids, source: 'agent', action: 'run', args: { command, thought: '' }, timeout: 120 },
    {
      id: ids + 1,
      source: 'agent',
      observation: 'run',
      cause: ids,
      content: output,
      extras: { command, metadata: { exit_code: exitCode } },
    },
  ];
};
const write = ({ work }: Place, name: string, elements: readonly unknown[]) =>
  writeFileSync(join(work, name), JSON.stringify(elements, null, 4));
const rolesOf = (server: ModelServer, request: number) =>
  (server.requests[request]?.body['messages'] as { role: string; content: unknown }[]) ?? [];

const THRICE = [1, 2, 3].flatMap(() => [call('terminal', { command: 'echo hi' }), finish('done')]);

test('save_trajectory_path: --save-trajectory writes a file, or into a folder under the id; a bare file name works', async (t) => {
  const { place, model } = await scene(t, ...THRICE);
  mkdirSync(join(place.work, 'all'));
  const paths = ['bare.json', 'new/folder/x.json', 'all'];
  for (const path of paths) {
    const { code, stderr } = await place.longhand([
      '--quiet',
      '-t',
      'x',
      '--save-trajectory',
      path,
      ...model,
    ]);
    assert.deepEqual([code, stderr], [0, '']);
  }
  const [file = '', ...more] = readdirSync(join(place.work, 'all'));
  assert.equal(more.length, 0);
  assert.equal(conversations(place).includes(file.replace(/\.json$/, '')), true);
  for (const path of ['bare.json', 'new/folder/x.json', `all/${file}`]) {
    const source = readFileSync(join(place.work, path), 'utf8');
    assert.match(source, /^\[\n {4}\{\n {8}"id": 0,/, 'indented by four');
    assert.deepEqual(
      (JSON.parse(source) as { action?: string; observation?: string }[]).map(
        (each) => each.action ?? each.observation,
      ),
      ['system', 'message', 'recall', 'recall', 'run', 'run', 'finish'],
    );
  }
  const refused = await place.longhand(['--quiet', '-t', 'x', '--save-trajectory', 'bare.json/x', ...model]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^longhand: the trajectory cannot be saved in /);
});

test('replay_trajectory_path: the actions of the trajectory are repeated, then the agent continues', async (t) => {
  const { place, server, model } = await scene(t, finish('I went on.'));
  write(place, 'trajectory.json', [
    { action: 'system', source: 'agent', args: { content: 'an old prompt' } },
    said('user', 'make two files'),
    { source: 'user', action: 'recall', args: { query: 'x' } },
    { source: 'environment', observation: 'agent_state_changed', content: '', extras: {} },
    ...ran('echo one > one.txt', 0),
    ...ran('echo two > two.txt; (exit 4)', 4),
  ]);
  const { code, stdout, stderr } = await place.longhand([
    '--quiet',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.deepEqual([code, stdout, stderr], [0, 'I went on.\n', '']);
  assert.equal(readFileSync(join(place.work, 'one.txt'), 'utf8'), 'one\n');
  assert.equal(readFileSync(join(place.work, 'two.txt'), 'utf8'), 'two\n');
  const messages = rolesOf(server, 0);
  assert.equal(server.requests.length, 1, 'the model was asked once, for what came after');
  assert.equal(messages.map(({ role }) => role).join(' '), 'system user assistant tool assistant tool');
  assert.equal(contentText(messages[1]?.content), 'make two files');
  assert.notEqual(contentText(messages[0]?.content), 'an old prompt');
  assert.match(contentText(messages[5]?.content), /exit code 4|Exit code: 4|\(4\)/i);
});

/** An action as V0 wrote it in January 2025, with the answer of the model that it came of. */
const recorded = (id: number, action: string, args: object, name: string, written: object, said: string) => ({
  id,
  timestamp: `2025-01-27T22:45:${id}.764487`,
  source: 'agent',
  message: '',
  action,
  tool_call_metadata: {
    function_name: name,
    tool_call_id: `toolu_${id}`,
    model_response: {
      id: `chatcmpl-${id}`,
      model: 'claude-3-5-sonnet-20241022',
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: said,
            role: 'assistant',
            tool_calls: [
              {
                index: 1,
                function: { arguments: JSON.stringify(written), name },
                id: `toolu_${id}`,
                type: 'function',
              },
            ],
          },
        },
      ],
      usage: { completion_tokens: 95, prompt_tokens: 3475, prompt_tokens_details: { cached_tokens: 3000 } },
    },
    total_calls_in_response: 1,
  },
  args,
  timeout: 120,
});

test('a trajectory of an older V0 is replayed: its editor, its shell, its finish without a message', async (t) => {
  const { place, server, model } = await scene(t, finish('never'));
  const path = join(place.work, 'game.py');
  write(place, 'trajectory.json', [
    {
      id: 0,
      source: 'environment',
      observation: 'agent_state_changed',
      content: '',
      extras: { agent_state: 'loading' },
    },
    {
      id: 1,
      source: 'environment',
      action: 'change_agent_state',
      args: { agent_state: 'init', thought: '' },
    },
    { id: 2, source: 'environment', cause: 1, observation: 'null', content: '', extras: {} },
    { ...said('user', 'make a game'), id: 3 },
    recorded(
      10,
      'edit',
      {
        path,
        content: '',
        start: 1,
        end: -1,
        thought: 'A file.',
        impl_source: 'oh_aci',
        translated_ipython_code: 'print(...)',
      },
      'str_replace_editor',
      { command: 'create', path, file_text: 'print(2048)\n' },
      'A file.',
    ),
    {
      id: 11,
      source: 'agent',
      cause: 10,
      observation: 'edit',
      content: 'made',
      extras: { path, prev_exist: false, impl_source: 'oh_aci' },
    },
    recorded(
      20,
      'run',
      { command: 'mv game.py 2048.py', is_input: false, thought: '', blocking: false },
      'execute_bash',
      { command: 'mv game.py 2048.py', is_input: 'false' },
      '',
    ),
    {
      id: 21,
      source: 'agent',
      cause: 20,
      observation: 'run',
      content: '',
      extras: { command: 'mv game.py 2048.py', exit_code: 0 },
    },
    recorded(30, 'finish', { outputs: {}, thought: 'It is made.' }, 'finish', {}, 'It is made.'),
  ]);
  const replayed = await place.longhand(['--quiet', '--replay-trajectory', 'trajectory.json', ...model]);
  assert.deepEqual(replayed, { code: 0, stdout: 'It is made.\n', stderr: '' });
  assert.equal(readFileSync(join(place.work, '2048.py'), 'utf8'), 'print(2048)\n');
  assert.equal(server.requests.length, 0);
  const imported = await place.longhand(['import', 'trajectory.json']);
  const { tool_calls, errors, prompt_tokens } = JSON.parse(
    (await place.longhand(['stats', imported.stdout.trim(), '--json'])).stdout,
  );
  assert.deepEqual(
    { tool_calls, errors, prompt_tokens },
    { tool_calls: 3, errors: 0, prompt_tokens: 3 * 3475 },
  );
});

test('replaying a saved trajectory ends with the same outcome and calls no model', async (t) => {
  const { place, server, model } = await scene(
    t,
    { text: 'I write it.', ...call('terminal', { command: 'echo hello > greeting.txt' }) },
    {
      toolCalls: [
        { name: 'terminal', arguments: { command: 'cat greeting.txt' } },
        { name: 'no_such_tool', arguments: {} },
      ],
    },
    finish('Written.'),
  );
  await place.longhand(['--quiet', '-t', 'greet', '--save-trajectory', '../first.json', ...model]);
  const before = server.requests.length;
  mkdirSync(join(place.work, 'again'));
  const args = [
    '--quiet',
    '-d',
    'again',
    '--replay-trajectory',
    '../first.json',
    '--save-trajectory',
    '../second.json',
  ];
  assert.deepEqual(await place.longhand([...args, ...model]), { code: 0, stdout: 'Written.\n', stderr: '' });
  assert.equal(server.requests.length, before);
  assert.equal(readFileSync(join(place.work, 'again', 'greeting.txt'), 'utf8'), 'hello\n');
  const essence = (name: string) =>
    (JSON.parse(readFileSync(join(place.work, '..', name), 'utf8')) as { [key: string]: unknown }[])
      .slice(1)
      .map(({ source, action, observation, args: given, content }) => ({
        source,
        action,
        observation,
        given,
        content,
      }));
  assert.deepEqual(essence('second.json'), essence('first.json'));
});

test('replay: the messages that the user sent in between are sent again at the same positions', async (t) => {
  const { place, server, model } = await scene(t, { text: 'And that is all.' });
  write(place, 'trajectory.json', [
    said('user', 'one'),
    ...ran('echo 1 >> log.txt', 0),
    said('agent', 'Done. What next?'),
    said('user', 'two'),
    ...ran('echo 2 >> log.txt', 0),
    said('user', 'stop, three instead'),
    ...ran('echo 3 >> log.txt', 0),
    said('agent', 'I look once more.'),
    ...ran('true', 0),
    said('user', 'four'),
  ]);
  const { code, stdout } = await place.longhand([
    '--quiet',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.deepEqual([code, stdout], [0, 'And that is all.\n']);
  assert.equal(readFileSync(join(place.work, 'log.txt'), 'utf8'), '1\n2\n3\n');
  const messages = rolesOf(server, 0);
  assert.deepEqual(
    messages
      .slice(1)
      .map(({ role, content }) => (role === 'tool' ? role : `${role}: ${contentText(content)}`)),
    [
      'user: one',
      'assistant: ',
      'tool',
      'assistant: Done. What next?',
      'user: two',
      'assistant: ',
      'tool',
      'user: stop, three instead',
      'assistant: ',
      'tool',
      'assistant: I look once more.',
      'tool',
      'user: four',
    ],
  );
});

test('a replay that does not fit says where, stops there with exit code 1, and can be resumed', async (t) => {
  const { place, server, model } = await scene(t, finish('I see.'));
  write(place, 'trajectory.json', [
    said('user', 'show the file'),
    ...ran('echo begun > begun.txt', 0),
    ...ran('cat missing.txt', 0, 'what was in it'),
    ...ran('touch too-late.txt', 0),
  ]);
  const { code, stdout, stderr } = await place.longhand([
    '--quiet',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.deepEqual([code, stdout, server.requests.length], [1, '', 0]);
  const lines = readFileSync(join(place.work, 'trajectory.json'), 'utf8').split('\n');
  const command = lines.findIndex((line) => line.includes('cat missing.txt'));
  const line = lines.lastIndexOf('    {', command) + 1;
  assert.equal(
    stderr.split('\n').slice(0, 2).join('\n'),
    `longhand: the trajectory does not fit here: element 3 (line ${line}): terminal "cat missing.txt": exit code 1 now, exit code 0 on record\n  cat: missing.txt: No such file or directory`,
  );
  assert.deepEqual(
    [existsSync(join(place.work, 'begun.txt')), existsSync(join(place.work, 'too-late.txt'))],
    [true, false],
  );
  const resumed = await place.longhand(['--quiet', '--resume', ...model]);
  assert.deepEqual([resumed.code, resumed.stdout], [0, 'I see.\n']);
});

test('replay: tools that the trajectory calls are there, though an agent does without them by default', async (t) => {
  const { place, server, model } = await scene(t, finish('seen'));
  writeFileSync(join(place.work, 'a.txt'), 'needle\n');
  const patch = '*** Begin Patch\n*** Add File: b.txt\n+made\n*** End Patch';
  const foreign = (id: number, name: string, args: object) => [
    { id, source: 'agent', action: 'call_tool_mcp', args: { name, arguments: args } },
    {
      id: id + 1,
      source: 'agent',
      observation: 'mcp',
      cause: id,
      content: '{"content":[],"isError":false}',
      extras: { name },
    },
  ];
  write(place, 'trajectory.json', [
    said('user', 'look'),
    ...foreign(1, 'grep', { pattern: 'needle' }),
    ...foreign(3, 'apply_patch', { patch }),
  ]);
  const { code, stderr } = await place.longhand([
    '--quiet',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(readFileSync(join(place.work, 'b.txt'), 'utf8').trim(), 'made');
  assert.match(contentText(rolesOf(server, 0)[3]?.content), /a\.txt/);
});

test('a replay whose tool is not there says where', async (t) => {
  const { place, model } = await scene(t, finish('never'));
  write(place, 'trajectory.json', [
    said('user', 'fetch'),
    {
      id: 7,
      source: 'agent',
      action: 'call_tool_mcp',
      args: { name: 'fetch_page', arguments: { url: 'x' } },
    },
    {
      id: 8,
      source: 'agent',
      observation: 'mcp',
      cause: 7,
      content: '{"content":[{"type":"text","text":"page"}],"isError":false}',
      extras: { name: 'fetch_page' },
    },
  ]);
  const { code, stderr } = await place.longhand([
    '--quiet',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /element 1 \(line \d+\): fetch_page: an error now, done on record\n {2}There is no tool "fetch_page"/,
  );
});

test('replay: bad input is reported in one line with exit code 2, and nothing is started', async (t) => {
  const { place, server, model } = await scene(t, finish('never'));
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.longhand([...args, ...model]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^longhand: [^\n]*\n$/);
    return stderr;
  };
  write(place, 'agent-first.json', [...ran('true', 0)]);
  write(place, 'malformed.json', [said('user', 'x'), { nothing: true }]);
  write(place, 'good.json', [said('user', 'x')]);
  assert.match(
    await refused('--replay-trajectory', 'agent-first.json'),
    /agent-first\.json: it cannot be replayed: it does not start with a message of the user/,
  );
  assert.match(
    await refused('--replay-trajectory', 'malformed.json'),
    /malformed\.json: line 10: element 1: it has neither/,
  );
  assert.match(
    await refused('--replay-trajectory', 'missing.json'),
    /missing\.json cannot be read: there is no such file/,
  );
  assert.match(
    await refused('--replay-trajectory', 'good.json', '-t', 'y'),
    /a task and --replay-trajectory exclude each other/,
  );
  assert.match(
    await refused('--replay-trajectory', 'good.json', '--resume'),
    /--resume and --replay-trajectory exclude each other/,
  );
  assert.equal(server.requests.length, 0);
  assert.equal(existsSync(join(place.home, '.longhand', 'conversations')), false);
});

test('[core] save_trajectory_path and replay_trajectory_path of config.toml do the same', async (t) => {
  const { place, server, model } = await scene(t, finish('went on'));
  write(place, 'trajectory.json', [said('user', 'x'), ...ran('touch made.txt', 0)]);
  writeFileSync(
    join(place.work, 'config.toml'),
    '[core]\nreplay_trajectory_path = "trajectory.json"\nsave_trajectory_path = "saved.json"\nsave_screenshots_in_trajectory = false\n',
  );
  const unnamed = await place.longhand(['--quiet', ...model]);
  assert.deepEqual([unnamed.code, existsSync(join(place.work, 'made.txt'))], [2, false]);
  assert.match(
    unnamed.stderr,
    /^warning: .*replay_trajectory_path is not taken .*\nlonghand: there is no task\n/,
  );
  const named = ['--config', './config.toml'];
  assert.deepEqual(await place.longhand(['--quiet', ...named, ...model]), {
    code: 0,
    stdout: 'went on\n',
    stderr: '',
  });
  assert.equal(existsSync(join(place.work, 'made.txt')), true);
  assert.match(readFileSync(join(place.work, 'saved.json'), 'utf8'), /touch made\.txt/);
  const refused = await place.longhand(['--quiet', '-t', 'y', ...named, ...model]);
  assert.deepEqual([refused.code, server.requests.length], [2, 1]);
  assert.match(refused.stderr, /a task and replay_trajectory_path exclude each other/);
  const resumed = await place.longhand(['--quiet', '--resume', '-t', 'more', ...named, ...model]);
  assert.deepEqual([resumed.code, resumed.stderr], [0, '']);
  writeFileSync(join(place.work, 'config.toml'), '[core]\nsave_trajectory_path = 3\n');
  assert.match(
    (await place.longhand(['-t', 'y', ...model])).stderr,
    /save_trajectory_path must be text in quotes/,
  );
});

test('a config.toml that --config does not name replays no actions and saves nothing outside its folder', async (t) => {
  const { place, model } = await scene(t, finish('done'));
  write(place, 'trajectory.json', [said('user', 'x'), ...ran('touch made.txt', 0)]);
  const toml = (save: string) =>
    writeFileSync(
      join(place.work, 'config.toml'),
      `[core]\nreplay_trajectory_path = "trajectory.json"\nsave_trajectory_path = "${save}"\n`,
    );
  const warning = (key: string) =>
    `warning: ./config.toml: ${key} is not taken from a file that was not named: if you trust it, give --config ./config.toml\n`;
  for (const [save, isInside] of [
    ['../saved.json', false],
    [join(place.home, 'saved.json'), false],
    ['./inside/saved.json', true],
    [join(place.work, 'saved.json'), true],
  ] as const) {
    toml(save);
    const { code, stderr } = await place.longhand(['--quiet', '-t', 'x', ...model]);
    const warnings = warning('replay_trajectory_path') + (isInside ? '' : warning('save_trajectory_path'));
    assert.deepEqual([code, stderr, existsSync(resolve(place.work, save))], [0, warnings, isInside]);
  }
  assert.equal(existsSync(join(place.work, 'made.txt')), false);
});

test('SAVE_TRAJECTORY_PATH and REPLAY_TRAJECTORY_PATH do the same, and win over the file', async (t) => {
  const { place, model } = await scene(t, finish('went on'));
  write(place, 'trajectory.json', [said('user', 'x'), ...ran('touch made.txt', 0)]);
  writeFileSync(join(place.work, 'config.toml'), '[core]\nsave_trajectory_path = "other.json"\n');
  const env = { REPLAY_TRAJECTORY_PATH: 'trajectory.json', SAVE_TRAJECTORY_PATH: 'saved.json' };
  assert.equal((await place.longhand(['--quiet', ...model], { env })).code, 0);
  assert.match(readFileSync(join(place.work, 'saved.json'), 'utf8'), /touch made\.txt/);
  assert.equal(existsSync(join(place.work, 'other.json')), false);
});

test('replay: a limit of steps holds for replayed actions too, as in V0', async (t) => {
  const { place, server, model } = await scene(t, finish('never'));
  write(place, 'trajectory.json', [
    said('user', 'x'),
    ...ran('touch a', 0),
    ...ran('touch b', 0),
    ...ran('touch c', 0),
  ]);
  const { code } = await place.longhand([
    '--quiet',
    '-i',
    '2',
    '--replay-trajectory',
    'trajectory.json',
    ...model,
  ]);
  assert.deepEqual(
    [code, server.requests.length, existsSync(join(place.work, 'b')), existsSync(join(place.work, 'c'))],
    [4, 0, true, false],
  );
});
