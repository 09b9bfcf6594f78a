import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import * as z from 'zod';
import { type AgentDefinition, loadAgentDefinitions } from '../../agent/definition.ts';
import { textOf } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import { systemClock } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import type { LLM, Prompt } from '../../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { acquireWriterLock } from '../../log/writer-lock.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { defined } from '../../value/defined.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { Conversation } from '../conversation.ts';
import { runHeadless } from '../headless/headless.ts';
import type { OpenOptions } from '../open-options.ts';
import type { ModelCall } from '../run/model-calls.ts';
import { readBaseState } from '../store/open.ts';
import { readConversation } from '../store/read.ts';
import type { Consent } from './delegate.ts';

let folder: string;
const open: Conversation[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-delegate-'));
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const body = (words: string, is_error = false) => ({
  content: [{ type: 'text' as const, text: words }],
  is_error,
});

function tool<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (
    input: z.output<z.ZodObject<Shape>>,
    context: Parameters<ReturnType<typeof defineTool>['run']>[1],
  ) => Promise<object>,
  more: object = {},
): ToolFactory {
  const word = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const kind = { tool: `${word}Tool`, action: `${word}Action`, observation: `${word}Observation` };
  return {
    name: name === 'task' ? 'task_tool_set' : name,
    delegates: name === 'task',
    create: () => [
      defineTool({
        name,
        kind,
        description: name,
        input: z.object(shape),
        annotations: hints,
        run,
        ...more,
      } as never),
    ],
  };
}

let meeting = Promise.withResolvers<void>();
let arrived = 0;
let called = Promise.withResolvers<void>();
const factories = [
  tool(
    'task',
    { prompt: z.string(), agent: z.string().default('helper'), resume: z.string().optional() },
    async ({ prompt, agent, resume }, { conversation, signal, onProgress }) => {
      const work = { agent, prompt, signal, onProgress, ...defined({ resume }) };
      const { task, status, words } = await conversation.delegate(work);
      return body(`${task} ${status} ${words}`, status === 'error');
    },
    { isolated: true, resources: () => [] },
  ),
  tool('meet', {}, async () => {
    arrived += 1;
    if (arrived === 2) meeting.resolve();
    await meeting.promise;
    return body('met');
  }),
  tool(
    'wait',
    {},
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ),
  tool('note', { n: z.number() }, async ({ n }, { workspace }) => body(`${n} in ${workspace.root}`)),
  tool('deaf', {}, async () => {
    called.resolve();
    return await new Promise<never>(() => undefined);
  }),
  tool('finish', { message: z.string() }, async ({ message }) => body(message), { endsRun: true }),
];

const HELPER: AgentDefinition = { name: 'helper', description: 'helps', instructions: 'You help.' };

/** Each agent plays the script that its first message names; `main` if there is none. */
function byTask(scripts: {
  readonly [word: string]: readonly ScriptedTurn[];
}): LLM & { readonly seen: Prompt[] } {
  const seen: Prompt[] = [];
  const price = { input_usd: 0.001, output_usd: 0.001 };
  const model = scriptedLlm({ turns: [], price });
  return {
    ...model,
    seen,
    complete: (prompt, options) => {
      seen.push(prompt);
      const first = textOf(prompt.messages.find(({ role }) => role === 'user')?.content ?? []);
      const word = Object.keys(scripts).find((each) => first.includes(each)) ?? 'main';
      return scriptedLlm({ turns: scripts[word] ?? [], price }).complete(prompt, options);
    },
  };
}

const calls = (...list: [string, object][]): ScriptedTurn => ({
  tool_calls: list.map(([name, args]) => ({ name, arguments: { ...args } })),
  usage: { prompt_tokens: 10, completion_tokens: 1 },
});
const finish = (message: string) => calls(['finish', { message }]);

async function start(llm: LLM, options: Partial<OpenOptions> = {}): Promise<Conversation> {
  const conversation = await Conversation.open({
    agent: { llm: { model: 'scripted/x' }, tools: factories.map(({ name }) => ({ name, params: {} })) },
    model: { llm },
    tools: factories,
    agents: [HELPER],
    workspace: openLocalWorkspace(folder),
    ...options,
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process', ...options.place },
  });
  open.push(conversation);
  await conversation.send('main');
  return conversation;
}

const resultsOf = (conversation: Conversation) =>
  conversation.view.messages().flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));

async function eventsOf(directory: string): Promise<Event[]> {
  const stored = await readConversation(directory);
  try {
    return [...stored.log.read()].map(([, event]) => event);
  } finally {
    await stored.close();
  }
}

const subagents = (conversation: Conversation) => {
  const directory = join(conversation.directory!, 'subagents');
  return readdirSync(directory).map((id) => join(directory, id));
};

test("a sub-agent has its own log below its parent's, gets its own instructions, and its costs count in the parent", async () => {
  const llm = byTask({
    part: [finish('seven')],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  });
  const conversation = await start(llm);
  const told: ModelCall[] = [];
  conversation.subscribe({
    onNotice: (notice) => {
      if (notice.type === 'model-call') told.push(notice.call);
    },
  });
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
  assert.deepEqual(
    told.map(({ phase, conversationId, usageId }) => [phase, conversationId === conversation.id, usageId]),
    [
      ['asked', true, 'agent'],
      ['answered', true, 'agent'],
      ['asked', false, 'task:task_00000001'],
      ['answered', false, 'task:task_00000001'],
      ['asked', true, 'agent'],
      ['answered', true, 'agent'],
    ],
  );
  assert.deepEqual(resultsOf(conversation)[0], 'task_00000001 completed seven');
  const [child] = subagents(conversation);
  assert.deepEqual(readBaseState(child!)?.tags, {
    agent: 'helper',
    parent: conversation.id,
    task: 'task_00000001',
  });
  const events = await eventsOf(child!);
  assert.equal(events.filter(({ kind }) => kind === 'ActionEvent').length, 1);
  assert.match(JSON.stringify(llm.seen[1]), /You help\./);
  const { usage_to_metrics: metrics } = conversation.state.stats;
  assert.deepEqual(Object.keys(metrics).toSorted(), ['agent', 'task:task_00000001']);
});

test('sub-agents of one turn run in parallel, and their results keep the order of the calls', async () => {
  meeting = Promise.withResolvers();
  arrived = 0;
  const llm = byTask({
    one: [calls(['meet', {}]), finish('1')],
    two: [calls(['meet', {}]), finish('2')],
    main: [calls(['task', { prompt: 'one' }], ['task', { prompt: 'two' }]), finish('done')],
  });
  const conversation = await start(llm);
  await conversation.run();
  assert.deepEqual(resultsOf(conversation).slice(0, 2), [
    'task_00000001 completed 1',
    'task_00000002 completed 2',
  ]);
});

test('a task can be resumed; an unknown task or agent is reported with those that exist', async () => {
  const llm = byTask({
    part: [finish('half'), finish('whole')],
    main: [
      calls(['task', { prompt: 'part' }]),
      calls(
        ['task', { prompt: 'go on', resume: 'task_00000001' }],
        ['task', { prompt: 'x', resume: 'task_00000009' }],
        ['task', { prompt: 'x', agent: 'nobody' }],
      ),
      finish('done'),
    ],
  });
  const conversation = await start(llm);
  await conversation.run();
  const [first, second, ...errors] = resultsOf(conversation);
  assert.deepEqual([first, second], ['task_00000001 completed half', 'task_00000001 completed whole']);
  assert.match(errors[0]!, /no task "task_00000009".*task_00000001/);
  assert.match(errors[1]!, /no agent "nobody".*helper/);
  assert.equal(subagents(conversation).length, 1);
});

test('a sub-agent never approves its own calls: the user is asked, and without a user they are rejected', async () => {
  const scripts = {
    part: [calls(['meet', {}]), finish('went on')],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  };
  arrived = 1; // whoever comes is let through at once
  meeting = Promise.withResolvers();
  const strict: AgentDefinition = { ...HELPER, confirmation: { kind: 'AlwaysConfirm' } };
  const asked: string[] = [];
  const agreeing = await start(byTask(scripts), {
    agents: [strict],
    oversight: {
      onConfirmation: async ({ task, actions }) => {
        asked.push(`${task} ${actions[0]?.tool_name}`);
        return 'approve';
      },
    },
  });
  await agreeing.run();
  assert.deepEqual(asked, ['task_00000001 meet']);

  const alone = await start(byTask(scripts), { agents: [strict] });
  await alone.run();
  const events = await eventsOf(subagents(alone)[0]!);
  assert.ok(
    events.some(
      (event) =>
        event.kind === 'UserRejectObservation' && /no user is available/.test(event.rejection_reason ?? ''),
    ),
  );
  assert.equal(
    events.some((event) => event.kind === 'ObservationEvent' && event.tool_name === 'meet'),
    false,
  );
});

test('a headless run that approves calls also approves those of its sub-agents', async () => {
  const scripts = {
    part: [calls(['note', { n: 3 }]), finish('went on')],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  };
  const part = async (onWaiting: 'approve' | 'reject') => {
    const { directory } = await runHeadless(
      {
        agent: { llm: { model: 'scripted/x' }, tools: factories.map(({ name }) => ({ name, params: {} })) },
        model: { llm: byTask(scripts) },
        tools: factories,
        agents: [{ ...HELPER, confirmation: { kind: 'AlwaysConfirm' } }],
        workspace: openLocalWorkspace(folder),
        place: { conversationsDir: join(folder, onWaiting), durability: 'process' },
        onWaiting,
      },
      'main',
    );
    const [child = ''] = readdirSync(join(directory!, 'subagents'));
    return JSON.stringify(await eventsOf(join(directory!, 'subagents', child)));
  };
  assert.ok((await part('approve')).includes(`3 in ${folder}`));
  assert.ok(!(await part('reject')).includes(`3 in ${folder}`));
});

test('an agent definition cannot lower what the user has to approve', async () => {
  const asked: string[] = [];
  const llm = byTask({
    part: [calls(['note', { n: 3 }]), finish('went on')],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  });
  const conversation = await start(llm, {
    agents: [{ ...HELPER, confirmation: { kind: 'NeverConfirm' } }],
    oversight: {
      confirmation: { kind: 'AlwaysConfirm' },
      onConfirmation: async ({ actions }) => {
        asked.push(...actions.map((each) => each.tool_name));
        return 'approve';
      },
    },
  });
  while ((await conversation.run()).kind === 'waiting') await conversation.approve();
  assert.deepEqual(asked, ['note']);
});

test('a sub-agent that does not finish reports why, and its last message', async () => {
  const llm = byTask({
    part: [{ ...calls(['meet', {}]), text: 'I have begun' }, calls(['meet', {}])],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  });
  arrived = 1;
  meeting = Promise.withResolvers();
  const conversation = await start(llm, { agents: [{ ...HELPER, maxIterations: 1 }] });
  await conversation.run();
  assert.match(resultsOf(conversation)[0]!, /error.*limit.*\n.*I have begun/);
});

test('delegation is at most three levels deep', async () => {
  const llm = byTask({
    deeper: [calls(['task', { prompt: 'deeper' }]), finish('bottom')],
    main: [calls(['task', { prompt: 'deeper' }]), finish('done')],
  });
  const conversation = await start(llm);
  await conversation.run();
  const deepest = llm.seen.filter((prompt) => prompt.tools.every(({ name }) => name !== 'task'));
  assert.ok(deepest.length > 0);
  for (const { tools } of deepest)
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['meet', 'wait', 'note', 'deaf', 'finish'],
    );
  let [directory] = subagents(conversation);
  let depth = 1;
  for (; ; depth += 1) {
    try {
      directory = join(directory!, 'subagents', readdirSync(join(directory!, 'subagents'))[0]!);
    } catch {
      break;
    }
  }
  assert.equal(depth, 3);
});

test('an interrupt of the parent ends its sub-agents, and both logs record it', async () => {
  const llm = byTask({ part: [calls(['wait', {}])], main: [calls(['task', { prompt: 'part' }])] });
  const conversation = await start(llm);
  conversation.subscribe({
    onNotice: (notice) => {
      if (notice.type === 'tool-progress' && notice.text.endsWith('wait')) conversation.interrupt();
    },
  });
  assert.deepEqual(await conversation.run(), { kind: 'interrupted' });
  const events = await eventsOf(subagents(conversation)[0]!);
  assert.ok(events.some(({ kind }) => kind === 'InterruptEvent'));
  assert.match(resultsOf(conversation)[0]!, /[Ii]nterrupted/);
});

test('an interrupt that comes while a sub-agent is given its task is not lost', async () => {
  const llm = byTask({ part: [finish('did it all the same')], main: [calls(['task', { prompt: 'part' }])] });
  const clock = {
    ...systemClock,
    newId: (draft?: Draft) => {
      if (draft?.kind === 'MessageEvent' && textOf(draft.llm_message.content) === 'part')
        conversation.interrupt();
      return systemClock.newId(draft);
    },
  };
  const conversation = await start(llm, { standIns: { clock } });
  assert.deepEqual(await conversation.run(), { kind: 'interrupted' });
  assert.equal(llm.seen.length, 1);
});

test('approval after an interrupt executes nothing, and the sub-agent has no open call', async () => {
  const llm = byTask({
    part: [calls(['note', { n: 1 }]), finish('went on')],
    main: [calls(['task', { prompt: 'part' }])],
  });
  const strict: AgentDefinition = { ...HELPER, confirmation: { kind: 'AlwaysConfirm' } };
  const consent = Promise.withResolvers<Consent>();
  const conversation = await start(llm, {
    agents: [strict],
    oversight: {
      onConfirmation: () => {
        setImmediate(() => conversation.interrupt());
        return consent.promise;
      },
    },
  });
  assert.deepEqual(await conversation.run(), { kind: 'interrupted' });
  await conversation.close();
  const [child] = subagents(conversation);
  (await acquireWriterLock(child!)).release(); // throws if the sub-agent still holds it
  consent.resolve('approve');
  await consent.promise;
  const events = await eventsOf(child!);
  assert.equal(
    events.some(({ kind }) => kind === 'ObservationEvent'),
    false,
  );
});

test('closing a conversation waits for its sub-agents, whatever their tools do', async () => {
  called = Promise.withResolvers();
  const llm = byTask({ part: [calls(['deaf', {}])], main: [calls(['task', { prompt: 'part' }])] });
  const conversation = await start(llm);
  const running = conversation.run();
  await called.promise;
  conversation.interrupt();
  assert.deepEqual(await running, { kind: 'interrupted' });
  await conversation.close();
  const [child] = subagents(conversation);
  (await acquireWriterLock(child!)).release(); // throws if the sub-agent still holds it
  const events = await eventsOf(child!);
  assert.ok(events.some(({ kind }) => kind === 'InterruptEvent'));
});

test('a sub-agent that repeatedly asks for approval gets no more steps than one run may have', async () => {
  const part = Array.from({ length: 20 }, (_, n) => calls(['note', { n }]));
  const llm = byTask({ part, main: [calls(['task', { prompt: 'part' }]), finish('done')] });
  const agents = [{ ...HELPER, confirmation: { kind: 'AlwaysConfirm' as const }, maxIterations: 4 }];
  const conversation = await start(llm, { agents, limits: { stuckDetection: false } });
  assert.equal((await conversation.run()).kind, 'finished');
  assert.match(resultsOf(conversation)[0]!, /error.*limit: .*more than 4 times/);
});

test('a new task of a resumed conversation never reuses an existing task', async () => {
  const scripts = {
    part: [finish('old'), finish('the old one again')],
    other: [finish('new')],
    main: [
      calls(['task', { prompt: 'x', agent: 'unmodelled' }]),
      calls(['task', { prompt: 'part' }]),
      finish('done'),
      calls(['task', { prompt: 'other' }], ['task', { prompt: 'other' }]),
      calls(['task', { prompt: 'x', resume: 'task_0000000f' }]),
      finish('done'),
    ],
  };
  const agents = [HELPER, { ...HELPER, name: 'unmodelled', model: 'nowhere' }];
  const first = await start(byTask(scripts), { agents });
  await first.run();
  const { id } = first;
  await first.close();
  const again = await start(byTask(scripts), { agents, place: { id } });
  await again.run();
  const results = resultsOf(again);
  assert.match(results[0]!, /model profile "nowhere"/);
  assert.deepEqual(
    results.filter((said) => said.startsWith('task_')).map((said) => said.split(' ').slice(1).join(' ')),
    ['completed old', 'completed new', 'completed new'],
  );
  assert.equal(subagents(again).length, 3);
  assert.match(
    results.find((said) => said.includes('task_0000000f'))!,
    /Tasks that can be resumed: task_00000001, task_0000000/,
  );
});

test('an agent with unknown tools is reported as an error result, and leaves no conversation behind', async () => {
  const lost: AgentDefinition = { ...HELPER, tools: [{ name: 'lost', params: {} }] };
  const llm = byTask({ main: [calls(['task', { prompt: 'part' }]), finish('done')] });
  const conversation = await start(llm, { agents: [lost] });
  assert.equal((await conversation.run()).kind, 'finished');
  assert.match(resultsOf(conversation)[0]!, /no tool is registered as "lost"/);
  assert.deepEqual(subagents(conversation), []);
});

test('a workspace of the caller’s own class is shared with sub-agents, and closed once', async () => {
  let closed = 0;
  const local = openLocalWorkspace(folder);
  class Own {
    readonly #local = local;
    get root() {
      return this.#local.root;
    }
    get platform() {
      return this.#local.platform;
    }
    spawn: Workspace['spawn'] = (...args) => this.#local.spawn(...args);
    readFile(...args: Parameters<Workspace['readFile']>) {
      return this.#local.readFile(...args);
    }
    writeFile(...args: Parameters<Workspace['writeFile']>) {
      return this.#local.writeFile(...args);
    }
    stat(path: string) {
      return this.#local.stat(path);
    }
    list(path: string) {
      return this.#local.list(path);
    }
    remove(path: string) {
      return this.#local.remove(path);
    }
    rename(from: string, to: string) {
      return this.#local.rename(from, to);
    }
    makeDirectory(path: string) {
      return this.#local.makeDirectory(path);
    }
    which(names: readonly string[]) {
      return this.#local.which(names);
    }
    realPath(path: string) {
      return this.#local.realPath(path);
    }
    close() {
      closed += 1;
      return this.#local.close();
    }
  }
  const llm = byTask({
    part: [calls(['note', { n: 7 }]), finish('seen')],
    main: [calls(['task', { prompt: 'part' }]), finish('done')],
  });
  const conversation = await start(llm, { workspace: new Own() });
  await conversation.run();
  assert.equal(closed, 0);
  const [child] = subagents(conversation);
  assert.ok(JSON.stringify(await eventsOf(child!)).includes(`7 in ${folder}`));
  await conversation.close();
  assert.equal(closed, 1);
});

test('an agent file is front matter and body; an invalid one is left out with a warning that names it', async () => {
  mkdirSync(join(folder, '.agents/agents'), { recursive: true });
  const write = (name: string, source: string) => writeFileSync(join(folder, '.agents/agents', name), source);
  write(
    'tester.md',
    '---\ndescription: Runs the tests\ntools: terminal, file_editor\npermission_mode: confirm_risky\nmax_iteration_per_run: 12\ncondenser: none\n---\nRun all tests.\n',
  );
  write('broken.md', '---\npermission_mode: sometimes\n---\n');
  write('README.md', 'no agent');
  write('forgets.md', '---\ncondenser: {type: forgets}\n---\n');
  write('short.md', '---\ncondenser: {type: recent, keep_first: 9, max_events: 5}\n---\n');
  write('recent.md', '---\ndescription: r\ncondenser: {type: recent, keep_first: 2, max_events: 5}\n---\n');
  const warnings: string[] = [];
  const workspace = openLocalWorkspace(folder);
  const definitions = await loadAgentDefinitions(workspace, folder, (each) => warnings.push(each));
  await workspace.close();
  assert.deepEqual(definitions, [
    {
      name: 'recent',
      description: 'r',
      source: join(folder, '.agents/agents/recent.md'),
      condenser: { type: 'recent', keepFirst: 2, maxEvents: 5 },
    },
    {
      name: 'tester',
      description: 'Runs the tests',
      source: join(folder, '.agents/agents/tester.md'),
      instructions: 'Run all tests.',
      tools: [
        { name: 'terminal', params: {} },
        { name: 'file_editor', params: {} },
      ],
      confirmation: { threshold: 'HIGH', confirm_unknown: true, kind: 'ConfirmRisky' },
      maxIterations: 12,
      condenser: { type: 'noop' },
    },
  ]);
  const [broken = '', forgets = '', short = ''] = warnings.toSorted();
  assert.match(broken, /broken\.md.*permission_mode/);
  assert.match(forgets, /forgets\.md.*condenser: type must be one of noop, .*not "forgets"/);
  assert.match(short, /short\.md.*keep_first must be below max_events/);
});
