/** Which conversation it is and where it works: names, ids, repositories, setup scripts; and where the task comes from. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contentText, type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

const shell = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const finish = (message: string): Reply => ({ toolCalls: [{ name: 'finish', arguments: { message } }] });

interface Scene {
  readonly place: Place;
  readonly server: ModelServer;
  readonly model: readonly string[];
  /** What users have said in the last request. */
  said(): string[];
}

async function scene(t: TestContext, ...replies: readonly Reply[]): Promise<Scene> {
  const place = makePlace(t);
  const server = await startModelServer((_, index) => replies[Math.min(index, replies.length - 1)] ?? {});
  t.after(() => server.close());
  const said = () => {
    const messages = server.requests.at(-1)?.body['messages'] as { role: string; content: unknown }[];
    return messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
  };
  return { place, server, model: ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`], said };
}

function git(cwd: string, ...args: readonly string[]): string {
  const words = ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args];
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function repository(folder: string, files: { readonly [path: string]: string }): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'first');
}

const conversations = ({ home }: Place) => readdirSync(join(home, '.longhand', 'conversations'));

test('-n NAME: a new conversation gets the name, an existing one is resumed; ls, show and --resume accept it', async (t) => {
  const { place, model, said } = await scene(t, finish('done'));
  const run = (...words: string[]) => place.longhand(['--quiet', ...words, ...model]);
  assert.equal((await run('-n', 'my work', '-t', 'one')).code, 0);
  assert.equal((await run('--name', 'other', '-t', 'x')).code, 0);
  assert.equal((await run('--name=my work', '-t', 'two')).code, 0);
  assert.deepEqual(said(), ['one', 'two']);
  assert.equal((await run('--resume', 'my work', '-t', 'three')).code, 0);
  assert.deepEqual(said(), ['one', 'two', 'three']);
  assert.equal(conversations(place).length, 2);
  const { stdout } = await place.longhand(['ls']);
  assert.match(
    stdout,
    /^ID {8}NAME .*\n[0-9a-f]{8} {2}my work {2}finished .*\n[0-9a-f]{8} {2}other {4}finished /,
  );
  assert.match((await place.longhand(['show', 'my work'])).stdout, /three/);
  const forked = await place.longhand(['fork', 'my work']);
  assert.equal(forked.code, 0);
  assert.equal((await run('-n', 'my work', '-t', 'four')).code, 0);
  assert.deepEqual(said(), ['one', 'two', 'three', 'four']);
});

test('a name that is also the beginning of an id is the name', async (t) => {
  const { place, model, said } = await scene(t, finish('done'));
  const run = (...words: string[]) => place.longhand(['--quiet', ...words, ...model]);
  await run('--id', 'add00000-0000-4000-8000-000000000000', '-t', 'by id');
  await run('-n', 'add', '-t', 'by name');
  assert.equal((await run('--resume', 'add', '-t', 'on')).code, 0);
  assert.deepEqual(said(), ['by name', 'on']);
  assert.match((await place.longhand(['show', 'add'])).stdout, /by name/);
  assert.match((await place.longhand(['show', 'add0'])).stdout, /by id/);
});

test('a name without a task resumes unfinished work, and is an error for a new conversation', async (t) => {
  const { place, model } = await scene(t, shell('true'), finish('done'));
  const limited = await place.longhand(['--quiet', '-n', 'a', '-t', 'x', '-i', '1', ...model]);
  assert.equal(limited.code, 4);
  assert.deepEqual(await place.longhand(['--quiet', '-n', 'a']), { code: 0, stdout: 'done\n', stderr: '' });
  assert.match((await place.longhand(['-n', 'b', ...model])).stderr, /^longhand: there is no task\n/);
});

test('--id: a new conversation gets this id, and an existing one is resumed by it', async (t) => {
  const { place, model, said } = await scene(t, finish('done'));
  const id = 'AB1c2d3e-0000-4000-8000-00000000000f';
  const run = (...words: string[]) => place.longhand(['--quiet', '--id', id, ...words, ...model]);
  assert.equal((await run('-t', 'one')).code, 0);
  assert.deepEqual(conversations(place), ['ab1c2d3e00004000800000000000000f']);
  assert.equal((await run('-t', 'two')).code, 0);
  assert.deepEqual([said(), conversations(place).length], [['one', 'two'], 1]);
  const { code, stderr } = await place.longhand(['--id', 'abc', '-t', 'x']);
  assert.deepEqual([code, stderr], [2, 'longhand: --id must be a UUID, not "abc"\n']);
});

test('without -t the task is all of standard input, even if it is several lines; /exit ends before anything is begun', async (t) => {
  const { place, server, model, said } = await scene(t, finish('done'));
  assert.equal((await place.longhand(['--quiet', ...model], { input: 'one\n\ntwo\n' })).code, 0);
  assert.deepEqual(said(), ['one\n\ntwo']);
  for (const [words, input] of [
    [['-t', '/exit'], ''],
    [['-'], ' /exit\n'],
    [[], '/exit'],
  ] as const)
    assert.deepEqual(await place.longhand([...words, ...model], { input }), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  assert.deepEqual([server.requests.length, conversations(place).length], [1, 1]);
});

test('--repo with an owner loads the instructions of the organisation, also when resumed; its programs are not started', async (t) => {
  const { place, server, model, said } = await scene(t, finish('done'));
  const owner = join(place.work, 'host/acme');
  repository(join(owner, 'app'), { '.openhands/microagents/two.md': 'OF APP' });
  repository(join(owner, 'alone'), { 'a.txt': 'a' });
  repository(join(owner, '.openhands'), {
    'microagents/rules.md': 'RULES OF ACME',
    'microagents/two.md': 'NOT THIS',
    'microagents/deploy.md': '---\ntriggers: [deploy]\n---\nHOW ACME DEPLOYS',
    'skills/tracker/SKILL.md': '---\nname: tracker\ndescription: Tickets\n---\nx',
    'skills/tracker/.mcp.json': '{"mcpServers": {"tracker": {"command": "touch", "args": ["started"]}}}',
  });
  const address = `file://${owner}/app`;
  const first = await place.longhand(['-t', 'begin', '--repo', address, ...model]);
  assert.equal(first.code, 0);
  assert.match(first.stdout, /using the instructions in file:.*\/acme\/\.openhands/);
  assert.match(
    first.stderr,
    /servers of the skill .*tracker\/SKILL\.md are not started: .* the organisation/,
  );
  const [system] = server.requests[0]!.body['messages'] as { content: unknown }[];
  const told = contentText(system!.content);
  assert.match(told, /OF APP[\s\S]*RULES OF ACME[\s\S]*- tracker: Tickets/);
  assert.ok(!told.includes('NOT THIS'), 'the repository’s own count before them');
  assert.equal(
    (await place.longhand(['--quiet', '--resume', 'latest', '-t', 'deploy it', ...model])).code,
    0,
  );
  assert.match(said().at(-1)!, /^deploy it\n<EXTRA_INFO>[\s\S]*HOW ACME DEPLOYS/);

  // Most owners have none: nothing is printed.
  const other = join(place.work, 'host/nobody');
  repository(join(other, 'app'), { 'a.txt': 'a' });
  const none = await place.longhand(['-t', 'begin', '--repo', `file://${other}/app`, ...model]);
  assert.deepEqual([none.code, /using the instructions/.test(none.stdout)], [0, false]);
  const folder = await place.longhand(['-t', 'begin', '--repo', join(owner, 'alone'), ...model]);
  assert.deepEqual([folder.code, /using the instructions/.test(folder.stdout)], [0, false]);
});

test('--repo FOLDER: a clone on a new branch, with the setup script sourced; the agent sees what it exports', async (t) => {
  const { place, model } = await scene(
    t,
    shell('echo "$MADE and $OPENAI_BASE_URL"; cat ready; git branch --show-current'),
    finish('done'),
  );
  const repo = join(place.work, 'repo');
  repository(repo, {
    'a.txt': 'a\n',
    '.openhands/setup.sh':
      'echo setting up\necho yes > ready\nexport MADE="two  words" OPENAI_BASE_URL=http://evil\n',
    '.openhands/pre-commit.sh': '#!/bin/sh\necho checked > checked\n',
  });
  const { code, stdout, stderr } = await place.longhand(['-t', 'x', '--repo', './repo', ...model]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^cloning \/.*\/repo\nrunning \.openhands\/setup\.sh\nsetting up\n/);
  assert.match(stdout, /\n {2}two {2}words and\s*\n {2}yes\n {2}longhand-workspace-[0-9a-f]{8}\n/);
  const [id = ''] = conversations(place);
  const workspace = join(place.home, '.longhand', 'workspaces', id);
  assert.deepEqual(readdirSync(workspace).sort(), ['.git', '.openhands', 'a.txt', 'ready']);
  assert.equal(existsSync(join(repo, 'ready')), false);
  git(workspace, 'commit', '--quiet', '--allow-empty', '-m', 'hooked');
  assert.equal(existsSync(join(workspace, 'checked')), true);
  assert.equal(git(workspace, 'diff', '--name-only'), '');
  // It is resumed there.
  assert.equal((await place.longhand(['--quiet', '--resume', 'latest', '-t', 'y', ...model])).code, 0);
});

test('--setup: a resumed run sources the script again, and has what it exports', async (t) => {
  const see = shell('echo "made: $MADE"; cat ready');
  const { place, model } = await scene(t, see, finish('one'), see, finish('two'), see, finish('three'));
  repository(join(place.work, 'repo'), {
    '.openhands/setup.sh': 'echo ran >> ready\nexport MADE=here\n',
  });
  const first = await place.longhand(['-t', 'x', '--repo', 'repo', ...model]);
  assert.match(first.stdout, /\n {2}made: here\n {2}ran\n/);
  const without = await place.longhand(['--resume', 'latest', '-t', 'y', ...model]);
  assert.match(without.stdout, /\n {2}made:\s*\n {2}ran\n/);
  const again = await place.longhand(['--resume', 'latest', '-t', 'z', '--setup', ...model]);
  assert.match(again.stdout, /\n {2}made: here\n {2}ran\n {2}ran\n/);
});

test('--selected-repo, --branch and -d: that branch, in that folder, which must be empty', async (t) => {
  const { place, model } = await scene(t, shell('git branch --show-current'), finish('done'));
  repository(join(place.work, 'repo'), { 'a.txt': 'a\n' });
  git(join(place.work, 'repo'), 'checkout', '--quiet', '-b', 'topic');
  const flags = ['--selected-repo', `file://${place.work}/repo`, '--branch', 'topic', '-d', 'there'];
  const { code, stdout } = await place.longhand(['-t', 'x', ...flags, ...model]);
  assert.equal(code, 0);
  assert.match(stdout, /\$ git branch --show-current\n {2}topic\n/);
  assert.deepEqual(readdirSync(join(place.work, 'there')).sort(), ['.git', 'a.txt']);
  const again = await place.longhand(['-t', 'x', ...flags, ...model]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /\/there is not empty, so nothing can be cloned into it/);
});

test('a setup script that fails is warned of, and the agent begins; --no-setup leaves it out; --setup runs it in a folder', async (t) => {
  const { place, model } = await scene(t, finish('done'));
  repository(join(place.work, 'repo'), { '.openhands/setup.sh': 'echo why >&2; exit 3\n' });
  const run = (...words: string[]) => place.longhand(['--quiet', '-t', 'x', ...words, ...model]);
  assert.deepEqual(await run('--repo', 'repo'), {
    code: 0,
    stdout: 'done\n',
    stderr: 'why\nwarning: the setup script .openhands/setup.sh ended with exit code 3: why\n',
  });
  assert.deepEqual(await run('--repo', 'repo', '--no-setup'), { code: 0, stdout: 'done\n', stderr: '' });
  assert.deepEqual(await run('-d', 'repo'), { code: 0, stdout: 'done\n', stderr: '' });
  assert.match((await run('-d', 'repo', '--setup')).stderr, /^why\nwarning: /);
});

const REFUSED: {
  readonly [what: string]: readonly [words: readonly string[], code: number, message: RegExp];
} = {
  'a repository that is not there': [
    ['--repo', 'file:///nowhere/r.git'],
    1,
    /^longhand: the repository file:\/\/\/nowhere\/r\.git cannot be cloned: .+\n$/,
  ],
  'a branch that is not there': [
    ['--repo', './repo', '--branch', 'none'],
    1,
    /cannot be cloned: Remote branch none not found/,
  ],
  'words that name none': [
    ['--repo', 'https//x'],
    2,
    /"https\/\/x" is not a repository: write OWNER\/NAME, an address/,
  ],
  'a folder that is not there': [['--repo', './no'], 2, /there is no folder \/.*\/no\n$/],
  'a password in an address': [
    ['--repo', 'http://me:secret@127.0.0.1:9/r.git'],
    1,
    /^longhand: the repository http:\/\/127\.0\.0\.1:9\/r\.git cannot be cloned: (?!.*secret)/,
  ],
  'a branch without a repository': [['--branch', 'x'], 2, /--branch needs --repo/],
  'a repository and --resume': [
    ['--repo', './repo', '--resume'],
    2,
    /--resume and --repo exclude each other/,
  ],
  'an agent that is none': [['--repo', './repo', '--agent', 'nobody'], 2, /there is no agent "nobody"/],
};

for (const [what, [words, expected, message]] of Object.entries(REFUSED)) {
  test(`${what}: one message, and nothing is left over`, async (t) => {
    const place = makePlace(t);
    repository(join(place.work, 'repo'), { 'a.txt': 'a\n' });
    const model = ['--model', 'openai/m', '--base-url', 'http://127.0.0.1:9/v1'];
    const { code, stderr } = await place.longhand(['--quiet', '-t', 'x', ...words, ...model]);
    assert.match(stderr, message);
    assert.equal(code, expected);
    assert.deepEqual(left(place), []);
  });
}

const left = ({ home }: Place) =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((path) => /workspaces\/|conversations\//.test(path));

test('Ctrl-C while it is cloned ends it with exit code 130, and nothing is left behind', async (t) => {
  const { place, model } = await scene(t, finish('done'));
  const asked = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    asked.resolve();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const run = place.start(['-t', 'x', '--repo', `git://127.0.0.1:${port}/x.git`, ...model]);
  await asked.promise;
  run.child.kill('SIGINT');
  const { code, stderr } = await run.result;
  assert.deepEqual([code, stderr, left(place)], [130, '', []]);
});

test('Ctrl-C while the setup script runs ends both, and nothing is left behind', async (t) => {
  const { place, model } = await scene(t, finish('done'));
  repository(join(place.work, 'repo'), { '.openhands/setup.sh': 'echo begun; sleep 600.5\n' });
  const run = place.start(['-t', 'x', '--repo', 'repo', ...model]);
  await run.shows('begun');
  run.child.kill('SIGINT');
  const { code, stderr } = await run.result;
  assert.deepEqual([code, stderr, left(place)], [130, '', []]);
});

test("V0's config.toml says where the work is done and with which tools; a repository only if the file was named", async (t) => {
  const { place, server, model } = await scene(
    t,
    shell('pwd'),
    finish('done'),
    shell('echo $COLOUR and $SIZE'),
    finish('done'),
  );
  repository(join(place.work, 'repo'), { 'a.txt': 'a\n' });
  mkdirSync(join(place.work, 'ws'));
  const toml =
    '[core]\nworkspace_base = "./ws"\n[agent]\nenable_think = false\n[sandbox]\nselected_repo = "./repo"\n';
  writeFileSync(join(place.work, 'config.toml'), toml);
  const first = await place.longhand(['-t', 'x', ...model]);
  assert.equal(first.code, 0);
  assert.match(first.stdout, new RegExp(`\\n  ${place.work}/ws\\n`));
  assert.match(
    first.stderr,
    /^warning: \.\/config\.toml: selected_repo is not taken from a file that was not named: if you trust it, give --config/,
  );
  const tools = server.requests[0]?.body['tools'] as { function: { name: string } }[];
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['terminal', 'file_editor', 'task_tracker', 'finish'],
  );
  const env = { SANDBOX_ENV_COLOUR: 'green', SIZE: 'as it was' };
  writeFileSync(join(place.work, 'config.toml'), `${toml}runtime_startup_env_vars = { SIZE = "big" }\n`);
  const second = await place.longhand(['-t', 'x', '--config', 'config.toml', ...model], { env });
  assert.match(second.stdout, /\n {2}green and big\n/);
  assert.deepEqual([second.code, second.stderr], [0, '']);
  assert.match(second.stdout, /^cloning \/.*\/repo\n/);
});

test('settings and conversations are in the folders of XDG, if they are set', async (t) => {
  const { place, server } = await scene(t, finish('done'));
  const env = { XDG_CONFIG_HOME: join(place.home, 'c'), XDG_DATA_HOME: join(place.home, 'd') };
  for (const [key, value] of [
    ['model', 'openai/test-model'],
    ['base_url', `${server.url}/v1`],
  ] as const)
    assert.equal((await place.longhand(['config', key, value], { env })).code, 0);
  writeFileSync(join(place.home, 'c/longhand/AGENTS.md'), 'Speak like a pirate.');
  const { code, stderr } = await place.longhand(['-t', 'x', '--quiet'], { env });
  assert.equal(code, 0, stderr);
  assert.ok(server.requests[0]?.text.includes('Speak like a pirate.'));
  assert.equal(readdirSync(join(place.home, 'd/longhand/conversations')).length, 1);
  assert.equal(existsSync(join(place.home, '.longhand')), false);
});
