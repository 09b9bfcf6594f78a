/** Tools that ask their conversation for something: another model, a skill, an image. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Content, Conversation, type LlmConfig, openLocalWorkspace, textOf } from '@longhand/sdk';
import { knowledgeOf } from '@longhand/sdk/internal';
import { type Reply, startModelServer } from '@longhand/sdk/testing';
import { builtinTools, taskTrackerTool } from './index.ts';

interface Scene {
  readonly folder: string;
  readonly run: (words: string | readonly Content[]) => Promise<readonly string[]>;
  readonly models: () => readonly unknown[];
  readonly requests: () => readonly object[];
  readonly conversation: Conversation;
}

async function scene(
  t: TestContext,
  replies: readonly Reply[],
  tools: readonly { readonly name: string; readonly params?: object }[],
  profiles: { readonly [name: string]: Partial<LlmConfig> } = {},
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-tools-'));
  const server = await startModelServer((_, index) => replies[index] ?? { text: 'done' });
  const llm = { model: 'blind', endpoint: { baseUrl: `${server.url}/v1` } };
  const conversation = await Conversation.open({
    agent: {
      llm,
      tools: tools.map(({ name, params = {} }) => ({ name, params: { ...params } })),
      context: { loadProjectSkills: true },
    },
    tools: builtinTools,
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process' },
    model: { profile: (name) => (profiles[name] === undefined ? undefined : { ...llm, ...profiles[name] }) },
  });
  t.after(async () => {
    await conversation.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const requests = () => server.requests.map(({ body }) => body as { readonly model: unknown });
  return {
    folder,
    conversation,
    requests,
    models: () => requests().map(({ model }) => model),
    run: async (words) => {
      await conversation.send(words);
      await conversation.run();
      return conversation.view
        .messages()
        .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));
    },
  };
}

const call = (name: string, args: object): Reply => ({ toolCalls: [{ name, arguments: { ...args } }] });

test('switch_llm: another model from the next turn on, also after the conversation is resumed', async (t) => {
  const { run, models, conversation } = await scene(
    t,
    [
      call('switch_llm', { profile_name: 'strong', reason: 'hard' }),
      call('switch_llm', { profile_name: 'none', reason: 'hard' }),
    ],
    [{ name: 'switch_llm', params: { profiles: ['strong'] } }],
    { strong: { model: 'strong-model' } },
  );
  const results = await run('go');
  assert.match(results[0]!, /strong-model/);
  assert.match(results[1]!, /no model profile "none"/);
  assert.deepEqual(models(), ['blind', 'strong-model', 'strong-model']);
  const { agent } = conversation.baseState() as {
    readonly agent: { readonly llm: { readonly model: string } };
  };
  assert.equal(agent.llm.model, 'strong-model');
});

test('invoke_skill: a whole skill with its folder; an unknown name is reported with the available ones', async (t) => {
  const { folder, run } = await scene(
    t,
    [call('invoke_skill', { name: 'deploy' }), call('invoke_skill', { name: 'nope' })],
    [{ name: 'invoke_skill' }],
  );
  write(join(folder, '.agents/skills/deploy/SKILL.md'), SKILL);
  const [first, second] = await run('go');
  assert.match(first!, /Today: !`echo now`/);
  assert.match(first!, /relative to \.\/\.agents\/skills\/deploy/);
  assert.match(second!, /no skill "nope".*deploy/);
});

test('commands in a skill run only with consent; code and escaped ones never do', async (t) => {
  const { folder, run } = await scene(
    t,
    [call('invoke_skill', { name: 'deploy' })],
    [{ name: 'invoke_skill', params: { run_commands: true } }],
  );
  write(join(folder, '.agents/skills/deploy/SKILL.md'), SKILL);
  const [said] = await run('go');
  assert.match(said!, /Today: now\. Not: !`echo no`\. Code: `a !`\. Bad: \[exit code 3\] oops/);
});

const SKILL =
  '---\nname: deploy\ndescription: how\n---\nToday: !`echo now`. Not: \\!`echo no`. Code: `a !`. Bad: !`echo oops; exit 3`\n';

test('inspect_image_with_vision: a model with vision answers about the user image', async (t) => {
  const PIXEL =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const { run, models, requests } = await scene(
    t,
    [
      call('inspect_image_with_vision', { image_index: 0, question: 'What colour?', profile_name: 'eyes' }),
      { text: 'Blue.' },
      call('inspect_image_with_vision', { image_index: 4, question: 'And this?' }),
      call('inspect_image_with_vision', { image_index: 0, question: 'And this?' }),
    ],
    [{ name: 'inspect_image_with_vision' }],
    { eyes: { model: 'gpt-5' } },
  );
  const results = await run([
    { type: 'text', text: 'look' },
    { type: 'image', image_urls: [PIXEL] },
  ]);
  assert.equal(results[0], 'Blue.');
  assert.match(results[1]!, /0 to 0/);
  assert.match(results[2]!, /cannot see/);
  assert.equal(models()[1], 'gpt-5');
  assert.match(JSON.stringify(requests()[1]), /What colour\?.*image/);
});

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

test('with the task list, the prompt says how to keep it, to models of every maker', async (t) => {
  const workspace = openLocalWorkspace(tmpdir());
  t.after(() => workspace.close());
  const tools = await taskTrackerTool.create(
    { workspace, files: null, vision: false, onWarning: () => undefined },
    {},
  );
  for (const model of ['openai/gpt-5.5', 'anthropic/claude-sonnet-5', 'gemini/gemini-3.8-flash', 'mystery']) {
    const knowledge = knowledgeOf({ workspace }, { llm: { model } });
    const sections = await knowledge.staticPrompt(tools);
    assert.match(
      sections.find(({ section }) => section === 'tasks')?.text ?? '',
      /write the task list/,
      model,
    );
    const without = await knowledge.staticPrompt([]);
    assert.doesNotMatch(without.map(({ text }) => text).join(), /task list/, model);
  }
});
