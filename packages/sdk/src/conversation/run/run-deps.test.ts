import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { cannedLlm, completionOf, EMPTY } from '../../../test-support/canned-llm.ts';
import { call, openInMemory } from '../../../test-support/open-in-memory.ts';
import { ROOT } from '../../event/identity.ts';
import type { ToolSchema } from '../../llm/llm.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import type { ConfirmationPolicy } from '../../security/confirmation.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { ToolChanges } from '../../tool/tool-changes.ts';
import { KEEP } from '../../view/condensers/condenser.ts';
import type { Members } from '../members.ts';
import { type OpenOptions, settingsOf } from '../open-options.ts';
import type { Parts } from '../parts.ts';
import type { Notice } from '../state/status.ts';
import { runDepsOf } from './run-deps.ts';

const POLICIES: readonly (readonly [ConfirmationPolicy, readonly string[]])[] = [
  [{ kind: 'NeverConfirm' }, ['words']],
  [{ kind: 'AlwaysConfirm' }, ['words']],
  [{ kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true }, ['words', 'security_risk']],
];

for (const [confirmation, expected] of POLICIES) {
  test(`${confirmation.kind}: the model has to give ${expected.join(' and ')}`, async (t) => {
    const llm = scriptedLlm({ turns: [{ tool_calls: [call('done', 'finish')] }] });
    const described: (readonly ToolSchema[])[] = [];
    const { conversation } = await openInMemory(
      t,
      {
        ...llm,
        complete: (prompt, options) => {
          described.push(prompt.tools);
          return llm.complete(prompt, options);
        },
      },
      { oversight: { confirmation } },
    );
    await conversation.send('go');
    await conversation.run();
    assert.deepEqual(
      described[0]?.map(({ parameters }) => parameters['required']),
      [expected, expected],
    );
  });
}

const AGENT = { llm: { model: 'm' }, tools: [], systemPrompt: 's' };

test('the parts of an answer are told only if the caller wants to stream', async (t) => {
  for (const stream of [true, false, undefined]) {
    const llm = scriptedLlm({ turns: [{ text: 'well done', reasoning: 'hm' }] });
    const { conversation } = await openInMemory(t, llm, { model: { llm, stream } });
    const deltas: unknown[] = [];
    conversation.subscribe({ onNotice: (notice) => notice.type === 'delta' && deltas.push(notice.delta) });
    await conversation.send('go');
    await conversation.run();
    const expected = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'well ' },
      { type: 'text', text: 'done' },
    ];
    assert.deepEqual(deltas, stream === true ? expected : []);
  }
});

test('a model is given the key of its cache, and its retries and notes are told', async (t) => {
  const retry = { attempt: 1, maxAttempts: 2, waitMs: 3, error: new Error('slow') };
  const llm = cannedLlm('m', [
    async (_, { onRetry, onNote }) => {
      onRetry?.(retry);
      onNote?.('a note');
      return {};
    },
  ]);
  const prompts: unknown[] = [];
  const { conversation } = await openInMemory(t, llm, {
    recording: { onPrompt: ({ eventIds }) => prompts.push(eventIds.length) },
  });
  const notices: Notice[] = [];
  conversation.subscribe({ onNotice: (notice) => notices.push(notice) });
  await conversation.send('go');
  await conversation.run();
  assert.equal(llm.asked[0]?.prompt.cacheKey, conversation.id);
  assert.deepEqual(prompts, [2]);
  assert.deepEqual(
    notices.filter(({ type }) => type === 'retry' || type === 'warning'),
    [
      { type: 'retry', retry },
      { type: 'warning', text: 'a note' },
    ],
  );
});

test('the condenser has a model of its own purpose, named after that of the agent, and its notes are warnings', async (t) => {
  for (const [usageId, purpose] of [
    [undefined, 'condenser'],
    ['agent', 'condenser'],
    ['helper', 'helper-condenser'],
  ] as const) {
    const purposes: string[] = [];
    const limits: unknown[] = [];
    const { conversation } = await openInMemory(t, [{ text: 'done' }], {
      agent: { ...AGENT, llm: { model: 'm', ...(usageId === undefined ? {} : { usageId }) } },
      tools: [],
      standIns: {
        condenser: {
          handlesRequests: true,
          condense: async (_, { llm, onNote, signal, tokens }) => {
            purposes.push((await llm()).usageId);
            limits.push(signal.aborted, (await tokens(1e9)) > 0);
            onNote('a note');
            return KEEP;
          },
        },
      },
    });
    const warnings: string[] = [];
    conversation.subscribe({ onNotice: (notice) => notice.type === 'warning' && warnings.push(notice.text) });
    await conversation.send('go');
    await conversation.run();
    assert.deepEqual([purposes, limits, warnings], [[purpose], [false, true], ['a note']]);
  }
});

/** The dependencies of a run with these options, of parts that the test does not use. */
function depsOf(
  options: Partial<OpenOptions>,
  more: Partial<Parts> = {},
  moreMembers: Partial<Members> = {},
) {
  const settings = settingsOf({ tools: [], workspace: {} as never, ...options });
  const tools = { tools: [], get: () => undefined };
  const history = { state: {}, view: {} };
  const parts = { settings, tools, agent: AGENT, history, llm: { usageId: 'agent' }, ...more };
  const inbox = { approved: new Set(['approved']), send: async () => undefined };
  const members = { inbox, ...moreMembers } as unknown as Members;
  const { signal } = new AbortController();
  return runDepsOf(parts as Parts, members, cannedLlm('m', []), { signal });
}

test('a tool that has changed awaits consent, unless nothing needs any', () => {
  for (const [confirmation, expected] of [
    [{ kind: 'NeverConfirm' }, [false, false]],
    [{ kind: 'AlwaysConfirm' }, [true, false]],
  ] as const) {
    const act = defineTool({ name: 'act', description: 'd', input: z.object({}), run: () => 'acted' });
    const toolChanges = new ToolChanges();
    toolChanges.begin([], []);
    toolChanges.replaced([act]);
    const { carryOut, toolChanges: changes } = depsOf({ oversight: { confirmation } }, { toolChanges });
    assert.equal(changes, toolChanges);
    changes.recorded();
    assert.deepEqual([carryOut.awaitsConsent('act'), carryOut.awaitsConsent('other')], expected);
    assert.equal(carryOut.isApproved({ id: 'approved' } as never), true);
    assert.equal(carryOut.isApproved({ id: 'other' } as never), false);
  }
});

test('what is not asked for is absent', () => {
  const { onStop, reply, ask, carryOut, limits } = depsOf({});
  assert.deepEqual([onStop, reply, ask.onDelta, ask.onPrompt], [undefined, undefined, undefined, undefined]);
  const optional = ['beforeTool', 'afterTool', 'execute', 'toolConcurrency'];
  assert.deepEqual(
    optional.filter((key) => key in carryOut),
    [],
  );
  assert.deepEqual(limits, { maxIterations: 500, stuckDetection: true, tellsTurnsLeft: undefined });
  const hooked = depsOf({ oversight: { hooks: {} } }, { agent: { ...AGENT, toolConcurrency: 3 } });
  assert.equal(typeof hooked.onStop, 'function');
  assert.deepEqual(
    optional.filter((key) => key in hooked.carryOut),
    ['beforeTool', 'afterTool', 'toolConcurrency'],
  );
});

test('the tools of a stand-in change as it says, whatever is recorded', () => {
  let words: string | null = 'new';
  const { toolChanges } = depsOf({ standIns: { toolChange: () => words } });
  assert.equal(toolChanges.words, 'new');
  words = null;
  assert.equal(toolChanges.recorded(), undefined);
  assert.equal(toolChanges.words, null);
});

test('automatic replies need a tool to finish with, and end with /exit', async (t) => {
  const replies: readonly (readonly [OpenOptions['oversight'], readonly string[], unknown])[] = [
    [{ autoContinue: 'yes' }, ['echo', 'finish'], { kind: 'finished', message: 'then I do' }],
    [{ autoContinue: 'yes' }, ['echo'], { kind: 'finished', message: 'shall I?' }],
    [{ autoContinue: ' /exit ' }, ['echo', 'finish'], { kind: 'finished', message: 'shall I?' }],
    [{ autoContinue: false }, ['echo', 'finish'], { kind: 'finished', message: 'shall I?' }],
  ];
  for (const [oversight, names, expected] of replies) {
    const turns = [{ text: 'shall I?' }, { tool_calls: [call('then I do', 'finish')] }];
    const { conversation } = await openInMemory(t, turns, {
      oversight,
      agent: { ...AGENT, tools: names.map((name) => ({ name, params: {} })) },
    });
    await conversation.send('go');
    assert.deepEqual(await conversation.run(), expected);
  }
});

test('an interrupt does not wait for a reply', async (t) => {
  const { conversation } = await openInMemory(t, [{ text: 'shall I?' }], {
    oversight: {
      autoContinue: () => {
        setImmediate(() => conversation.interrupt());
        return new Promise<never>(() => undefined);
      },
    },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'interrupted' });
});

test('answers are kept, and requests are recorded with the event that they follow', () => {
  const seen: unknown[] = [];
  const history = { state: { leafId: null as string | null } };
  const keeper = { keepResponse: (completion: unknown) => seen.push(completion) };
  const requests = { add: (leaf: string, prompt: unknown) => seen.push([leaf, prompt]) };
  const { ask } = depsOf({}, { history: history as never }, { keeper, requests } as never);
  const completion = completionOf('done');
  ask.onAnswer?.(completion);
  ask.onRequest?.(EMPTY);
  history.state.leafId = 'leaf';
  ask.onRequest?.(EMPTY);
  assert.deepEqual(seen, [completion, [ROOT, EMPTY], ['leaf', EMPTY]]);
  const unstored = depsOf({}, {}, { requests: null }).ask;
  assert.equal(unstored.onRequest?.(EMPTY), undefined);
});
