import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { text, textOf } from '../../event/content.ts';
import type { Event } from '../../event/kinds.ts';
import type { LLM, Prompt } from '../../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { type ReplaySource, replay } from '../replay/replay.ts';
import { storedReplaySource } from '../replay/replay-source.ts';
import { parseHookConfig } from './hook-config.ts';

const echo: ToolFactory = {
  name: 'echo',
  create: () => [
    defineTool({
      name: 'echo',
      kind: { tool: 'EchoTool', action: 'EchoAction', observation: 'EchoObservation' },
      description: 'says it again',
      input: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      run: async ({ words }: { words: string }) => ({ content: [text(words)], is_error: false }),
    }),
  ],
};

const CALL: ScriptedTurn = { tool_calls: [{ id: 'c', name: 'echo', arguments: { words: 'said' } }] };
const DONE: ScriptedTurn = { text: 'done' };

interface Scene {
  readonly folder: string;
  readonly conversation: Conversation;
  /** The events of the branch, as they are. */
  events(): Event[];
  kinds(): string[];
}

async function scene(
  t: TestContext,
  hooks: object,
  turns: readonly ScriptedTurn[] | LLM = [CALL, DONE],
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-hooks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const conversation = await Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [{ name: 'echo', params: {} }] },
    model: { llm: 'complete' in turns ? turns : scriptedLlm({ turns }) },
    tools: [
      echo,
      { ...echo, name: 'finish', create: () => [] },
      { ...echo, name: 'think', create: () => [] },
    ],
    workspace: openLocalWorkspace(folder),
    oversight: { hooks: parseHookConfig(hooks) },
  });
  t.after(() => conversation.close());
  const events = () =>
    [...conversation.log.read()]
      .map(([, event]) => event)
      .filter(({ kind }) => kind !== 'ConversationStateUpdateEvent');
  return { folder, conversation, events, kinds: () => events().map(({ kind }) => kind) };
}

const command = (line: string, more: object = {}) => [
  { matcher: '*', hooks: [{ type: 'command', command: line, ...more }] },
];

function sourceOf({ conversation, folder, events }: Scene): ReplaySource {
  return { id: conversation.id, events: events(), agent: conversation.agent, workingDir: folder };
}

async function run({ conversation }: Scene): Promise<void> {
  await conversation.send('go');
  await conversation.run();
}

/** What a hook before a tool does, and whether the call is carried out all the same. */
const VERDICTS: readonly (readonly [why: string, line: string, more: object, refusal: string | null])[] = [
  ['exit 0', 'exit 0', {}, null],
  ['exit 2, with what it said', 'echo "not this" >&2; exit 2', {}, 'not this'],
  ['a decision to deny', `echo '{"decision":"deny","reason":"no"}'`, {}, 'no'],
  ['continue: false', `echo '{"continue":false}'`, {}, 'refused by a hook'],
  [
    'exit 2 is not taken back by what it prints',
    `echo '{"decision":"allow"}'; exit 2`,
    {},
    'refused by a hook',
  ],
  ['a decision that is no word', `echo '{"decision":{"a":1}}'`, {}, null],
  ['a decision that is no word, with exit 2', `echo '{"decision":5}'; exit 2`, {}, 'refused by a hook'],
  ['garbage', 'echo ]]]', {}, null],
  ['a crash', 'exit 7', {}, null],
  ['a crash, fail closed', 'exit 7', { fail_closed: true }, 'the hook failed with exit code 7'],
  ['no answer in time', 'sleep 60', { timeout: 0.1 }, null],
  [
    'no answer in time, fail closed',
    'sleep 60',
    { timeout: 0.1, fail_closed: true },
    'the hook took longer than 0.1 s',
  ],
];

for (const [why, line, more, refusal] of VERDICTS) {
  test(`before a tool: ${why}`, async (t) => {
    const here = await scene(t, { pre_tool_use: command(line, more) });
    await run(here);
    const result = here.events().find((event) => 'tool_call_id' in event && event.kind !== 'ActionEvent');
    assert.equal(result?.kind === 'UserRejectObservation' ? result.rejection_reason : null, refusal);
    const hook = here.events().find((event) => event.kind === 'HookExecutionEvent');
    assert.ok(hook?.kind === 'HookExecutionEvent');
    assert.deepEqual(
      [hook.hook_event_type, hook.tool_name, hook.blocked],
      ['PreToolUse', 'echo', refusal !== null],
    );
    assert.equal((await replay(sourceOf(here), { tools: [echo], strict: true })).difference, undefined);
    // Each event follows the one before it.
    for (const [i, event] of here.events().entries())
      if (i > 0) assert.equal(event.parent_id, here.events()[i - 1]!.id);
  });
}

test('a hook gets its event on standard input and in its environment', async (t) => {
  const line =
    'cat > seen.json; echo "$LONGHAND_EVENT_TYPE $OPENHANDS_TOOL_NAME $OPENHANDS_PROJECT_DIR" > seen.env';
  const here = await scene(t, { PostToolUse: command(line) });
  await run(here);
  const seen = JSON.parse(readFileSync(join(here.folder, 'seen.json'), 'utf8'));
  assert.deepEqual(
    [
      seen.event_type,
      seen.tool_name,
      seen.tool_input.words,
      seen.tool_response.content[0].text,
      seen.message,
      seen.working_dir,
    ],
    ['PostToolUse', 'echo', 'said', 'said', null, here.folder],
  );
  assert.equal(seen.session_id, here.conversation.id);
  assert.equal(readFileSync(join(here.folder, 'seen.env'), 'utf8'), `PostToolUse echo ${here.folder}\n`);
});

test('a message that a hook refuses is not sent; a hook can add context to one that it accepts', async (t) => {
  const add = `echo '{"additionalContext":"MORE"}'`;
  const refused = await scene(t, { user_prompt_submit: command(`${add}; exit 2`) });
  await assert.rejects(refused.conversation.send('go'), /a hook refused the message/);
  assert.deepEqual(refused.kinds(), ['HookExecutionEvent']);
  const passed = await scene(t, { user_prompt_submit: command(add) }, [CALL, DONE, { text: 'again' }]);
  await run(passed);
  await run(passed);
  const said = passed.events().find((event) => event.kind === 'MessageEvent' && event.source === 'user');
  assert.equal(said?.kind === 'MessageEvent' && textOf(said.extended_content ?? []), 'MORE');
  assert.equal((await replay(sourceOf(passed), { tools: [echo], strict: true })).difference, undefined);
});

test('an agent that wants to stop continues until the stop hook allows it', async (t) => {
  const line = `test -f checked || { touch checked; echo '{"decision":"deny","reason":"run the tests"}'; }`;
  const here = await scene(t, { stop: command(line) }, [DONE, { text: 'tests pass' }]);
  await run(here);
  const words = here.conversation.view.messages().map(({ content }) => textOf(content as never));
  assert.deepEqual(words.slice(-3), ['done', 'The run must not end yet: run the tests', 'tests pass']);
  assert.equal(here.conversation.state.status, 'finished');
  assert.equal((await replay(sourceOf(here), { tools: [echo], strict: true })).difference, undefined);
});

test('a conversation of two sessions with hooks around each is replayed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-hooks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hooks = {
    session_start: command('echo start'),
    session_end: command('echo end'),
    stop: command('true'),
  };
  const turns = [CALL, DONE, CALL, CALL, DONE];
  const session = async (id?: string) => {
    const conversation = await Conversation.open({
      agent: { llm: { model: 'scripted' }, tools: [{ name: 'echo', params: {} }] },
      model: { llm: scriptedLlm({ turns }) },
      tools: [echo],
      workspace: openLocalWorkspace(folder),
      place: { conversationsDir: folder, durability: 'process', id },
      oversight: { hooks: parseHookConfig(hooks) },
    });
    await conversation.send('go');
    await conversation.run();
    await conversation.close();
    return conversation;
  };
  const { id, directory } = await session();
  await session(id);
  const source = await storedReplaySource(directory ?? '');
  assert.equal(source.events.filter(({ kind }) => kind === 'HookExecutionEvent').length, 6);
  const report = await replay(source, { tools: [echo], strict: true });
  assert.deepEqual(report, { reproduced: source.events.length, recorded: source.events.length });
});

test('sessions begin and end once; an asynchronous hook is ended with the conversation', async (t) => {
  const here = await scene(t, {
    session_start: [
      ...command('echo start >> log'),
      ...command('sleep 60; echo late >> log', { async: true }),
    ],
    session_end: command('echo end >> log'),
  });
  await run(here);
  await here.conversation.close();
  assert.equal(readFileSync(join(here.folder, 'log'), 'utf8'), 'start\nend\n');
  await sleep(50);
  assert.ok(!existsSync(join(here.folder, 'late')));
});

test('what a hook says at the start of a session is stored on behalf of the hook, and in the first request', async (t) => {
  const model = scriptedLlm({ turns: [DONE] });
  const asked: Prompt[] = [];
  const line = `echo '{"additionalContext":"the deploy is frozen"}'`;
  const here = await scene(
    t,
    { SessionStart: command(line) },
    {
      ...model,
      complete: (prompt, options) => {
        asked.push(prompt);
        return model.complete(prompt, options);
      },
    },
  );
  await run(here);
  assert.match(textOf(asked[0]!.messages.at(-1)!.content), /the deploy is frozen$/);
  const said = here.events().find((event) => event.kind === 'MessageEvent' && event.source === 'environment');
  assert.equal(said?.kind === 'MessageEvent' && said.sender, 'hook:context');
});

test('an asynchronous hook that starts at the very end is ended as well', async (t) => {
  const here = await scene(t, { session_end: command('sleep 3; touch late', { async: true }) });
  await run(here);
  await here.conversation.close();
  assert.ok(!existsSync(join(here.folder, 'late')));
});

test('an interrupt does not wait for a hook: before a message, at the beginning, at the end', async (t) => {
  const line = 'echo $$ > beginning; mv beginning begun; exec sleep 60';
  const begun = async ({ folder }: Scene) => {
    while (!existsSync(join(folder, 'begun'))) await sleep(5);
  };
  const before = await scene(t, { user_prompt_submit: command(line) });
  const sent = before.conversation.send('go');
  await begun(before);
  before.conversation.interrupt();
  await assert.rejects(sent, { name: 'AbortError' });
  assert.deepEqual(before.kinds(), []);

  const first = await scene(t, { session_start: command(line) });
  await first.conversation.send('go');
  const outcome = first.conversation.run();
  await begun(first);
  first.conversation.interrupt();
  assert.equal((await outcome).kind, 'interrupted');

  const last = await scene(t, { session_end: command(line) });
  await run(last);
  const closed = last.conversation.close();
  await begun(last);
  last.conversation.interrupt();
  await closed;
  const pid = Number(readFileSync(join(last.folder, 'begun'), 'utf8'));
  while (isThere(pid)) await sleep(5);
});

test('a hook that does not read its input gets no more time than others', async (t) => {
  const here = await scene(t, { user_prompt_submit: command('exec sleep 5', { timeout: 0.1 }) });
  await here.conversation.send('x'.repeat(1_000_000));
  const hook = here.events().find((event) => event.kind === 'HookExecutionEvent');
  assert.equal(hook?.kind === 'HookExecutionEvent' && hook.error, 'the hook took longer than 0.1 s');
});

test('a policy in words is judged by a model; no verdict is not a refusal, unless the hook fails closed', async (t) => {
  const policy = (more: object = {}) => ({
    pre_tool_use: [{ matcher: 'echo', hooks: [{ type: 'prompt', prompt: 'no echo', ...more }] }],
  });
  const judge = async (answer: string, more: object) => {
    const turns = [CALL, DONE];
    const here = await scene(t, policy(more), turns);
    const llm = await here.conversation.llm('prompt-hook');
    (llm as { complete: unknown }).complete = async () => ({
      message: { role: 'assistant', content: [text(answer)] },
    });
    await run(here);
    return here.kinds().includes('UserRejectObservation');
  };
  assert.equal(await judge('{"decision":"deny","reason":"policy"}', {}), true);
  assert.equal(await judge('{"decision":"allow"}', {}), false);
  assert.equal(await judge('well...', {}), false);
  assert.equal(await judge('well...', { fail_closed: true }), true);
});

test('an agent hook investigates before it judges, with its own tools and without hooks', async (t) => {
  const judge = async (answer: string, more: object = {}) => {
    const hook = { type: 'agent', name: 'guard', prompt: 'no echo', tools: ['echo'], ...more };
    const look: ScriptedTurn = { tool_calls: [{ id: 'l', name: 'echo', arguments: { words: 'looked' } }] };
    const ours = scriptedLlm({ turns: [CALL, DONE] });
    const guard = scriptedLlm({ turns: [look, { text: answer }] });
    const seen: string[] = [];
    const complete: LLM['complete'] = async (prompt, options) => {
      const words = JSON.stringify(prompt.messages);
      if (!words.includes('<POLICY>')) return await ours.complete(prompt, options);
      seen.push(words);
      return await guard.complete(prompt, options);
    };
    const here = await scene(t, { pre_tool_use: [{ hooks: [hook] }] }, { ...ours, complete });
    await run(here);
    return { seen, refused: here.kinds().includes('UserRejectObservation') };
  };
  const denied = await judge('{"decision":"deny","reason":"policy"}');
  assert.equal(denied.refused, true);
  assert.match(denied.seen[1] ?? '', /"looked"/);
  assert.equal((await judge('{"decision":"allow"}')).refused, false);
  assert.equal((await judge('well...')).refused, false);
  assert.equal((await judge('well...', { fail_closed: true })).refused, true);
  assert.equal((await judge('{"decision":"allow"}', { max_iterations: 1, fail_closed: true })).refused, true);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // which is the answer
  }
}
