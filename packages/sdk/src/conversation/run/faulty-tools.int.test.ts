/** Tools that are written wrong: each call has its result, the run goes on, and the conversation can be opened again. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import * as z from 'zod';
import { text, textOf } from '../../event/content.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool, type ToolDefinition } from '../../tool/define-tool.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import type { OpenOptions } from '../open-options.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-faulty-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Tried {
  readonly said: string | undefined;
  readonly warnings: readonly string[];
  readonly action: object | undefined;
}

/** One call in a conversation that is stored, and opened once more. */
async function called(tool: ToolFactory, args: object): Promise<Tried> {
  const turns = [{ tool_calls: [{ name: tool.name, arguments: { ...args } }] }, { text: 'done' }];
  const warnings: string[] = [];
  const common: OpenOptions = {
    model: { llm: scriptedLlm({ turns }) },
    tools: [tool],
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process' },
  };
  const conversation = await Conversation.open({
    ...common,
    agent: { llm: { model: 'scripted/x' }, tools: [{ name: tool.name, params: {} }] },
  });
  conversation.subscribe({
    onNotice: (notice) => {
      if (notice.type === 'warning') warnings.push(notice.text);
    },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
  const { id } = conversation;
  const messages = conversation.view.messages();
  const action = conversation.view.events.find((event) => event.kind === 'ActionEvent')?.action;
  await conversation.close();
  const again = await Conversation.open({
    ...common,
    place: { ...common.place, id },
    workspace: openLocalWorkspace(folder),
  });
  assert.deepEqual(again.view.messages(), messages);
  await again.close();
  const results = messages.filter(({ role }) => role === 'tool');
  assert.equal(results.length, 1);
  return { said: textOf(results[0]?.content ?? []), warnings, action };
}

/** As it is written without types. */
function faulty(definition: object): ToolFactory {
  const whole = { name: 'faulty', description: 'd', input: z.object({}), run: () => 'ok', ...definition };
  return defineTool(whole as ToolDefinition<object>);
}

const circle: { [key: string]: unknown } = {};
circle['inner'] = { circle };
const body = (more: object) => ({ content: [text('x')], is_error: false, ...more });

const answers: readonly [string, unknown, RegExp][] = [
  ['nothing', undefined, /tool faulty returned an invalid answer: a text, a list of content/],
  ['a number', 42, /a text, a list of content/],
  ['an object of its own', { rows: 3 }, /a text, a list of content/],
  ['content that is text', { content: 'x', is_error: false }, /a text, a list of content/],
  ['an error that is a text', { content: [], is_error: 'no' }, /a text, a list of content/],
  ['a list of texts', ['a', 'b'], /not a list of texts and images/],
  ['a part without text', { content: [{ type: 'text' }], is_error: false }, /not a list of texts and images/],
  ['a BigInt', body({ sums: [1n] }), /sums\.0 is a BigInt/],
  ['a circle', body({ circle }), /circle\.inner\.circle contains itself/],
  ['bytes', body({ file: Buffer.from('x') }), /file is bytes/],
];
for (const [what, answer, said] of answers) {
  test(`a tool that returns ${what} has failed, and the result says why`, async () => {
    const tried = await called(faulty({ run: () => answer }), {});
    assert.match(tried.said ?? '', said);
  });
}

test('a schema whose own check throws is reported to the model, and does not end the run', async () => {
  const failing = () => {
    throw new TypeError('the list of names is gone');
  };
  const checks: readonly [z.ZodType, RegExp][] = [
    [z.object({ a: z.string().refine(failing) }), /could not be checked: the list of names is gone/],
    [z.object({ a: z.string().refine(async () => true) }), /could not be checked: .*Promise/],
    [z.object({ a: z.string().transform((a) => BigInt(a.length)) }), /cannot be stored: a is a BigInt/],
  ];
  for (const [input, said] of checks) assert.match((await called(faulty({ input }), { a: 'x' })).said!, said);
});

test('a rendering that fails leaves the result as it is stored', async () => {
  const failing = () => {
    throw new Error('of an older version');
  };
  for (const render of [failing, () => 'no list'])
    assert.equal((await called(faulty({ render }), {})).said, 'ok');
});

test('a tool that fails to prepare itself causes a warning, and the process continues', async () => {
  const failing = () => {
    throw new Error('no port is free');
  };
  for (const prepare of [failing, async () => failing()]) {
    const prepared = Promise.withResolvers<void>();
    const tool = faulty({
      prepare: () => {
        prepared.resolve();
        return prepare();
      },
      run: async () => {
        await prepared.promise;
        return 'ok';
      },
    });
    const { said, warnings } = await called(tool, {});
    assert.equal(said, 'ok');
    assert.deepEqual(warnings, ['the tool faulty is not ready: Error: no port is free']);
  }
});

test('a parameter named kind also reaches a tool of the caller’s own, and does not change the action’s kind', async () => {
  const tool = faulty({
    input: z.object({ kind: z.string(), data: z.string() }),
    run: (input: object) => JSON.stringify(input),
    resources: ({ kind }: { kind: string }) => [`index:${kind}`],
  });
  const args = { kind: 'search', data: 'own' };
  const { said, action } = await called(tool, args);
  assert.equal(said, JSON.stringify(args));
  assert.deepEqual(action, { data: args, kind: 'FaultyAction' });
});

test('a tool may change its arguments; the stored action stays the same', async () => {
  const tool = faulty({
    input: z.object({ names: z.array(z.string()) }),
    run: ({ names }: { names: string[] }) => names.sort().join(),
  });
  const { said, action } = await called(tool, { names: ['b', 'a'] });
  assert.equal(said, 'a,b');
  assert.deepEqual(action, { names: ['b', 'a'], kind: 'FaultyAction' });
});

test('a schema that cannot be described to a model is reported with the name of its tool', async () => {
  const tool = faulty({ input: z.object({ at: z.date() }) });
  await assert.rejects(
    called(tool, {}),
    /parameters of the tool "faulty" cannot be described to a model: Date/,
  );
});
