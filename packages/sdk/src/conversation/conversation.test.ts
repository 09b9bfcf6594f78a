import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { call, inMemory, openInMemory } from '../../test-support/open-in-memory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Conversation } from './conversation.ts';
import type { HookVerdict, Onlookers } from './hooks/hooks.ts';
import type { OpenOptions } from './open-options.ts';

const SILENT: HookVerdict = { events: [], additionalContext: [] };

test('a conversation tells what it was opened with', async (t) => {
  const id = '0f0f0f0f-0000-4000-8000-000000000000';
  const place = { id, tags: { topic: 'tests' } };
  const { conversation } = await openInMemory(t, [{ text: 'done' }], { place });
  const { id: own, directory, resumed, openedAt, tags, model, agent } = conversation;
  assert.deepEqual(
    {
      own,
      directory,
      resumed,
      openedAt,
      tags,
      model: model.name,
      tools: agent.tools.map(({ name }) => name),
    },
    {
      own: id,
      directory: null,
      resumed: false,
      openedAt: 0,
      tags: { agent: 'CodeActAgent', topic: 'tests' },
      model: 'scripted',
      tools: ['echo', 'finish'],
    },
  );
  assert.deepEqual(
    ['echo', 'finish', 'nothing'].map((name) => conversation.tool(name)?.name),
    ['echo', 'finish', undefined],
  );
  assert.deepEqual(
    [(await conversation.llm()).usageId, (await conversation.llm('judge')).usageId],
    ['agent', 'judge'],
  );
});

test('baseState() is what would be stored now', async (t) => {
  const { conversation } = await openInMemory(t, [{ text: 'done' }], {
    limits: { maxIterations: 7, stuckDetection: false },
    oversight: { confirmation: { kind: 'AlwaysConfirm' } },
  });
  const shown = () => {
    const { id, execution_status, max_iterations, stuck_detection, persistence_dir, tags, ...rest } =
      conversation.baseState();
    const { kind } = rest['confirmation_policy'] as { readonly kind: string };
    return { id, execution_status, max_iterations, stuck_detection, persistence_dir, tags, kind };
  };
  const expected = {
    id: conversation.id,
    execution_status: 'idle',
    max_iterations: 7,
    stuck_detection: false,
    persistence_dir: '',
    tags: { agent: 'CodeActAgent' },
    kind: 'AlwaysConfirm',
  };
  assert.deepEqual(shown(), expected);
  await conversation.send('go');
  await conversation.run();
  assert.deepEqual(shown(), { ...expected, execution_status: 'finished' });
});

test('a subscription gets events and notices until it is ended', async (t) => {
  const { conversation } = await openInMemory(t, [{ text: 'done' }]);
  const told: string[] = [];
  const unsubscribe = conversation.subscribe({
    onEvent: ({ kind }) => told.push(kind),
    onNotice: ({ type }) => told.push(type),
  });
  await conversation.send('go');
  assert.deepEqual(told.slice(0, 2), ['SystemPromptEvent', 'MessageEvent']);
  unsubscribe();
  const { length } = told;
  await conversation.run();
  assert.equal(told.length, length);
});

test('after closing, every method that would change something is refused, also where it had nothing to do', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send('go');
  await conversation.run();
  await conversation.close();
  const { length } = log();
  for (const act of [
    () => conversation.run(),
    () => conversation.approve(),
    () => conversation.reject(),
    () => conversation.condense(),
    () => conversation.navigate(null),
    () => conversation.send('go'),
    () => conversation.send('/exit'),
    () => conversation.record({ source: 'user', kind: 'PauseEvent' }),
  ])
    await assert.rejects(act(), {
      name: 'LogError',
      code: 'closed',
      message: 'the conversation is closed',
    });
  assert.equal(log().length, length);
});

/** A conversation whose closing is watched: `steps` is what was called, in order. */
async function watched(t: TestContext, more: Partial<OpenOptions> = {}, failsAtEnd = false) {
  const steps: string[] = [];
  const step = (name: string) => async () => void steps.push(name);
  const workspace = { root: '/', platform: 'linux', close: step('workspace') } as Partial<Workspace>;
  const onlookers: Onlookers = {
    on: async (event) => {
      if (event !== 'SessionEnd') return SILENT;
      steps.push('end');
      if (failsAtEnd) throw new Error('the hook is broken');
      return { ...SILENT, events: [{ source: 'user', kind: 'PauseEvent' }] };
    },
    close: step('onlookers'),
  };
  const tools = inMemory([]).tools.map(({ name, create }) => ({
    name,
    create: (...args: Parameters<typeof create>) => {
      if (name === 'echo') args[0].onClose?.(step('tool'));
      return create(...args);
    },
  }));
  const conversation = await Conversation.open(
    inMemory([{ tool_calls: [call('a', 'finish')] }], {
      tools,
      workspace: workspace as Workspace,
      ...more,
      standIns: { onlookers },
    }),
  );
  t.after(() => conversation.close().catch(() => undefined));
  return { conversation, steps };
}

test('closing ends the session, then closes tools, hooks and workspace, once', async (t) => {
  const { conversation, steps } = await watched(t);
  await conversation.send('go');
  await conversation.run();
  await Promise.all([conversation.close(), conversation.close()]);
  await conversation.close();
  assert.deepEqual(steps, ['tool', 'end', 'onlookers', 'workspace']);
  assert.equal(conversation.log.at(-1)?.kind, 'PauseEvent');
});

test('the workspace of a sub-agent stays open, since it belongs to its parent', async (t) => {
  const { conversation, steps } = await watched(t, { parent: { depth: 1 } });
  await conversation.close();
  assert.deepEqual(steps, ['tool', 'onlookers']);
});

test('everything is closed even if the end of the session fails', async (t) => {
  const { conversation, steps } = await watched(t, {}, true);
  await conversation.send('go');
  await conversation.run();
  await assert.rejects(conversation.close(), /the hook is broken/);
  assert.deepEqual(steps, ['tool', 'end', 'onlookers', 'workspace']);
});

test('closing interrupts a run and waits for its end', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'late', delay_ms: 60_000 }]);
  await conversation.send('go');
  const ended: string[] = [];
  const running = conversation.run().then(({ kind }) => ended.push(kind));
  await conversation.close();
  assert.deepEqual(ended, ['interrupted']);
  assert.ok(log().some(({ kind }) => kind === 'InterruptEvent'));
  await running;
});

test('a conversation that is not stored cannot be forked', async (t) => {
  const { conversation } = await openInMemory(t, []);
  await assert.rejects(conversation.fork(), /not stored cannot be forked/);
});
