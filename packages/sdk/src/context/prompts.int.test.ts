import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import {
  joinParts,
  PROMPT_SECTIONS,
  type PromptPart,
  type PromptTool,
  systemPromptParts,
} from './system-prompt.ts';
import { renderTemplate } from './template.ts';

interface Scene {
  parts(model?: string, tools?: readonly PromptTool[]): Promise<readonly PromptPart[]>;
  readonly warnings: readonly string[];
  readonly folder: string;
}

/** A project's folder of prompts, and a user's (`~`). */
function scene(t: TestContext, files: { readonly [path: string]: string | Uint8Array }): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-prompts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, user] = [join(folder, 'project'), join(folder, 'user')];
  for (const place of [project, user]) mkdirSync(place);
  for (const [name, content] of Object.entries(files))
    writeFileSync(name.startsWith('~') ? join(user, name.slice(1)) : join(project, name), content);
  const warnings: string[] = [];
  const workspace = openLocalWorkspace(folder);
  const folders = [
    { files: workspace, path: project, isTrusted: false },
    { files: workspace, path: user, isTrusted: true },
  ];
  const parts = (model = 'x', tools: readonly PromptTool[] = [{ name: 'terminal' }]) =>
    systemPromptParts({ tools, model, folders, warn: (text) => warnings.push(text) });
  return { parts, warnings, folder };
}

const textOf = (parts: readonly PromptPart[], section: string) =>
  parts.find((part) => part.section === section)?.text;

test('without files the prompt is the built-in one, and the same for the same model', async (t) => {
  const { parts } = scene(t, {});
  const sections = (await parts()).map(({ section }) => section);
  assert.deepEqual(sections, ['role', 'working', 'steps', 'files', 'git', 'security', 'trouble']);
  assert.equal(joinParts(await parts()), joinParts(await parts()));
  assert.match(joinParts(await parts()), /Explore[\s\S]*Analyse[\s\S]*Test[\s\S]*Implement[\s\S]*Verify/);
  assert.match(joinParts(await parts()), /in many files with sed[\s\S]*Reproduce a problem in one file/);
});

test('models of some makers get a section of their own', async (t) => {
  const { parts } = scene(t, {});
  const families = ['anthropic/claude-sonnet-5', 'openai/gpt-5.5', 'gemini/gemini-3.8-flash'];
  const told = await Promise.all(families.map(async (model) => textOf(await parts(model), 'model')));
  assert.equal(new Set(told).size, 3);
  assert.equal(textOf(await parts('mystery'), 'model'), undefined);
});

test('the section of a tool is included once, after security; a file can replace it, and it cannot replace a built-in section', async (t) => {
  const bringing = (name: string) => ({
    name: `use_${name}`,
    promptSection: { name, template: `{{ tools[0] }} has ${name}` },
  });
  const tools = [bringing('web'), bringing('web'), bringing('security')];
  const { parts } = scene(t, { 'web.j2': 'Mine.' });
  const own = scene(t, {});
  const told = await own.parts('x', tools);
  assert.deepEqual(
    told.map(({ section }) => section),
    ['role', 'working', 'steps', 'files', 'git', 'security', 'web', 'trouble'],
  );
  assert.equal(textOf(told, 'web'), 'use_web has web');
  assert.doesNotMatch(textOf(told, 'security') ?? '', /has security/);
  assert.equal(textOf(await parts('x', tools), 'web'), 'Mine.');
});

test('every built-in file belongs to a section', () => {
  const files = readdirSync(join(import.meta.dirname, 'prompts'));
  for (const file of files)
    assert.ok(
      PROMPT_SECTIONS.some((section) => file.startsWith(section)),
      file,
    );
});

test("a file replaces the section of its name, the project's before the user's, for one maker or for all", async (t) => {
  const { parts, folder } = scene(t, {
    'role.j2': 'You are {{ model }} with {% for tool in tools %}{{ tool }} {% endfor %}',
    '~role.j2': 'not this',
    '~git.j2': 'Of the user.',
    '~steps-anthropic.j2': 'For Claude.',
  });
  const all = await parts('anthropic/claude-sonnet-5');
  assert.equal(textOf(all, 'role'), 'You are anthropic/claude-sonnet-5 with terminal');
  assert.equal(all[0]?.source, join(folder, 'project/role.j2'));
  assert.deepEqual([textOf(all, 'git'), textOf(all, 'steps')], ['Of the user.', 'For Claude.']);
  assert.notEqual(textOf(await parts('gpt-5'), 'steps'), 'For Claude.');
});

test('the user, but not a project, can replace the security section', async (t) => {
  const { parts, warnings } = scene(t, { 'security.j2': 'Anything goes.', '~security.j2': 'Be careful.' });
  assert.equal(textOf(await parts(), 'security'), 'Be careful.');
  assert.match(warnings[0]!, /security\.j2 is ignored/);
});

/** Invalid templates, and the reported position of the fault. */
const BROKEN: readonly (readonly [source: string, said: RegExp])[] = [
  ['fine\n{% if %}\nmore', /role\.j2:2: /],
  ['a\nb\n{{ 1 + }}', /role\.j2:3: /],
  ['x\n{% for x in tools %}\n{{ x }}\nnever closed', /role\.j2:2: {% for x in tools %} is never closed/],
  ['x\n{% endif %}\n{{ model }}', /role\.j2:2: {% endif %} closes nothing/],
  ['x\n{{ model | nofilter }}\n{{ family }}', /role\.j2:2: .*nofilter/],
  ['{% for x in tools %}\n{{ x }}{{ x | nofilter }}\n{% endfor %}\n{{ family }}', /role\.j2:2: .*nofilter/],
  ['x\n{% for x in 5 %}{% endfor %}\n{{ family }}', /role\.j2:2: /],
  ['x\n{% include "part.j2" %}\n{{ model }}', /part\.j2:3: .*nofilter/],
  ['{% include "role.j2" %}', /role\.j2:1: .*role\.j2 includes .*role\.j2, which never ends/],
  ['x\n{% include "nothing.j2" %}', /role\.j2:2: .*nothing\.j2 cannot be included/],
];

for (const [source, said] of BROKEN) {
  test(`a template with an error is named with its line, and the built-in section is used: ${said.source}`, async (t) => {
    const { parts, warnings } = scene(t, { 'role.j2': source, 'part.j2': 'a\nb\n{{ model | nofilter }}\nc' });
    assert.match(textOf(await parts(), 'role') ?? '', /^You are Longhand/);
    assert.match(warnings[0] ?? '', said);
  });
}

test('a file that cannot be read is named in a warning; one in UTF-16 is read', async (t) => {
  const { parts, warnings, folder } = scene(t, {
    'git.j2': 'x\0y',
    'role.j2': Buffer.from('\ufeffYou are {{ model }}.', 'utf16le'),
  });
  mkdirSync(join(folder, 'project/steps.j2'));
  const told = await parts();
  assert.equal(textOf(told, 'role'), 'You are x.');
  assert.match(textOf(told, 'git') ?? '', /^<GIT>/);
  assert.match(
    warnings.toSorted().join('\n'),
    /git\.j2 cannot be read: it is not text.*\n.*steps\.j2 cannot be read: /,
  );
});

test('files are included, each relative to the one that includes it', async () => {
  const files: { readonly [path: string]: string } = {
    'a/b.j2': '[b {% include "c/d.j2" %}]',
    'a/c/d.j2': '[d {{ x }}]',
  };
  const read = async (path: string) => files[path] ?? Promise.reject(new Error(path));
  assert.equal(await renderTemplate('{% include "b.j2" %}!', 'a/main.j2', { x: 1 }, read), '[b [d 1]]!');
});
