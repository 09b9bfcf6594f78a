import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, type TestContext, test } from 'node:test';
import { Conversation, openLocalWorkspace } from '@longhand/sdk';
import { type Reply, startModelServer, tryTools } from '@longhand/sdk/testing';
import iconv from 'iconv-lite';
import { faultsOf } from './lint.ts';
import { editFileTool } from './tool.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-edit-file-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

interface Edited {
  readonly said: string;
  /** What the draft's model was asked. */
  readonly asked: readonly { readonly model: string; readonly text: string }[];
  readonly conversation: Conversation;
}

/** One call of the agent; the answers are those of the model that carries the draft out. */
async function edit(t: TestContext, args: object, ...answers: string[]): Promise<Edited> {
  return await editWith(t, {}, args, ...answers);
}

async function editWith(
  t: TestContext,
  params: { readonly enable_auto_lint?: boolean },
  args: object,
  ...answers: string[]
): Promise<Edited> {
  const replies: Reply[] = [
    { toolCalls: [{ name: 'edit_file', arguments: { ...args } }] },
    ...answers.map((text) => ({ text })),
    { text: 'done' },
  ];
  const server = await startModelServer((_, index) => replies[index] ?? { text: 'too many requests' });
  const llm = { model: 'agent-model', endpoint: { baseUrl: `${server.url}/v1` } };
  const conversation = await Conversation.open({
    agent: {
      llm,
      llms: { draft_editor: { ...llm, model: 'draft-model' } },
      tools: [{ name: 'edit_file', params: { ...params } }],
    },
    tools: [editFileTool],
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process' },
  });
  t.after(async () => {
    await conversation.close();
    await server.close();
  });
  await conversation.send('go');
  await conversation.run();
  const result = conversation.view.messages().find(({ role }) => role === 'tool')!;
  const said = result.content.map((each) => (each.type === 'text' ? each.text : '')).join('');
  const bodies = server.requests.map(({ body }) => body as { model: string; messages: unknown });
  return {
    said,
    asked: bodies
      .filter(({ model }) => model === 'draft-model')
      .map(({ model, messages }) => ({ model, text: JSON.stringify(messages) })),
    conversation,
  };
}

const updated = (...content: string[]) => `Sure.\n<updated_code>\n${content.join('\n')}\n</updated_code>`;

test('a missing file is created from the draft without asking a model', async (t) => {
  const { said, asked } = await edit(t, { path: 'deep/a', content: 'draft\n' });
  assert.match(said, /Created/);
  assert.deepEqual([read('deep/a'), asked], ['draft\n', []]);
});

test('the draft model merges the range, and all other bytes stay the same', async (t) => {
  file('a', 'one\r\ntwo\r\nthree\nfour');
  const { said, asked, conversation } = await edit(
    t,
    { path: 'a', content: '# ... as before ...\nTWO', start: 1, end: 2 },
    updated('#EDIT: the second', 'one', 'TWO', 'more'),
  );
  assert.equal(read('a'), 'one\r\nTWO\r\nmore\r\nthree\nfour');
  assert.match(said, / one\n-two\n\+TWO\n\+more$/);
  assert.equal(asked.length, 1);
  assert.match(asked[0]!.text, /<original_code>\\none\\ntwo\\n<\/original_code>/);
  assert.match(asked[0]!.text, /<update_snippet>\\n# \.\.\. as before \.\.\.\\nTWO\\n<\/update_snippet>/);
  assert.ok('draft_editor' in conversation.state.stats.usage_to_metrics);
});

test('without a range the whole file is edited; start -1 appends without asking a model', async (t) => {
  file('a', 'one\ntwo\n');
  await edit(t, { path: 'a', content: '1\n2' }, updated('1', '2'));
  assert.equal(read('a'), '1\n2\n');
  const { asked } = await edit(t, { path: 'a', content: '3\n', start: -1 });
  assert.deepEqual([read('a'), asked], ['1\n2\n3\n', []]);
  file('unended', 'one');
  await edit(t, { path: 'unended', content: 'two\n', start: -1 });
  assert.equal(read('unended'), 'one\ntwo');
  file('empty', '');
  await edit(t, { path: 'empty', content: 'x' }, updated('x'));
  assert.equal(read('empty'), 'x\n');
  await edit(t, { path: 'empty', content: '' }, '<updated_code></updated_code>');
  assert.equal(read('empty'), '');
});

test('an answer without lines is requested again, three times in all', async (t) => {
  file('a', 'one\n');
  const again = await edit(t, { path: 'a', content: '1' }, 'no', 'still no', updated('1'));
  assert.deepEqual([read('a'), again.asked.length], ['1\n', 3]);
  const never = await edit(t, { path: 'a', content: '2' }, 'no', 'no', 'no');
  assert.match(never.said, /draft-model returned no lines.*3 attempts/);
  assert.deepEqual([read('a'), never.asked.length], ['1\n', 3]);
});

test('invalid ranges are refused; a range that is too long is refused with the most similar parts', async (t) => {
  file('a', lines(400).replace('line 250\n', 'def wanted():\n'));
  for (const range of [
    { start: 0 },
    { start: 401 },
    { start: 5, end: 4 },
    { start: 1, end: 401 },
    { start: -2 },
  ])
    assert.match((await edit(t, { path: 'a', content: 'x', ...range })).said, /not a range of .*\[1, 400\]/);
  const { said, asked } = await edit(t, { path: 'a', content: '  def wanted():\n  line 251\n' });
  assert.match(said, /400 lines, but at most 300.*\nLines 241 to 260:\n {3}241\tline 241\n/);
  assert.equal(said.match(/^Lines \d+ to \d+:$/gm)?.length, 3);
  assert.deepEqual([asked, read('a').includes('def wanted')], [[], true]);
  mkdirSync(join(folder, 'sub'));
  assert.match((await edit(t, { path: 'sub', content: 'x' })).said, /is not a file/);
});

test('a file keeps its encoding', async (t) => {
  file('a', iconv.encode('# coding: cp1251\nмир\n', 'windows-1251'));
  await edit(t, { path: 'a', content: 'дом', start: 2, end: 2 }, updated('дом'));
  assert.equal(iconv.decode(readFileSync(join(folder, 'a')), 'windows-1251'), '# coding: cp1251\nдом\n');
});

test('a call locks its file', async () => {
  const { tools, close } = await tryTools(editFileTool, { folder });
  assert.deepEqual(tools[0]!.resources!({ path: 'a' } as never), [`file:${folder}/a`]);
  await close();
});

test('with a linter, the other model fixes new errors before the file is written', async (t) => {
  file('a.sh', 'if true; then\n  echo one\nfi\n');
  const { said, asked } = await editWith(
    t,
    { enable_auto_lint: true },
    { path: 'a.sh', content: 'echo two', start: 2, end: 2 },
    updated('  echo "two'),
    updated('  echo "two"'),
  );
  assert.equal(read('a.sh'), 'if true; then\n  echo "two"\nfi\n');
  assert.doesNotMatch(said, /faults/);
  assert.equal(asked.length, 2);
  assert.match(asked[1]!.text, /A linter reports.*line \d+: .*original_code>\\n {2}echo \\+"two\\n/);
});

test('remaining errors are written and reported, earlier ones are not; without the param nothing is linted', async (t) => {
  const bad = '  echo "two';
  file('a.sh', 'if true; then\n  echo one\nfi\n');
  const range = { path: 'a.sh', content: 'echo two', start: 2, end: 2 };
  const tried = await editWith(t, { enable_auto_lint: true }, range, ...Array(6).fill(updated(bad)));
  assert.equal(read('a.sh'), `if true; then\n${bad}\nfi\n`);
  assert.match(tried.said, /The edit caused these errors:\n.*line \d+: /);
  assert.equal(tried.asked.length, 6);
  const again = await editWith(t, { enable_auto_lint: true }, { ...range, start: -1, content: '# more' });
  assert.doesNotMatch(again.said, /faults/);
  file('b.sh', 'echo one\n');
  const off = await edit(t, { path: 'b.sh', content: 'x' }, updated(bad));
  assert.deepEqual([/faults/.test(off.said), off.asked.length], [false, 1]);
});

test('errors in Python are found if Python is installed', async (t) => {
  const workspace = openLocalWorkspace(folder);
  if ((await workspace.which(['flake8', 'python3', 'python'])).length === 0) return t.skip('needs python');
  assert.match(
    (await faultsOf('a.py', 'x = 1\nif x:\ny = 2\n', workspace, new AbortController().signal)).join(),
    /3.*indent/,
  );
  assert.deepEqual(await faultsOf('a.py', 'x = 1\n', workspace, new AbortController().signal), []);
  assert.deepEqual(await faultsOf('a.unknown', 'x = (', workspace, new AbortController().signal), []);
  await workspace.close();
});
