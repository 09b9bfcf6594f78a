import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalWorkspace } from '@longhand/sdk';
import { contentText, type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace, type Place } from '../test-support/command.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const shell = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const finish = (message: string): Reply => ({ toolCalls: [{ name: 'finish', arguments: { message } }] });

/** The task of a request, and how many results of tools it holds. */
function seen({ body }: { readonly body: { readonly [key: string]: unknown } }): {
  task: string;
  results: number;
} {
  const messages = body['messages'] as Message[];
  const task = contentText(messages.find(({ role }) => role === 'user')?.content);
  return { task, results: messages.filter(({ role }) => role === 'tool').length };
}

/** Whatever the task says is run by the shell; then it is done. */
const obedient = (request: Parameters<typeof seen>[0]): Reply => {
  const { task, results } = seen(request);
  return results === 0 ? { ...shell(task), usage: { input: 100, output: 10 } } : finish(`did ${task}`);
};

interface Scene {
  readonly place: Place;
  readonly server: ModelServer;
  readonly words: readonly string[];
  tasks(lines: readonly object[]): void;
  results(): Record<string, Record<string, unknown>>;
}

async function scene(
  t: TestContext,
  respond: Parameters<typeof startModelServer>[0] = obedient,
): Promise<Scene> {
  const place = makePlace(t);
  const server = await startModelServer(respond);
  t.after(() => server.close());
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  return {
    place,
    server,
    words: ['batch', 'tasks.jsonl', '--out', 'out', '--jobs', '2', ...model],
    tasks: (lines) =>
      writeFileSync(
        join(place.work, 'tasks.jsonl'),
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      ),
    results: () =>
      Object.fromEntries(
        linesOf(readFileSync(join(place.work, 'out', 'results.jsonl'), 'utf8')).map((line) => [
          line['instance_id'],
          line,
        ]),
      ),
  };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A repository of two commits; resolves to the first one's id. */
function repository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'code.txt'), 'old\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'the task begins here');
  const base = git(folder, 'rev-parse', 'HEAD').trim();
  writeFileSync(join(folder, 'code.txt'), 'the answer\n');
  git(folder, 'commit', '--quiet', '-a', '-m', 'the answer');
  return base;
}

test('instances of all kinds: a conversation and a patch each, in the form that SWE-bench reads', async (t) => {
  const { place, server, words, tasks, results } = await scene(t);
  const base = repository(join(place.work, 'repo'));
  mkdirSync(join(place.work, 'folder'));
  writeFileSync(join(place.work, 'folder', 'a.txt'), 'a\n');
  tasks([
    {
      instance_id: 'own__repo-1',
      problem_statement: 'cat code.txt; echo new > code.txt',
      repo: './repo',
      base_commit: base,
      FAIL_TO_PASS: '[]',
    },
    {
      instance_id: 'folder',
      problem_statement: 'echo b >> a.txt; git log --oneline --all | wc -l',
      repo: './folder',
    },
    { id: 'with files', task: 'sh run.sh', files: { 'run.sh': 'echo \xe9 > sub/made.txt\n', 'sub/x': '' } },
    { id: 'empty', task: 'true' },
  ]);
  const { code, stdout, stderr } = await place.longhand(words);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^\[\d\/4\] own__repo-1 {2}finished {2}.*1 files$/m);
  assert.match(stdout, /^\[4\/4\] .*\n\n4 of 4 finished\nresults: .*\/out\/results\.jsonl\n$/m);

  const all = results();
  const { tokens, duration_ms, conversation_id, ...first } = all['own__repo-1']!;
  assert.deepEqual(first, {
    schema_version: 1,
    instance_id: 'own__repo-1',
    model_name_or_path: 'openai/test-model',
    model_patch: [
      'diff --git a/code.txt b/code.txt',
      first['model_patch']!.toString().split('\n')[1],
      '--- a/code.txt',
      '+++ b/code.txt',
      '@@ -1 +1 @@',
      '-old',
      '+new',
      '',
    ].join('\n'),
    status: 'finished',
    cost_usd: 0,
    exit_code: 0,
    message: 'did cat code.txt; echo new > code.txt',
  });
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(
    [(tokens as { prompt: number }).prompt > 0, Object.keys(tokens as object).length],
    [true, 5],
  );
  const events = join(
    place.work,
    'out',
    'conversations',
    String(conversation_id).replaceAll('-', ''),
    'events',
  );
  assert.ok(readdirSync(events).length > 5);
  assert.match(String(all['folder']!['model_patch']), /a\.txt\n@@ -1 \+1,2 @@\n a\n\+b\n$/);
  assert.match(
    String(all['with files']!['model_patch']),
    /new file mode 100644\n.*\n.*\n\+\+\+ b\/sub\/made\.txt\n@@ -0,0 \+1 @@\n\+\xe9\n$/,
  );
  assert.equal(all['empty']!['model_patch'], '');

  // The patch is what git takes, and the folders that were given are as they were.
  git(join(place.work, 'repo'), 'checkout', '--quiet', base);
  execFileSync('git', ['apply', '-'], { cwd: join(place.work, 'repo'), input: String(first['model_patch']) });
  assert.equal(readFileSync(join(place.work, 'repo', 'code.txt'), 'utf8'), 'new\n');
  assert.equal(readFileSync(join(place.work, 'folder', 'a.txt'), 'utf8'), 'a\n');
  assert.equal(existsSync(join(place.work, 'folder', '.git')), false);

  // Commits after the base commit are not in the log of the workspace.
  const asked = server.requests.map(({ text }) => text).join('\n');
  assert.doesNotMatch(asked, /the answer/);
  const listed = await place.longhand(['ls', '--json', '--conversations-dir', 'out/conversations']);
  assert.deepEqual(
    linesOf(listed.stdout)
      .map(({ name }) => String(name).replace(/-[0-9a-f]{8}$/, ''))
      .sort(),
    ['empty', 'folder', 'own__repo-1', 'with_files'],
  );
});

test('the patch has whatever was done to the folder, even to its repository, and git takes it', async (t) => {
  const { place, words, tasks, results } = await scene(t);
  const commands = [
    'git commit --quiet --allow-empty -m mine; rm -rf .git',
    'git init --quiet unborn; echo x > unborn/x',
    'printf "\\000\\001\\377" > binary; printf "caf\\351\\n" > latin; printf "no newline" >> a.txt',
    'ln -s a.txt link; chmod +x a.txt; rm gone.txt; echo built > ignored.o; mkdir -p "deep/b c"; echo é > "deep/b c/é"',
  ];
  const files = { 'a.txt': 'a\n', 'gone.txt': 'g\n', '.gitignore': '*.o\n' };
  tasks([
    { id: 'a', task: commands.join('; '), files },
    { id: 'b', task: 'cd /; rm -rf "$OLDPWD"', files },
  ]);
  const { code, stderr } = await place.longhand(words);
  assert.equal(code, 1);
  assert.match(stderr, /^longhand: no patch could be made of \/.*\/instances\/b\/workspace: .*\n$/);
  assert.deepEqual([results()['b']!['status'], results()['b']!['code']], ['error', 'PatchError']);

  const folder = join(place.work, 'apply');
  mkdirSync(folder);
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
  git(folder, 'init', '--quiet');
  execFileSync('git', ['apply', '-'], { cwd: folder, input: String(results()['a']!['model_patch']) });
  const listed = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !path.startsWith('.git/'));
  assert.deepEqual(listed.sort(), [
    '.git',
    '.gitignore',
    'a.txt',
    'binary',
    'deep',
    'deep/b c',
    'deep/b c/é',
    'latin',
    'link',
  ]);
  assert.deepEqual([...readFileSync(join(folder, 'binary'))], [0, 1, 255]);
  assert.equal(readFileSync(join(folder, 'latin'), 'latin1'), 'caf\xe9\n');
  assert.equal(readFileSync(join(folder, 'link'), 'utf8'), 'a\nno newline');
  assert.ok(statSync(join(folder, 'a.txt')).mode & 0o100);
});

test('a second call does nothing that is done, and takes on what is new', async (t) => {
  const { place, server, words, tasks, results } = await scene(t);
  tasks([{ id: 'a', task: 'true' }]);
  assert.equal((await place.longhand(words)).code, 0);
  const before = readFileSync(join(place.work, 'out', 'results.jsonl'), 'utf8');
  const asked = server.requests.length;
  const again = await place.longhand(words);
  assert.deepEqual([again.code, server.requests.length], [0, asked]);
  assert.match(again.stdout, /^1 of 1 are already done\n\n1 of 1 finished\n/);
  tasks([
    { id: 'a', task: 'true' },
    { id: 'b', task: 'echo b > b' },
  ]);
  assert.equal((await place.longhand(words)).code, 0);
  assert.equal(server.requests.length, asked * 2);
  assert.ok(readFileSync(join(place.work, 'out', 'results.jsonl'), 'utf8').startsWith(before));
  assert.deepEqual(Object.keys(results()), ['a', 'b']);
});

test('a batch that is killed continues where it was, and nothing is done twice', async (t) => {
  let hangs = true;
  const { place, server, words, tasks, results } = await scene(t, (request) => {
    const { task, results } = seen(request);
    if (results === 0) return shell(task);
    return hangs && !task.includes('first') ? { hang: true } : finish('done');
  });
  const ledger = join(place.home, 'ledger');
  tasks(['first', 'second', 'third', 'fourth'].map((id) => ({ id, task: `echo ${id} >> ${ledger}` })));
  const run = place.start(words);
  await until(() => server.requests.filter((request) => seen(request).results === 1).length === 3);
  run.child.kill('SIGKILL');
  await run.result;
  assert.deepEqual(Object.keys(results()), ['first']);
  hangs = false;
  const { code, stdout, stderr } = await place.longhand(words);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^1 of 4 are already done\n/);
  assert.deepEqual(Object.keys(results()).sort(), ['first', 'fourth', 'second', 'third']);
  assert.deepEqual(readFileSync(ledger, 'utf8').trim().split('\n').sort(), [
    'first',
    'fourth',
    'second',
    'third',
  ]);
  assert.equal(readdirSync(join(place.work, 'out', 'conversations')).length, 4);
});

test('a run that is killed has cost what its log says', async (t) => {
  const { place, words, tasks, results } = await scene(t);
  // The accounts are on disk a moment after the answer.
  const events = join(place.work, 'out', 'conversations', '*', 'events', 'event-*.json');
  const accounts = `grep -q '"key":"stats"' ${events}`;
  tasks([{ id: 'a', task: `until ${accounts}; do sleep 0.1; done; kill -9 $PPID` }]);
  assert.equal((await place.longhand(words)).code, 1);
  const { status, code, tokens } = results()['a'] ?? {};
  assert.deepEqual([status, code], ['error', 'RunError']);
  assert.deepEqual(tokens, { prompt: 100, completion: 10, cache_read: 0, cache_write: 0, reasoning: 0 });
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends it in order with exit code 130; unfinished instances are resumed`, async (t) => {
    let hangs = true;
    const { place, server, words, tasks, results } = await scene(t, () =>
      hangs ? { hang: true } : finish('done'),
    );
    tasks(['a', 'b', 'c'].map((id) => ({ id, task: 'x' })));
    const run = place.start(words);
    await until(() => server.requests.length === 2);
    run.child.kill(signal);
    const { code, stdout } = await run.result;
    assert.equal(code, 130);
    assert.match(stdout, /^\n0 of 3 finished, 3 left\n/);
    hangs = false;
    assert.equal((await place.longhand(words)).code, 0);
    assert.deepEqual(Object.keys(results()).sort(), ['a', 'b', 'c']);
    assert.equal(server.requests.length, 5);
  });
}

test('a failed run is reported, the others continue, and the next call retries it', async (t) => {
  let isDown = true;
  const { place, words, tasks, results } = await scene(t, (request) =>
    isDown && seen(request).task === 'bad' ? { error: { status: 500, message: 'down' } } : finish('done'),
  );
  tasks([
    { id: 'a', task: 'bad' },
    { id: 'b', task: 'good' },
  ]);
  const first = await place.longhand([...words, '--quiet']);
  assert.deepEqual([first.code, first.stdout], [1, '']);
  assert.match(first.stderr, /^longhand: openai\/test-model at http.*down.*\n$/);
  const { status, code, conversation_id } = results()['a']!;
  assert.deepEqual(
    [status, code, results()['b']!['status']],
    ['error', 'LLMServiceUnavailableError', 'finished'],
  );
  isDown = false;
  assert.equal((await place.longhand([...words, '--quiet'])).code, 0);
  assert.deepEqual(
    [results()['a']!['status'], results()['a']!['conversation_id']],
    ['finished', conversation_id],
  );
});

test('a log that cannot be written ends the batch in order: what runs beside is brought to its end', async (t) => {
  const { place, words, tasks, results } = await scene(t);
  tasks([{ id: 'a', task: 'true' }]);
  assert.equal((await place.longhand(words)).code, 0);
  mkdirSync(join(place.work, 'out/instances/b/log.txt'), { recursive: true });
  tasks(['a', 'b', 'c'].map((id) => ({ id, task: 'true' })));
  const { code, stderr } = await place.longhand(words);
  assert.equal(code, 1);
  assert.match(stderr, /^longhand: EISDIR: [^\n]+\n$/);
  assert.deepEqual(Object.keys(results()), ['a', 'c']);
});

test('a repository that cannot be cloned: one message for all its instances, nothing of it is left, the others go on', async (t) => {
  const { place, words, tasks, results } = await scene(t);
  const base = repository(join(place.work, 'repo'));
  const repo = `file://${place.work}/nothing.git`;
  tasks([
    { id: 'a', task: 'true', repo },
    { id: 'b', task: 'true', repo },
    { id: 'c', task: 'true', repo: './repo', base_commit: base.replaceAll(/./g, '1') },
    { id: 'd', task: 'true', repo: './repo' },
  ]);
  const { code, stderr } = await place.longhand(words);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^longhand: the repository file:.*nothing\.git cannot be cloned: .*\nlonghand: .*\/repo has no commit 1{40}\n$/,
  );
  assert.deepEqual(
    Object.values(results())
      .map(({ instance_id, status, code }) => [instance_id, status, code])
      .sort(),
    [
      ['a', 'error', 'RepositoryError'],
      ['b', 'error', 'RepositoryError'],
      ['c', 'error', 'RepositoryError'],
      ['d', 'finished', undefined],
    ],
  );
  const out = join(place.work, 'out');
  assert.deepEqual(readdirSync(join(out, 'instances')), ['d']);
  assert.equal(readdirSync(join(out, 'repositories')).length, 1);
});

test('--jobs: so many at a time and no more', async (t) => {
  const open = new Set<string>();
  let most = 0;
  const { words, tasks, place } = await scene(t, async (request) => {
    const { task } = seen(request);
    open.add(task);
    most = Math.max(most, open.size);
    await until(() => open.size === 2 || most === 2);
    open.delete(task);
    return finish('done');
  });
  tasks(['1', '2', '3', '4'].map((id) => ({ id, task: id })));
  assert.equal((await place.longhand(words)).code, 0);
  assert.equal(most, 2);
});

test('--max-total-budget: no more are begun, exit code 4; with more the rest is run', async (t) => {
  const { words, tasks, place, results } = await scene(t, () => ({
    ...finish('done'),
    usage: { input: 1000, output: 0 },
  }));
  tasks(['1', '2', '3'].map((id) => ({ id, task: id })));
  const env = { LLM_INPUT_COST_PER_TOKEN: '0.001', LLM_OUTPUT_COST_PER_TOKEN: '0.001' };
  const one = [...words, '--jobs', '1'];
  const short = await place.longhand([...one, '--max-total-budget', '1.5'], { env });
  assert.equal(short.code, 4);
  assert.match(
    short.stderr,
    /^longhand: the budget of \$1\.50 for the whole batch is used up; a higher --max-total-budget/,
  );
  assert.deepEqual(
    Object.values(results()).map(({ cost_usd }) => cost_usd),
    [1, 1],
  );
  assert.equal((await place.longhand([...one, '--max-total-budget', '9'], { env })).code, 0);
});

test('flags of a run, the environment of flags, --only and --limit', async (t) => {
  const { words, tasks, place, results } = await scene(t, () => shell('echo again; date +%N'));
  tasks(['1', '2', '3'].map((id) => ({ id, task: id })));
  const env = { LONGHAND_MAX_ITERATIONS: '2', LONGHAND_TASK: 'of another command', LONGHAND_RESUME: 'x' };
  const { code, stdout } = await place.longhand([...words, '--only', '3,1', '--limit', '1', '--json'], {
    env,
  });
  assert.equal(code, 0);
  const [result, end] = linesOf(stdout);
  assert.deepEqual(
    [result.type, result.instance_id, result.status, result.code, result.exit_code],
    ['result', '1', 'limit', 'MaxIterationsReached', 4],
  );
  assert.deepEqual([end.type, end.total, end.done, end.finished], ['batch', 1, 1, 0]);
  const { type, ...stored } = result;
  assert.deepEqual(results(), { 1: stored });

  const changed = await place.longhand([...words, '-i', '3']);
  assert.equal(changed.code, 2);
  assert.match(
    changed.stderr,
    /out was started with other settings or tasks; .*\n {2}flags: .*was .*iterations=2.*, is now .*iterations=3/,
  );
});

const WRONG: { readonly [what: string]: readonly [lines: string, message: RegExp] } = {
  'a line that is no JSON': [
    '{"id": "a", "task": "x"}\n{"id": "b"\n',
    /^longhand: tasks\.jsonl:2: not valid JSON: .*\n$/,
  ],
  'a line that is no object': ['[1]\n', /tasks\.jsonl:1: an instance is a JSON object\n$/],
  'no task': ['\n{"id": "a"}\n', /tasks\.jsonl:2: "problem_statement" \(or "task"\) is missing\n$/],
  'an id twice': [
    '{"id":"a","task":"x"}\n\n{"instance_id":"a","task":"y"}\n',
    /tasks\.jsonl:3: "a" is in line 1 already\n$/,
  ],
  'several lines': ['{}\n{"id":""}\n', /^longhand: tasks\.jsonl:1: .*\n {2}tasks\.jsonl:2: .*\n$/],
  'a folder that is not there': [
    '{"id":"a","task":"x","repo":"./nowhere"}\n',
    /tasks\.jsonl:1: there is no folder .*\/nowhere\n$/,
  ],
  'a commit that is a flag': [
    '{"id":"a","task":"x","repo":"own/er","base_commit":"--upload-pack=x"}\n',
    /"base_commit" is not a commit/,
  ],
  'files outside': [
    '{"id":"a","task":"x","files":{"../a":""}}\n',
    /"files" has the path "\.\.\/a", which must be relative/,
  ],
  'nothing at all': ['\n\n', /tasks\.jsonl has no instances\n$/],
};

for (const [what, [lines, message]] of Object.entries(WRONG)) {
  test(`bad input: ${what}: one message, exit code 2, nothing written`, async (t) => {
    const place = makePlace(t);
    writeFileSync(join(place.work, 'tasks.jsonl'), lines);
    const words = [
      'batch',
      'tasks.jsonl',
      '--out',
      'out',
      '--model',
      'openai/m',
      '--base-url',
      'http://127.0.0.1:9/v1',
    ];
    const { code, stdout, stderr } = await place.longhand(words);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout, readdirSync(place.work)], [2, '', ['tasks.jsonl']]);
  });
}

test('a model that cannot be had: one message, exit code 2, nothing written', async (t) => {
  const place = makePlace(t);
  writeFileSync(join(place.work, 'tasks.jsonl'), '{"id":"a","task":"x"}\n{"id":"b","task":"x"}\n');
  for (const [model, message] of [
    [['--model', 'openai/gpt-5'], /^longhand: .*\n?.*OPENAI_API_KEY/],
    [['--model', 'antropic/x'], /Did you mean anthropic\?/],
    [['--model', 'm', '--config', 'no.toml'], /no\.toml cannot be read/],
  ] as const) {
    const { code, stdout, stderr } = await place.longhand(['batch', 'tasks.jsonl', '--out', 'out', ...model]);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout, readdirSync(place.work)], [2, '', ['tasks.jsonl']]);
  }
});

test('a folder with other things in it is not written to, nor one that another batch writes to', async (t) => {
  const { place, server, words, tasks } = await scene(t, () => ({ hang: true }));
  tasks([{ id: 'a', task: 'x' }]);
  mkdirSync(join(place.work, 'full'));
  writeFileSync(join(place.work, 'full', 'mine'), '');
  const refused = await place.longhand([...words, '--out', 'full']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /\/full is not empty, and no batch was started there/);
  assert.deepEqual(readdirSync(join(place.work, 'full')), ['mine']);
  const run = place.start(words);
  await until(() => server.requests.length === 1);
  const second = await place.longhand(words);
  run.child.kill('SIGINT');
  await run.result;
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`/out is being written by process ${run.child.pid} on `));
});

test('on a terminal, a progress bar is shown below the lines of finished instances', async (t) => {
  const { place, words, tasks } = await scene(t, () => ({ ...finish('done'), delayMs: 400 }));
  tasks([
    { id: 'a', task: 'x' },
    { id: 'b\x1b[2J', task: 'x' },
  ]);
  const workspace = openLocalWorkspace(place.work);
  t.after(() => workspace.close());
  const main = join(import.meta.dirname, 'main.ts');
  const run = await workspace.spawn(
    [process.execPath, '--conditions=longhand-source', main, ...words, '--jobs', '1'],
    {
      env: { ...place.env, NO_COLOR: '1', NODE_TEST_CONTEXT: undefined },
      pty: { columns: 70, rows: 20 },
    },
  );
  const chunks: Uint8Array[] = [];
  run.onOutput((bytes) => chunks.push(bytes));
  assert.deepEqual(await run.exited, { code: 0, signal: null });
  const written = Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
  assert.match(written, /\r\x1b\[2K⠋ ░{20} 0 of 2 · 1 running · /);
  assert.match(written, /\r\x1b\[2K\S █{10}░{10} 1 of 2 · 1 running · /);
  const left = written.replace(/\r\x1b\[2K[^\n\r]*(?=\r\x1b\[2K)/g, '').replaceAll('\r\x1b[2K', '');
  assert.match(
    left,
    /^\[1\/2\] a {2}finished {2}.*\n\[2\/2\] b {2}finished {2}.*\n\n2 of 2 finished\nresults: .*\n$/,
  );
  assert.doesNotMatch(left, /\x1b/);
});

test('--agent-config: the model is that of the run', async (t) => {
  const { place, server, tasks, results } = await scene(t, () => finish('done'));
  tasks([{ id: 'a', task: 'x' }]);
  const llm = `base_url = "${server.url}/v1"`;
  const toml = `[llm]\nmodel = "openai/one"\n${llm}\n[llm.fast]\nmodel = "openai/fast"\n${llm}\n[agent.Mine]\nllm_config = "fast"\n`;
  writeFileSync(join(place.work, 'c.toml'), toml);
  const { code } = await place.longhand([
    'batch',
    'tasks.jsonl',
    '--out',
    'out',
    '--config',
    'c.toml',
    '--agent-config',
    'Mine',
  ]);
  assert.deepEqual([code, results()['a']!['model_name_or_path']], [0, 'openai/fast']);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}
