import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Agent } from '../agent/agent.ts';
import { text, textOf } from '../event/content.ts';
import type { Event } from '../event/kinds.ts';
import { LLMError } from '../llm/errors.ts';
import type { LLM, ModelInfo } from '../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { defineTool } from '../tool/define-tool.ts';
import { ToolError, type ToolFactory } from '../tool/tool.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { Conversation } from './conversation.ts';
import { parseHookConfig } from './hooks/hook-config.ts';
import type { OpenOptions } from './open-options.ts';
import { replay } from './replay/replay.ts';
import { storedReplaySource } from './replay/replay-source.ts';
import { forkDirectory } from './store/fork.ts';
import { conversationDirectory } from './store/location.ts';
import { readConversation } from './store/read.ts';

let folder: string;
const open: Conversation[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-conversation-'));
});
afterEach(async () => {
  for (const conversation of open.splice(0)) await conversation.close();
  rmSync(folder, { recursive: true, force: true });
});

const hints = { destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** `mark` leaves a line in a file; `look` only reads; `wait` ends when it is aborted; `finish` ends the run. */
const tools: ToolFactory[] = [
  tool('mark', { word: z.string() }, false, async ({ word }) => {
    if (word === 'bad') throw new ToolError('that word is not for marking');
    appendFileSync(join(folder, 'ledger'), `${word}\n`);
    return `marked ${word}`;
  }),
  tool('look', {}, true, async () => {
    appendFileSync(join(folder, 'looks'), 'look\n');
    return 'seen';
  }),
  tool(
    'wait',
    {},
    false,
    (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ),
  tool('finish', { message: z.string() }, true, async ({ message }) => message ?? '', true),
];

function tool(
  name: string,
  shape: z.ZodRawShape,
  readOnlyHint: boolean,
  run: (input: { [key: string]: string }, signal: AbortSignal) => Promise<string>,
  endsRun = false,
): ToolFactory {
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  const made = defineTool({
    name,
    kind: { tool: `${kind}Tool`, action: `${kind}Action`, observation: `${kind}Observation` },
    description: `does ${name}`,
    input: z.object(shape),
    annotations: { ...hints, readOnlyHint },
    endsRun,
    run: async (input, { signal }) => ({
      content: [text(await run(input as { [key: string]: string }, signal))],
      is_error: false,
    }),
  });
  return { name, create: () => [made] };
}

const agent: Agent = { llm: { model: 'scripted' }, tools: tools.map(({ name }) => ({ name, params: {} })) };

async function conversation(
  turns: readonly ScriptedTurn[] | LLM,
  options: Partial<OpenOptions> = {},
): Promise<Conversation> {
  const llm = 'complete' in turns ? turns : scriptedLlm({ turns });
  const opened = await Conversation.open({
    agent,
    tools,
    workspace: openLocalWorkspace(folder),
    ...options,
    model: { llm, ...options.model },
    place: { conversationsDir: folder, durability: 'process', ...options.place },
  });
  open.push(opened);
  return opened;
}

const call = (name: string, args: object | string = {}) => ({
  name,
  arguments: args as { [key: string]: unknown } | string,
});
const finish: ScriptedTurn = { tool_calls: [call('finish', { message: 'all done' })] };
const ledger = () =>
  existsSync(join(folder, 'ledger')) ? readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n') : [];
const kinds = (c: Conversation) => [...c.log.read()].map(([, event]) => event.kind);

/** Ids of calls with the ids of the results behind them, of the prompt as it stands. */
function pairing(c: Conversation): string[] {
  return c.view
    .messages()
    .flatMap((message) =>
      message.tool_calls !== undefined
        ? message.tool_calls.map(({ id }) => `call ${id}`)
        : message.role === 'tool'
          ? [`result ${message.tool_call_id}`]
          : [],
    );
}

test('a task is worked on until the conversation is finished, and every event is on disk', async () => {
  const c = await conversation([{ text: 'I mark.', tool_calls: [call('mark', { word: 'one' })] }, finish]);
  await c.send('mark one');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'all done' });
  assert.deepEqual(ledger(), ['one']);
  assert.equal(c.state.status, 'finished');
  const files = readdirSync(join(c.directory!, 'events')).sort();
  assert.deepEqual(
    files,
    [...c.log.read()].map(([i, event]) => `event-${String(i).padStart(5, '0')}-${event.id}.json`),
  );
  assert.deepEqual(
    kinds(c).filter((kind) => kind !== 'ConversationStateUpdateEvent'),
    [
      'SystemPromptEvent',
      'MessageEvent',
      'ActionEvent',
      'ObservationEvent',
      'ActionEvent',
      'ObservationEvent',
    ],
  );
});

test('listeners get each event in order once it is on disk, and one that throws does not affect the others', async () => {
  const c = await conversation([{ tool_calls: [call('mark', { word: 'x' })] }, finish]);
  const heard: number[] = [];
  const warned = new Promise((resolve) => process.once('warning', resolve));
  c.subscribe({
    onEvent: () => {
      throw new Error('a bad listener');
    },
  });
  c.subscribe({
    onEvent: (event, index) => {
      assert.ok(
        existsSync(join(c.directory!, 'events', `event-${String(index).padStart(5, '0')}-${event.id}.json`)),
      );
      heard.push(index);
    },
  });
  await c.send('go');
  await c.run();
  await warned;
  assert.deepEqual(heard, [...heard.keys()]);
  assert.equal(heard.length, c.log.length);
});

test('malformed, unknown and invalid calls each get their own result, and the run continues', async () => {
  const c = await conversation([
    {
      tool_calls: [
        call('mark', '{"word": "cut'),
        call('fly', { high: true }),
        call('mark', { wrong: 1 }),
        call('mark', { word: 'good' }),
        call('mark', { word: 'bad' }),
        call('mark', { word: 'never', colour: 1 }),
      ],
    },
    finish,
  ]);
  await c.send('go');
  assert.equal((await c.run()).kind, 'finished');
  assert.deepEqual(ledger(), ['good']);
  const errors = [...c.log.read()].flatMap(([, event]) =>
    event.kind === 'AgentErrorEvent' ? [event.error] : [],
  );
  assert.deepEqual(
    [
      ...[/not valid JSON/, /no tool "fly"/, /word: is missing; wrong: no such parameter, it takes word$/],
      ...[/\(given: word, colour\)\. colour: no such parameter, it takes word$/, /not for marking/],
    ].map((pattern, i) => pattern.test(errors[i] ?? '')),
    [true, true, true, true, true],
    errors.join('\n'),
  );
  assert.doesNotMatch(errors[2]!, /1\b/); // names of parameters, never values
});

test('calls after finish get a result without being executed; results keep the order of the calls', async () => {
  const c = await conversation([
    {
      tool_calls: [
        call('look'),
        call('finish', { message: 'end' }),
        call('mark', { word: 'late' }),
        call('nope'),
      ],
    },
  ]);
  await c.send('go');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'end' });
  assert.deepEqual(ledger(), []);
  assert.deepEqual(
    pairing(c),
    [0, 1, 2, 3].map((i) => `call call_0_${i}`).concat([0, 1, 2, 3].map((i) => `result call_0_${i}`)),
  );
});

test('an answer of plain text ends the run, an empty answer does not', async () => {
  const c = await conversation([{ text: '' }, { text: 'The answer is 4.' }]);
  await c.send('2+2?');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'The answer is 4.' });
});

test('a message to a finished conversation continues it', async () => {
  const c = await conversation([finish, { text: 'again' }]);
  await c.send('one');
  await c.run();
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'all done' });
  await c.send('two');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'again' });
});

test('messages sent concurrently keep their order, after a single system prompt', async () => {
  const c = await conversation([finish]);
  await Promise.all(['one', 'two', 'three'].map((words) => c.send(words)));
  const said = [...c.log.read()].map(([, event]) =>
    event.kind === 'MessageEvent' ? textOf(event.llm_message.content) : event.kind,
  );
  const agent = 'ConversationStateUpdateEvent';
  assert.deepEqual(said, ['SystemPromptEvent', 'one', agent, 'two', 'three']);
});

test('every conversation records its agent in its log, and again only when the agent changes', async () => {
  const named = (c: Conversation) =>
    [...c.log].flatMap((event) =>
      event.kind === 'ConversationStateUpdateEvent' && event.key === 'tags' ? [event.value] : [],
    );
  const place = { id: '0f0f0f0f-0000-4000-8000-000000000000' };
  const first = await conversation([finish], { place });
  await first.send('go');
  await first.run();
  await first.send('more');
  assert.deepEqual(named(first), [{ agent: 'CodeActAgent' }]);
  assert.deepEqual([first.state.agentName, first.tags['agent']], ['CodeActAgent', 'CodeActAgent']);
  await first.close();
  const second = await conversation([finish], { agent: { ...agent, name: 'reviewer' }, place });
  await second.send('look at it');
  assert.deepEqual(named(second), [{ agent: 'CodeActAgent' }, { agent: 'reviewer' }]);
  await second.close();
  const third = await conversation([finish], { agent: undefined, place });
  assert.equal(third.agent.name, 'reviewer');
  assert.deepEqual(third.tags, { agent: 'reviewer' });
});

test('a message that was being sent when the run ended does not count as answered', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const script = scriptedLlm({ turns: [{ text: 'all done' }, { text: 'and this' }] });
  const llm: LLM = {
    ...script,
    complete: async (prompt, options) => {
      asked.resolve();
      await answer.promise;
      return await script.complete(prompt, options);
    },
  };
  const passes = join(folder, 'passes');
  const command = `case $(cat) in *late*) until [ -e '${passes}' ]; do sleep 0.02; done; esac`;
  const hooks = parseHookConfig({ user_prompt_submit: [{ hooks: [{ command }] }] });
  const c = await conversation(llm, { oversight: { hooks } });
  await c.send('one');
  const first = c.run();
  await asked.promise;
  const sent = c.send('late');
  answer.resolve();
  assert.deepEqual(await first, { kind: 'finished', message: 'all done' });
  writeFileSync(passes, '');
  await sent;
  assert.equal(c.state.status, 'idle');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'and this' });
});

test('limits on steps and cost end the run with an error that names them', async () => {
  const turns = Array.from({ length: 9 }, (_, i) => ({ tool_calls: [call('mark', { word: `${i}` })] }));
  const c = await conversation(turns, { limits: { maxIterations: 2 } });
  await c.send('go');
  const outcome = await c.run();
  assert.equal(outcome.kind === 'limit' && outcome.code, 'MaxIterationsReached');
  assert.deepEqual(ledger(), ['0', '1']);
  assert.equal(c.state.status, 'error');

  const usage = { prompt_tokens: 100, completion_tokens: 0 };
  const llm = scriptedLlm({
    turns: turns.map((turn) => ({ ...turn, usage })),
    price: { input_usd: 0.01, output_usd: 0 },
  });
  const paid = await conversation(llm, { limits: { maxBudgetUsd: 2.5 } });
  await paid.send('go');
  const ended = await paid.run();
  assert.equal(ended.kind === 'limit' && ended.code, 'MaxBudgetReached');
  assert.equal(paid.state.stats.usage_to_metrics['agent']?.accumulated_cost, 3);
});

test('a time limit beyond the range of timers does not expire at once', async () => {
  const c = await conversation([{ text: 'in time', delay_ms: 50 }], {
    limits: { maxTimeMs: 600 * 3_600_000 },
  });
  await c.send('go');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'in time' });
});

test('repeating the same call is stuck', async () => {
  const c = await conversation(Array.from({ length: 9 }, () => ({ tool_calls: [call('look')] })));
  await c.send('go');
  assert.equal((await c.run()).kind, 'stuck');
  assert.equal(c.state.status, 'stuck');
});

test('an interrupt ends the running call, gives every open call a result, and leaves a conversation that can continue', async () => {
  const c = await conversation([{ tool_calls: [call('wait'), call('mark', { word: 'after' })] }, finish]);
  await c.send('go');
  const unsubscribe = c.subscribe({
    onNotice: (notice) => notice.type === 'tool-start' && setImmediate(() => c.interrupt()),
  });
  assert.deepEqual(await c.run(), { kind: 'interrupted' });
  unsubscribe();
  assert.equal(c.view.openActions().length, 0);
  assert.deepEqual(ledger(), []);
  assert.equal((await c.run()).kind, 'finished');
});

test('an interrupt aborts the request to the model', async () => {
  const c = await conversation([{ delay_ms: 60_000, text: 'too late' }]);
  await c.send('go');
  c.subscribe({ onNotice: (notice) => notice.type === 'model-start' && setImmediate(() => c.interrupt()) });
  assert.deepEqual(await c.run(), { kind: 'interrupted' });
});

test('a pause ends the run between two steps', async () => {
  const c = await conversation([{ tool_calls: [call('mark', { word: 'a' })] }, finish]);
  await c.send('go');
  const unsubscribe = c.subscribe({ onEvent: (event: Event) => event.kind === 'ActionEvent' && c.pause() });
  assert.deepEqual(await c.run(), { kind: 'paused' });
  unsubscribe();
  assert.equal((await c.run()).kind, 'finished');
});

test('confirmation: nothing is executed before it is approved, and a rejection reaches the model', async () => {
  const options = { oversight: { confirmation: { kind: 'AlwaysConfirm' } } } as const;
  const c = await conversation(
    [{ tool_calls: [call('mark', { word: 'no' })] }, { tool_calls: [call('mark', { word: 'yes' })] }, finish],
    options,
  );
  await c.send('go');
  assert.deepEqual(await c.run(), { kind: 'waiting' });
  assert.deepEqual(await c.run(), { kind: 'waiting' });
  await c.reject('rather not');
  assert.deepEqual(await c.run(), { kind: 'waiting' });
  await c.approve();
  assert.equal((await c.run()).kind, 'finished');
  assert.deepEqual(ledger(), ['yes']);
  assert.match(JSON.stringify(c.view.messages()), /rather not/);
});

test('a conversation that waits for confirmation still waits after it is reopened', async () => {
  const options = { oversight: { confirmation: { kind: 'AlwaysConfirm' } } } as const;
  const turns = [{ tool_calls: [call('mark', { word: 'x' })] }, finish];
  const first = await conversation(turns, options);
  await first.send('go');
  await first.run();
  await first.close();
  const again = await conversation(turns, { ...options, place: { id: first.id } });
  assert.deepEqual(await again.run(), { kind: 'waiting' });
  await again.approve();
  assert.equal((await again.run()).kind, 'finished');
});

/** The folder as it would be if the process had died right behind an event. */
function cutBehind(c: Conversation, isLast: (event: Event) => boolean): void {
  const last = [...c.log.read()].findIndex(([, event]) => isLast(event));
  const events = join(c.directory!, 'events');
  for (const file of readdirSync(events)
    .sort()
    .slice(last + 1))
    rmSync(join(events, file));
  rmSync(join(c.directory!, 'checkpoint.json'));
}

test('after a crash a read-only action is executed again, and any other gets a result that says its effect is unknown', async () => {
  const turns = [{ tool_calls: [call('look'), call('mark', { word: 'x' })] }, finish];
  const first = await conversation(turns);
  await first.send('go');
  await first.run();
  await first.close();
  cutBehind(first, (event) => event.kind === 'ActionEvent' && event.tool_name === 'mark');
  const again = await conversation(turns, { place: { id: first.id } });
  assert.equal((await again.run()).kind, 'finished');
  assert.deepEqual(ledger(), ['x']);
  assert.equal(readFileSync(join(folder, 'looks'), 'utf8'), 'look\nlook\n');
  assert.match(JSON.stringify(again.view.messages()), /ended before the result/);
  assert.deepEqual(pairing(again).slice(0, 4), [
    'call call_0_0',
    'call call_0_1',
    'result call_0_0',
    'result call_0_1',
  ]);
});

test('killed after any event, a resumed conversation ends in the same state with one result for every call', async () => {
  const turns = [
    { tool_calls: [call('mark', { word: 'a' }), call('nope')] },
    { tool_calls: [call('look')] },
    finish,
  ];
  const whole = await conversation(turns);
  await whole.send('go');
  await whole.run();
  await whole.close();
  for (let behind = 1; behind < whole.log.length; behind += 1) {
    const copy = await conversation(turns);
    await copy.send('go');
    await copy.run();
    await copy.close();
    let seen = -1;
    cutBehind(copy, () => ++seen === behind);
    const resumed = await conversation(turns, { place: { id: copy.id } });
    assert.equal((await resumed.run()).kind, 'finished', `behind event ${behind}`);
    const pairs = pairing(resumed);
    assert.equal(pairs.length, new Set(pairs).size);
    assert.equal(
      pairs.filter((each) => each.startsWith('call')).length,
      pairs.filter((each) => each.startsWith('result')).length,
    );
    await resumed.close();
  }
});

test('a resumed conversation sends the same bytes as before', async () => {
  const turns = [{ tool_calls: [call('mark', { word: 'a' })] }, { text: 'done' }, { text: 'and more' }];
  const first = await conversation(turns);
  await first.send('go');
  await first.run();
  const before = JSON.stringify(first.view.messages()).slice(0, -1);
  await first.close();
  for (const checkpoint of [true, false]) {
    if (!checkpoint) rmSync(join(first.directory!, 'checkpoint.json'));
    const again = await conversation(turns, { place: { id: first.id } });
    assert.ok(JSON.stringify(again.view.messages()).startsWith(before));
    await again.close();
  }
});

test('the exact messages of any step are rebuilt from the log', async () => {
  const sent: string[] = [];
  const scripted = scriptedLlm({
    turns: [{ tool_calls: [call('mark', { word: 'a' })] }, { tool_calls: [call('look')] }, finish],
  });
  const llm: LLM = {
    ...scripted,
    complete: (prompt, options) => {
      sent.push(JSON.stringify(prompt.messages));
      return scripted.complete(prompt, options);
    },
  };
  const c = await conversation(llm);
  await c.send('go');
  await c.run();
  const stored = await readConversation(c.directory!);
  const asked = [...c.log.read()].flatMap(([i, event]) => (event.kind === 'ActionEvent' ? [i - 1] : []));
  assert.deepEqual(
    await Promise.all(asked.map(async (at) => JSON.stringify(await stored.messagesAt(at)))),
    sent,
  );
  await stored.close();
});

test('a fork has the history up to its event and is independent afterwards', async () => {
  const turns = [{ tool_calls: [call('mark', { word: 'a' })] }, finish];
  const c = await conversation(turns);
  await c.send('go');
  await c.run();
  const at = [...c.log.read()].findIndex(([, event]) => event.kind === 'ObservationEvent');
  const id = await c.fork({ at });
  await c.close();
  const fork = await conversation([turns[0]!, { text: 'another end' }], { place: { id } });
  assert.equal(fork.view.events.length, 4);
  assert.equal(fork.state.stats.usage_to_metrics['agent'], undefined);
  assert.deepEqual(await fork.run(), { kind: 'finished', message: 'another end' });
});

test('a fork that cannot be made leaves nothing behind', async () => {
  const c = await conversation([finish]);
  await c.send('go');
  await c.close();
  writeFileSync(join(c.directory as string, 'base_state.json'), '{"id":');
  const before = readdirSync(folder);
  await assert.rejects(
    forkDirectory(c.directory as string, { conversationsDir: folder }),
    /base_state\.json cannot be read/,
  );
  assert.deepEqual(readdirSync(folder), before);
});

test('navigating back starts another branch; nothing is lost', async () => {
  const c = await conversation([finish, { text: 'not reached' }]);
  await c.send('one');
  await c.run();
  const message = [...c.log.read()].find(([, event]) => event.kind === 'MessageEvent')![1];
  const length = c.log.length;
  await c.navigate(message.id);
  assert.deepEqual(
    c.view.events.map((event) => event.kind),
    ['SystemPromptEvent', 'MessageEvent'],
  );
  assert.equal((await c.run()).kind, 'finished');
  assert.ok(c.log.length > length);
});

test('a second writer gets an error that names the holder of the conversation', async () => {
  const c = await conversation([finish]);
  await c.send('go');
  await assert.rejects(conversation([finish], { place: { id: c.id } }), (error: Error & { code: string }) => {
    return error.code === 'locked' && error.message.includes(`process ${process.pid}`);
  });
});

test('an unreadable base_state.json is rebuilt from the log', async () => {
  const c = await conversation([finish]);
  await c.send('go');
  await c.run();
  await c.close();
  const path = join(conversationDirectory(folder, c.id), 'base_state.json');
  writeFileSync(path, '{"id": "');
  const again = await conversation([finish], { place: { id: c.id } });
  assert.equal(again.state.status, 'finished');
  await again.close();
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).execution_status, 'finished');
});

test('a checkpoint that cannot be written is a warning, and the outcome of the run stays the same', async () => {
  const c = await conversation([finish]);
  mkdirSync(join(c.directory as string, 'checkpoint.json'));
  const warnings: string[] = [];
  c.subscribe({ onNotice: (notice) => notice.type === 'warning' && warnings.push(notice.text) });
  await c.send('go');
  assert.deepEqual(await c.run(), { kind: 'finished', message: 'all done' });
  assert.match(warnings.join('\n'), /^the checkpoint was not written: .*EISDIR/);
  const left = readdirSync(c.directory as string).filter((name) => name.endsWith('.tmp'));
  assert.deepEqual(left, []);
});

test('a model that fails ends the run with an error that is in the log', async () => {
  const c = await conversation([{ error: { code: 'LLMBadRequestError', message: 'no such model' } }]);
  await c.send('go');
  const outcome = await c.run();
  assert.equal(outcome.kind === 'error' && outcome.code, 'LLMBadRequestError');
  assert.ok(kinds(c).includes('ConversationErrorEvent'));
});

test('each purpose has its own account, and its own model if the specification names one', async () => {
  const script = join(folder, 'cheap.json');
  writeFileSync(script, JSON.stringify({ turns: [{ text: 'shorter', usage: { prompt_tokens: 7 } }] }));
  const opened = await conversation([{ text: 'done', usage: { prompt_tokens: 5 } }], {
    agent: { ...agent, llms: { condenser: { model: `scripted/${script}` } } },
  });
  await opened.send('go');
  await opened.run();
  const ask = async (usageId: string) => {
    const llm = await opened.llm(usageId);
    const messages = [{ role: 'user' as const, content: [text('go')] }];
    await llm.complete({ messages, tools: [] }, { signal: new AbortController().signal });
  };
  await ask('condenser');
  await ask('judge');
  const accounts = Object.entries(opened.ledger.stats.usage_to_metrics);
  assert.deepEqual(
    accounts.map(([id, metrics]) => [id, metrics.model_name, metrics.accumulated_token_usage.prompt_tokens]),
    [
      ['agent', 'scripted', 5],
      ['condenser', `scripted/${script}`, 7],
      ['judge', 'scripted', 5],
    ],
  );
});

test('a system prompt that fills the window is reported before any request', async () => {
  let asked = false;
  const llm: LLM = {
    model: { name: 'small', vision: false, contextWindow: 20 },
    usageId: 'agent',
    complete: async () => {
      asked = true;
      throw new Error('asked');
    },
  };
  const opened = await conversation(llm);
  await opened.send('go');
  const outcome = await opened.run();
  assert.equal(outcome.kind === 'error' && outcome.code, 'LLMContextWindowExceedError');
  assert.match(outcome.kind === 'error' ? outcome.detail : '', /small has a window of 20/);
  assert.equal(asked, false);
});

/** Overflows above so many bytes; summaries are made by the same model. */
function narrow(
  bytes: number,
  turns: readonly ScriptedTurn[],
): { readonly llm: LLM; readonly sizes: number[] } {
  const script = scriptedLlm({ turns });
  const sizes: number[] = [];
  let answered = 0;
  const llm: LLM = {
    ...script,
    complete: async (prompt, options) => {
      if (prompt.tools.length === 0)
        return await scriptedLlm({ turns: [{ text: 'SUMMARY' }] }).complete(prompt, options);
      const size = JSON.stringify(prompt.messages).length;
      sizes.push(size);
      if (size > bytes) throw new LLMError('LLMContextWindowExceedError', 'prompt is too long');
      // The turn goes by how often it has answered, since a condensed history no longer tells.
      const filler = Array.from({ length: answered }, () => ({ role: 'assistant' as const, content: [] }));
      const completion = await script.complete({ ...prompt, messages: filler }, options);
      answered += 1;
      return completion;
    },
  };
  return { llm, sizes };
}

const marks = (count: number, size: number): ScriptedTurn[] =>
  Array.from({ length: count }, (_, i) => ({
    text: `step ${i} ${'x'.repeat(size)}`,
    tool_calls: [{ id: `m${i}`, name: 'mark', arguments: { word: `w${i}` } }],
  }));

test('a prompt that overflows is condensed, and the run continues to its end; the log keeps everything', async () => {
  const { llm, sizes } = narrow(12_000, [...marks(40, 300), { text: 'all done' }]);
  const opened = await conversation(llm, { limits: { stuckDetection: false } });
  await opened.send('mark them all');
  assert.equal((await opened.run()).kind, 'finished');
  const kinds = [...opened.log.read()].map(([, event]) => event.kind);
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  assert.ok(count('CondensationRequest') > 0);
  assert.equal(count('Condensation'), count('CondensationRequest'));
  assert.equal(count('ObservationEvent'), 40);
  assert.ok(Math.max(...sizes.slice(-5)) < 12_000 + 1_000);
  assert.ok(
    opened.view.events.some(
      (event) => event.kind === 'CondensationSummaryEvent' && event.summary === 'SUMMARY',
    ),
  );
  assert.equal(opened.view.events[0]?.kind, 'SystemPromptEvent');
  const records = [...opened.log.read()].flatMap(([, event]) =>
    event.kind === 'ConversationStateUpdateEvent' && event.key === 'condensation'
      ? [event.value as { [key: string]: number }]
      : [],
  );
  assert.equal(records.length, count('Condensation'));
  for (const record of records) assert.ok(record['tokens_after']! < record['tokens_before']!);
  const source = await storedReplaySource(conversationDirectory(folder, opened.id));
  assert.equal((await replay(source, { tools, strict: true })).difference, undefined);
});

test('a prompt that overflows even when condensed soon ends the run with that error', async () => {
  const { llm, sizes } = narrow(10, []);
  const opened = await conversation(llm);
  await opened.send('go');
  const outcome = await opened.run();
  assert.equal(outcome.kind === 'error' && outcome.code, 'LLMContextWindowExceedError');
  assert.equal(new Set(sizes).size, sizes.length, 'the same request was sent twice');
  assert.ok(sizes.length < 4);
});

test('if the window is known, history is condensed before it overflows', async () => {
  const turns = marks(30, 200).map((turn, i) => ({ ...turn, usage: { prompt_tokens: 1_000 + 100 * i } }));
  const { llm } = narrow(1_000_000, [...turns, { text: 'all done' }]);
  const opened = await conversation(
    { ...llm, model: { ...llm.model, contextWindow: 4_000 } },
    { limits: { stuckDetection: false } },
  );
  await opened.send('mark them all');
  assert.equal((await opened.run()).kind, 'finished');
  const kinds = [...opened.log.read()].map(([, event]) => event.kind);
  assert.ok(kinds.includes('Condensation') && !kinds.includes('CondensationRequest'));
});

test("tokens since the provider's last count are counted exactly where an estimate does not decide and the tokenizer is public", async () => {
  const dense = createHash('sha512').update('').digest('base64').repeat(45);
  const spaces = `a${' '.repeat(6_000)}b`;
  const condensesBefore = async (words: string, model: Partial<ModelInfo>) => {
    const turns = [...marks(10, 10), { text: 'marked' }, { text: 'read' }, { text: 'read' }];
    const { llm } = narrow(
      1_000_000,
      turns.map((turn) => ({ ...turn, usage: { prompt_tokens: 2_000 } })),
    );
    const opened = await conversation(
      { ...llm, model: { ...llm.model, contextWindow: 4_000, ...model } },
      { limits: { stuckDetection: false } },
    );
    await opened.send('mark them all');
    await opened.run();
    await opened.send(words);
    await opened.run();
    return [...opened.log.read()].some(([, event]) => event.kind === 'Condensation');
  };
  assert.equal(await condensesBefore(dense, {}), false);
  assert.equal(await condensesBefore(dense, { tokenizer: 'o200k_base' }), true);
  assert.equal(await condensesBefore(spaces, {}), true);
  assert.equal(await condensesBefore(spaces, { tokenizer: 'cl100k_base' }), false);
});

test('condense() shortens the history at once, and reports when nothing can be removed', async () => {
  const { llm } = narrow(1_000_000, [...marks(10, 100), { text: 'all done' }]);
  const opened = await conversation(llm, { limits: { stuckDetection: false } });
  await opened.send('mark them all');
  await opened.run();
  const before = opened.view.events.length;
  assert.equal(await opened.condense(), true);
  assert.ok(opened.view.events.length < before);
  const plain = await conversation([{ text: 'hi' }], { agent: { ...agent, condenser: { type: 'noop' } } });
  await assert.rejects(plain.condense(), /does not condense on request/);
});

test('condensing can be interrupted by the user or by closing, and a run waits for it', async () => {
  const { llm } = narrow(1_000_000, [...marks(10, 100), { text: 'all done' }, { text: 'and again' }]);
  let answers = false;
  const slow: LLM = {
    ...llm,
    complete: async (prompt, { signal }) => {
      if (prompt.tools.length > 0) return await llm.complete(prompt, { signal });
      if (!answers) await sleep(600_000, undefined, { signal });
      return await scriptedLlm({ turns: [{ text: 'in short' }] }).complete(prompt, { signal });
    },
  };
  const opened = await conversation(slow, { limits: { stuckDetection: false } });
  await opened.send('mark them all');
  await opened.run();
  const before = opened.view.events.length;
  const first = opened.condense();
  first.catch(() => undefined);
  assert.equal(opened.condense(), first);
  opened.interrupt();
  await assert.rejects(first, { name: 'AbortError' });
  assert.equal(opened.view.events.length, before);
  answers = true;
  const second = opened.condense();
  await opened.send('once more');
  assert.deepEqual(await opened.run(), { kind: 'finished', message: 'and again' });
  assert.equal(await second, true);
  answers = false;
  const third = opened.condense();
  third.catch(() => undefined);
  await opened.close();
  await assert.rejects(third, { name: 'AbortError' });
});

test('the agent is told to finish before the steps run out', async () => {
  const opened = await conversation(marks(20, 10), { limits: { maxIterations: 12, stuckDetection: false } });
  await opened.send('go');
  assert.equal((await opened.run()).kind, 'limit');
  const said = [...opened.log.read()].flatMap(([, event]) =>
    event.kind === 'MessageEvent' && event.source === 'environment'
      ? [textOf(event.llm_message.content)]
      : [],
  );
  assert.deepEqual(
    said.map((words) => words.split('.')[0]),
    [...[5, 4, 3, 2].map((left) => `You have ${left} turns left`), 'This is your last turn'],
  );
});

test('turns stay separate when an endpoint repeats its response id, also after a resume', async () => {
  const scripted = scriptedLlm({
    turns: [
      { tool_calls: [{ ...call('mark', { word: 'a' }), id: 'one' }] },
      { tool_calls: [{ ...call('mark', { word: 'b' }), id: 'two' }] },
      { text: 'half way' },
      { tool_calls: [{ ...call('mark', { word: 'c' }), id: 'three' }] },
      finish,
    ],
  });
  const llm: LLM = {
    ...scripted,
    complete: async (prompt, options) => ({ ...(await scripted.complete(prompt, options)), id: 'same' }),
  };
  const first = await conversation(llm);
  await first.send('go');
  await first.run();
  await first.close();
  const again = await conversation(llm, { place: { id: first.id } });
  await again.send('continue');
  assert.equal((await again.run()).kind, 'finished');
  const answers = again.view.messages().filter(({ role }) => role === 'assistant');
  assert.deepEqual(
    answers.map(({ tool_calls: calls = [] }) => calls.length),
    [1, 1, 0, 1, 1],
  );
  assert.deepEqual(pairing(again).slice(0, 6), [
    ...['call one', 'result one'],
    ...['call two', 'result two'],
    ...['call three', 'result three'],
  ]);
  const ids = [...again.log.read()].flatMap(([, event]) =>
    event.kind === 'ActionEvent' ? [event.llm_response_id] : [],
  );
  assert.equal(ids[0], 'same');
  assert.equal(new Set(ids).size, 4);
});

test('the log is read-only from outside, and what the caller sends is not frozen', async () => {
  const c = await conversation([finish]);
  const words = [{ type: 'text' as const, text: 'go' }];
  await c.send(words);
  assert.equal(Object.isFrozen(words) || Object.isFrozen(words[0]), false);
  assert.equal('append' in c.log || 'close' in c.log, false);
  assert.deepEqual([...c.log], [c.log.at(0), c.log.at(1), c.log.at(2)]);
  await assert.rejects(c.navigate('00000000-0000-4000-8000-000000000000'), {
    name: 'LogError',
    code: 'not_found',
  });
});

test('the specification cannot be changed through an open conversation, and the given one stays mutable', async () => {
  const given = { llm: { model: 'scripted' }, tools: [{ name: 'finish', params: { list: [1] } }] };
  const c = await conversation([finish], { agent: given });
  assert.deepEqual(c.agent, given);
  for (const part of [
    c.agent,
    c.agent.llm,
    c.agent.tools,
    c.agent.tools[0],
    c.agent.tools[0]?.params?.['list'],
  ])
    assert.ok(Object.isFrozen(part));
  given.tools[0]?.params.list.push(2);
  assert.deepEqual(c.agent.tools[0]?.params, { list: [1] });
});

test('invalid content is refused when it is sent, and the conversation continues', async () => {
  const c = await conversation([finish]);
  const wrong = [{ type: 'text', txet: 'go' }] as unknown as [];
  await assert.rejects(c.send(wrong));
  await c.send('go');
  assert.equal((await c.run()).kind, 'finished');
});
