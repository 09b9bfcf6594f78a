import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { textOf } from '../event/content.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import type { AgentContext } from './agent-context.ts';
import { type Knowledge, openKnowledge } from './knowledge.ts';
import { joinParts } from './system-prompt.ts';

interface Scene {
  readonly knowledge: Knowledge;
  readonly warnings: string[];
  readonly root: string;
}

/** A home and a project with these files; `~/` stands for the home. */
function scene(
  t: TestContext,
  files: { readonly [path: string]: string | Uint8Array },
  context: AgentContext = { loadProjectSkills: true, loadUserSkills: true },
  model = 'some-model',
): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-knowledge-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [home, root] = [join(folder, 'home'), join(folder, 'project')];
  for (const place of [home, root]) mkdirSync(place);
  for (const [name, content] of Object.entries(files)) {
    const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const warnings: string[] = [];
  const knowledge = openKnowledge({
    workspace: openLocalWorkspace(root),
    context,
    home: { path: home, files: openLocalWorkspace(home) },
    model,
    warn: (text) => warnings.push(text),
  });
  return { knowledge, warnings, root };
}

const contextOf = async (knowledge: Knowledge, nowMs = 0) => joinParts(await knowledge.dynamicContext(nowMs));
const NOBODY: ReadonlySet<string> = new Set();
const head = (lines: string, body: string) => `---\n${lines}\n---\n${body}\n`;

/** Where a file may be, and how the prompt names it. */
const PLACES: readonly (readonly [path: string, source: string, told: string])[] = [
  ['AGENTS.md', 'rule one', '[BEGIN context from [agents]]\nrule one\n[END Context]'],
  ['agent.md', 'rule two', '[BEGIN context from [agents]]'],
  ['CLAUDE.md', 'for claude', '[BEGIN context from [claude]]'],
  ['.cursorrules', 'rule three', '[BEGIN context from [cursorrules]]'],
  ['.openhands_instructions', 'of V0', '[BEGIN context from [openhands_instructions]]\nof V0'],
  [
    '.openhands/microagents/repo.md',
    head('name: repo\ntype: repo', 'about the repo'),
    '[BEGIN context from [repo]]\nabout the repo',
  ],
  ['.openhands/skills/deep/notes.md', 'deep notes', '[BEGIN context from [deep/notes]]'],
  ['.longhand/skills/x.md', 'ours', '[BEGIN context from [x]]\nours'],
  ['.agents/skills/y.md', 'agents dir', '[BEGIN context from [y]]'],
  ['~/.openhands/microagents/mine.md', 'of the user', '[BEGIN context from [mine]]\nof the user'],
  [
    '.agents/skills/pdf/SKILL.md',
    head('name: pdf\ndescription: Reads PDF files', 'BODY'),
    '- pdf: Reads PDF files (',
  ],
  [
    '.openhands/skills/docker.md',
    head('triggers:\n  - docker', '# Docker\n\nUse compose.'),
    '- docker: Use compose. (',
  ],
];

for (const [path, source, told] of PLACES) {
  test(`${path} is found`, async (t) => {
    const { knowledge, warnings } = scene(t, { [path]: source });
    const context = await contextOf(knowledge);
    assert.ok(context.includes(told), context);
    assert.deepEqual(warnings, []);
    if (path.endsWith('SKILL.md'))
      assert.ok(!context.includes('BODY'), 'the prompt has only its description');
  });
}

test("the project's skill takes precedence over code, code over the user's; disabled skills are skipped", async (t) => {
  const files = {
    '.openhands/skills/a.md': 'of project',
    '~/.openhands/skills/a.md': 'of user',
    '~/.openhands/skills/b.md': 'of user b',
    '~/.openhands/skills/c.md': 'of user c',
  };
  const context = {
    loadProjectSkills: true,
    loadUserSkills: true,
    skills: [
      { name: 'a', content: 'of code' },
      { name: 'b', content: 'of code b' },
    ],
    disabledSkills: ['c'],
  };
  const { knowledge, warnings } = scene(t, files, context);
  const told = await contextOf(knowledge);
  assert.deepEqual(
    warnings.map((words) => words.replace(/^.*skills\//, '')),
    [
      'a.md is ignored: another one called "a" was given',
      'b.md is ignored: another one called "b" was given',
    ],
  );
  assert.ok(told.includes('of project') && told.includes('of code b'));
  for (const word of ['of code\n', 'of user b', 'of user c']) assert.ok(!told.includes(word), word);
  assert.throws(
    () =>
      scene(
        t,
        {},
        {
          skills: [
            { name: 'a', content: '' },
            { name: 'a', content: '' },
          ],
        },
      ),
    /two skills are called "a"/,
  );
});

test("files for other makers' models are skipped if the maker of the model is known", async (t) => {
  const files = { 'CLAUDE.md': 'for claude', 'GEMINI.md': 'for gemini', 'AGENTS.md': 'for all' };
  const told = async (model: string) =>
    await contextOf(scene(t, files, { loadProjectSkills: true }, model).knowledge);
  const claude = await told('anthropic/claude-sonnet-5');
  assert.deepEqual(
    ['for claude', 'for gemini', 'for all'].map((words) => claude.includes(words)),
    [true, false, true],
  );
  assert.ok((await told('mystery')).includes('for gemini'));
});

test('whole words trigger a skill, each skill once', async (t) => {
  const files = {
    '.openhands/skills/git.md': head('triggers: [git]', 'GIT KNOWLEDGE'),
    '.openhands/skills/task.md': head('inputs:\n  - name: what\n    description: w', 'Do ${what}'),
  };
  const { knowledge } = scene(t, files);
  const recall = async (words: string, told = NOBODY) => (await knowledge.forMessage(words, told)).names;
  assert.deepEqual(await recall('see github'), []);
  assert.deepEqual(await recall('use GIT, please'), ['git']);
  assert.deepEqual(await recall('git', new Set(['git'])), []);
  assert.deepEqual(await recall('/task now'), ['task']);
  const { content } = await knowledge.forMessage('git', NOBODY);
  assert.match(textOf(content), /because of "git"[\s\S]*git\.md\.\n\nGIT KNOWLEDGE\n<\/EXTRA_INFO>$/);
  assert.match(textOf((await knowledge.forMessage('/task', NOBODY)).content), /Do not guess/);
});

test('touching a file triggers skills by pattern, and the instructions of its folder', async (t) => {
  const { knowledge, root } = scene(t, {
    '.openhands/skills/sql.md': head('paths: "*.sql, db/**"', 'SQL RULES'),
    'packages/a/AGENTS.md': 'RULES OF A',
    'AGENTS.md': 'RULES OF ALL',
  });
  const recall = async (path: string, told = NOBODY) => (await knowledge.forPath(path, told)).names;
  assert.deepEqual(await recall('deep/down/x.sql'), ['sql']);
  assert.deepEqual(await recall(join(root, 'db/y.txt')), ['sql']);
  assert.deepEqual(await recall(join(root, 'packages/a/src/z.ts')), ['agents:packages/a']);
  assert.deepEqual(await recall('packages/a/src/z.ts', new Set(['agents:packages/a'])), []);
  assert.deepEqual(await recall('packages/b/z.ts'), []);
  assert.deepEqual(await recall('/etc/passwd.sql'), [], 'nothing outside of the workspace');
  // Instructions of a folder that are for another model, or disabled, are left out too.
  const files = { 'sub/AGENTS.md': 'RULES', 'sub/CLAUDE.md': 'FOR CLAUDE' };
  const other = scene(t, files, { loadProjectSkills: true, disabledSkills: ['agents'] }, 'gpt-5');
  assert.deepEqual((await other.knowledge.forPath('sub/x.ts', NOBODY)).names, []);
  const context = await contextOf(knowledge);
  assert.ok(
    context.includes('RULES OF ALL') && !context.includes('RULES OF A\n') && !context.includes('SQL RULES'),
  );
});

/** Invalid heads, and the warning about each. */
const BROKEN: readonly (readonly [path: string, source: string, said: RegExp])[] = [
  ['.openhands/skills/x.md', head('name: x\ntriggers: [a, b', 'body'), /x\.md is skipped: line \d+: /],
  [
    '.openhands/skills/x.md',
    head('triggers:\n  - word: a', 'body'),
    /x\.md is skipped: line 2: triggers must be a list of words/,
  ],
  ['.openhands/skills/x.md', head('name: [a]', 'body'), /x\.md is skipped: line 2: name must be a text/],
  ['.openhands/skills/x.md', head('name: x\ninputs: no', 'body'), /line 3: inputs must be a list/],
  ['.agents/skills/pdf/SKILL.md', head('name: other', 'body'), /line 2: .*must match its folder/],
  ['.openhands/skills/x.md', '---\ntriggers: [a]\n\nbody', /x\.md is skipped: line 1: .*not closed/],
  ['.openhands/skills/x.md', 'body\0body', /x\.md cannot be read: it is not text/],
  [
    'CLAUDE.md',
    'x'.repeat(2 ** 20 + 1),
    /CLAUDE\.md cannot be read: it has 1048577 bytes, more than 1048576/,
  ],
];

for (const [path, source, said] of BROKEN) {
  test(`an invalid file affects no other: ${said.source}`, async (t) => {
    const { knowledge, warnings } = scene(t, { [path]: source, 'AGENTS.md': 'good' });
    assert.ok((await contextOf(knowledge)).includes('good'));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, said);
  });
}

test('links: a cycle of folders ends, a file with two names counts once, and a pipe does not block', async (t) => {
  const { knowledge, warnings, root } = scene(t, {
    'AGENTS.md': 'ONCE',
    '.openhands/microagents/deep/docker.md': head('triggers: [docker]', 'DOCKER'),
    'elsewhere/pdf/SKILL.md': head('name: pdf\ndescription: Reads PDF', 'BODY'),
    '.agents/skills/piped/notes.md': 'NOTES',
  });
  symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
  symlinkSync('..', join(root, '.openhands/microagents/deep/up'));
  symlinkSync('../../elsewhere/pdf', join(root, '.agents/skills/pdf'));
  execFileSync('mkfifo', [join(root, '.agents/skills/piped/SKILL.md')]);
  const context = await contextOf(knowledge);
  assert.deepEqual([context.match(/ONCE/g)?.length, context.match(/NOTES/g)?.length], [1, 1]);
  assert.match(context, /- pdf: Reads PDF/);
  assert.deepEqual((await knowledge.forMessage('docker', NOBODY)).names, ['deep/docker']);
  assert.deepEqual(warnings, []);
});

test('a file with an inherited property name is not a rules file', async (t) => {
  const { knowledge, warnings } = scene(t, { constructor: 'INHERITED', 'AGENTS.md': 'RULES' });
  const context = await contextOf(knowledge);
  assert.match(context, /RULES/);
  assert.doesNotMatch(context, /INHERITED/);
  assert.deepEqual(warnings, []);
});

test('invalid JSON beside a skill is reported', async (t) => {
  const { knowledge, warnings } = scene(t, {
    '.agents/skills/web/SKILL.md': head('name: web', 'body'),
    '.agents/skills/web/.mcp.json': '{"a": ',
  });
  await contextOf(knowledge);
  assert.match(warnings.join('\n'), /SKILL\.md is skipped: the \.mcp\.json beside it: Unexpected end/);
});

test('UTF-16 files are read, and empty ones are ignored', async (t) => {
  const { knowledge } = scene(t, {
    '.cursorrules': Buffer.from('\ufeffRULES \u00e4', 'utf16le'),
    'AGENTS.md': Buffer.from('\ufeffAGENTS \u00e4', 'utf16le').swap16(),
    '.openhands/skills/empty.md': '',
  });
  const context = await contextOf(knowledge);
  assert.match(context, /\nRULES ä\n[\s\S]*\nAGENTS ä\n/);
  assert.ok(!context.includes('[empty]'));
});

test('workspace context: folder, repository, branch, platform and date; suffixes in their places', async (t) => {
  const context = { systemMessageSuffix: 'SYSTEM SUFFIX', userMessageSuffix: 'USER SUFFIX' };
  const { knowledge, root } = scene(t, { '.git/HEAD': 'ref: refs/heads/feature/x\n' }, context);
  const [, programs] = /^Programs: (.+)$/m.exec(await contextOf(knowledge)) ?? [];
  assert.ok(programs?.split(', ').includes('node'));
  assert.equal(
    await contextOf(knowledge, Date.UTC(2026, 1, 3)),
    `SYSTEM SUFFIX\n\n<WORKSPACE>\nWorking folder: ${root}\nGit repository: ${basename(root)} in ${root}, on feature/x\nHosts: localhost, where servers that you start can use any free port\nPrograms: ${programs}\nPlatform: ${process.platform}\nDate: 2026-02-03\n</WORKSPACE>`,
  );
  assert.equal(textOf((await knowledge.forMessage('hi', NOBODY)).content), 'USER SUFFIX');
  const worktree = scene(t, {
    '.git': 'gitdir: main/worktrees/x\n',
    'main/worktrees/x/HEAD': 'ref: refs/heads/topic\n',
  });
  assert.match(await contextOf(worktree.knowledge), /^Git repository: .*, on topic$/m);
});

for (const [address, name] of [
  ['https://user:word@host.example/own/er.git', 'own/er'],
  ['git@host.example:group/sub/er.git', 'group/sub/er'],
  ['ssh://git@host.example:2222/own/er', 'own/er'],
  ['file:///srv/mirrors/er.git', 'er'],
  ['/srv/mirrors/er/', 'er'],
])
  test(`the prompt names the repository by its remote: ${name} for ${address}`, async (t) => {
    const config = `[core]\n\tbare = false\n[remote "fork"]\n\turl = x:y/z\n[remote "origin"]\n\turl = ${address}\n\tfetch = x\n`;
    const { knowledge } = scene(t, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': config });
    const context = await contextOf(knowledge);
    assert.match(context, new RegExp(`^Git repository: ${name} in /.*, on main$`, 'm'));
    assert.doesNotMatch(context, /user:word/);
    const worktree = scene(t, {
      '.git': 'gitdir: main/.git/worktrees/x\n',
      'main/.git/worktrees/x/HEAD': 'ref: refs/heads/topic\n',
      'main/.git/worktrees/x/commondir': '../..\n',
      'main/.git/config': config,
    });
    assert.match(
      await contextOf(worktree.knowledge),
      new RegExp(`^Git repository: ${name} in /.*, on topic$`, 'm'),
    );
  });

test('the prompt lists variables and secrets by name, if there are any', async (t) => {
  const { knowledge } = scene(t, {}, { variables: ['STAGE', 'REGION'], secrets: ['DEPLOY_TOKEN'] });
  const context = await contextOf(knowledge);
  assert.match(context, /^Variables that your programs get: STAGE, REGION$/m);
  assert.match(context, /^Secret variables that your programs get .*: DEPLOY_TOKEN$/m);
  assert.doesNotMatch(await contextOf(scene(t, {}).knowledge), /variables/i);
});

test('the entry of a skill that is added by a word is short; that of a SKILL.md has its whole description', async (t) => {
  const long = 'word '.repeat(150).trim();
  const { knowledge } = scene(t, {
    '.agents/skills/said.md': head('triggers: [deploy]', long),
    '.agents/skills/told.md': head(`triggers: [release]\ndescription: ${long}`, 'x'),
    '.agents/skills/read/SKILL.md': head(`name: read\ndescription: ${long}`, 'x'),
  });
  const entries = (await contextOf(knowledge)).match(/^- .*$/gm) ?? [];
  const lengths = entries.map((entry) => entry.replace(/ \(.*/, '').length);
  assert.deepEqual(
    entries.map((entry) => /…/.test(entry)),
    [false, true, true],
  );
  assert.ok(lengths[0]! > 700 && lengths[1]! < 170 && lengths[2]! < 170, lengths.join());
});

test('a folder of skills that is a file is reported', async (t) => {
  const { knowledge, warnings, root } = scene(t, { '.agents/skills': 'x', '.openhands/skills/a.md': 'A' });
  assert.match(await contextOf(knowledge), /\nA\n/);
  assert.deepEqual(warnings, [
    `${root}/.agents/skills is ignored: it must be a folder of skills, and is a file`,
  ]);
});

test('instructions of the user, the repository and every folder down to the working folder apply, the nearest last', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-instructions-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    'AGENTS.md': 'above the repository',
    'repository/.git/HEAD': 'x',
    'repository/AGENTS.md': 'at the root',
    'repository/packages/AGENTS.md': 'of the packages',
    'repository/packages/one/AGENTS.md': 'of the package',
    'home/.longhand/AGENTS.md': 'of the user',
    'home/.claude/CLAUDE.md': 'of the user for Claude',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const openAt = (root: string, context: AgentContext) =>
    openKnowledge({
      workspace: openLocalWorkspace(join(folder, root)),
      context,
      home: { path: join(folder, 'home'), files: openLocalWorkspace(join(folder, 'home')) },
      model: 'claude-x',
      warn: (text) => assert.fail(text),
    });
  const both = { loadProjectSkills: true, loadUserSkills: true };
  const told = await contextOf(openAt('repository/packages/one', both));
  const order = [
    'of the user for Claude',
    'of the user\n',
    'at the root',
    'of the packages',
    'of the package\n',
  ];
  const places = order.map((words) => told.indexOf(words));
  assert.ok(
    !places.includes(-1) && places.every((place, i) => i === 0 || place > (places[i - 1] ?? 0)),
    told,
  );
  assert.ok(!told.includes('above the repository'));
  const disabled = await contextOf(
    openAt('repository/packages/one', { ...both, disabledSkills: ['agents'] }),
  );
  assert.ok(disabled.includes('for Claude') && !/of the (user\n|package)|at the root/.test(disabled));
});

test('CLAUDE.md imports files of the project, each once, and nothing outside of it', async (t) => {
  const { knowledge, warnings, root } = scene(t, {
    '.git/HEAD': 'x',
    'CLAUDE.md':
      'See @docs/style.md and @docs/missing.md, ask @someone.\n`@docs/code.md`\n```\n@docs/code.md\n```\n@../secret.md @/etc/hostname',
    'docs/style.md': 'Style. More in @more.md.',
    'docs/more.md': 'More. Back to @style.md and @../CLAUDE.md',
    'docs/code.md': 'not imported',
    '../secret.md': 'secret',
  });
  const told = await contextOf(knowledge);
  assert.ok(told.includes(`[Imported from ${root}/docs/style.md]\nStyle.`), told);
  assert.equal(told.split('More. Back to').length, 2);
  assert.ok(!told.includes('not imported') && !told.includes('secret\n'));
  assert.equal(warnings.length, 2);
  assert.match(warnings.join(), /secret\.md, which is outside of .*\/etc\/hostname, which is outside/);
});

test('skills and commands of .claude are found; a command is called only as a word of its own', async (t) => {
  const { knowledge } = scene(t, {
    '.claude/skills/pdf/SKILL.md': head('name: pdf\ndescription: Reads PDF files', 'BODY'),
    '.claude/commands/review.md': head(
      'description: Reviews\nallowed-tools: Bash(rm:*)',
      'Review $ARGUMENTS.',
    ),
    '.claude/commands/git/push.md': 'Push it.',
    '~/.claude/commands/mine.MD': 'Mine.',
  });
  assert.ok((await contextOf(knowledge)).includes('- pdf: Reads PDF files ('));
  const named = async (words: string) => (await knowledge.forMessage(words, NOBODY)).names;
  assert.deepEqual(await named('look at src/review/a.ts and /reviewer'), []);
  assert.deepEqual(await named('/review a.ts'), ['review']);
  assert.deepEqual(await named('/git:push and /mine'), ['git:push', 'mine']);
  const [added] = (await knowledge.forMessage('/review a.ts', NOBODY)).content;
  assert.match(
    added?.text ?? '',
    /Review \$ARGUMENTS\.\n\n\$ARGUMENTS above stands for the words after \/review/,
  );
});
