import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  errorDraft,
  randomHistory,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { branchOf, foldLog } from '../../conversation/state/history.ts';
import { text } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Event, Observation } from '../../event/kinds.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { pythonJson } from '../../tool/python-json.ts';
import { toOpenAi } from '../openai.ts';
import { statsOf } from '../stats.ts';
import { TrajectoryError } from '../trajectory-error.ts';
import { fromV0 } from './from-v0.ts';
import { toV0 } from './to-v0.ts';

const again = (events: readonly Event[]) => fromV0(JSON.stringify(toV0(events), null, 4)).events;

async function activeBranch(events: readonly Event[]): Promise<Event[]> {
  const log = new MemoryEventLog();
  if (events.length > 0) await log.append(...events);
  return branchOf(log, foldLog(log).state.leafId);
}

/** One branch, with a counting clock. */
function history(...drafts: readonly ((before: readonly Event[]) => Draft)[]): Event[] {
  const clock = countingClock();
  const events: Event[] = [];
  for (const draft of drafts) events.push(eventOf(draft(events), events.at(-1)?.id ?? null, clock));
  return events;
}

function tool(id: string, name: string, fields: object, kind: string, thought = ''): () => Draft {
  return () => ({
    source: 'agent',
    thought: thought === '' ? [] : [text(thought)],
    thinking_blocks: [],
    action: { ...fields, kind },
    tool_name: name,
    tool_call_id: id,
    tool_call: { id, name, arguments: pythonJson(fields), origin: 'completion' },
    llm_response_id: `response-${id}`,
    security_risk: 'MEDIUM',
    summary: `${name}: ${pythonJson(fields)}`,
    kind: 'ActionEvent',
  });
}

const result =
  (observation: Observation): ((before: readonly Event[]) => Draft) =>
  (before) => {
    const action = before.at(-1);
    if (action?.kind !== 'ActionEvent') throw new Error('a result follows its call');
    const { tool_name, tool_call_id } = action;
    return {
      source: 'environment',
      tool_name,
      tool_call_id,
      observation,
      action_id: action.id,
      extended_content: [],
      kind: 'ObservationEvent',
    };
  };

const said = (words: string, is_error = false) => ({ content: [text(words)], is_error });

/** The events without what V0 cannot express: our ids, and the risk of calls such as `think`. */
function carried(events: readonly Event[]): unknown[] {
  const at = new Map(events.map(({ id }, i) => [id, i]));
  return events
    .filter(({ kind }) => kind !== 'ConversationStateUpdateEvent')
    .map((event) => {
      const { id: _, parent_id: __, ...rest } = event;
      const action_id = 'action_id' in rest ? { action_id: at.get(rest.action_id ?? '') } : {};
      const riskless = rest.kind === 'ActionEvent' && /^(think|finish|task)/.test(rest.tool_name);
      return { ...rest, ...action_id, ...(riskless ? { security_risk: 'UNKNOWN' } : {}) };
    });
}

const METADATA = {
  exit_code: 2,
  pid: -1,
  username: 'u',
  hostname: 'h',
  working_dir: '/w',
  prefix: '',
  suffix: '\n[done]',
};

const WHOLE = history(
  () => wordsDraft('user', 'mend it'),
  tool(
    'a',
    'terminal',
    { command: 'ls', is_input: false, timeout: 5, reset: true },
    'TerminalAction',
    'I look.',
  ),
  result({
    ...said('a.txt'),
    command: 'ls',
    exit_code: 2,
    timeout: false,
    metadata: METADATA,
    kind: 'TerminalObservation',
  }),
  tool('b', 'file_editor', { command: 'view', path: '/w/a', view_range: [1, 2] }, 'FileEditorAction'),
  result({ ...said('1 x'), command: 'view', path: '/w/a', prev_exist: true, kind: 'FileEditorObservation' }),
  tool(
    'c',
    'file_editor',
    { command: 'str_replace', path: '/w/a', old_str: 'x', new_str: '' },
    'FileEditorAction',
  ),
  result({
    ...said('done'),
    command: 'str_replace',
    path: '/w/a',
    prev_exist: true,
    old_content: 'x\n',
    new_content: '\n',
    kind: 'FileEditorObservation',
  }),
  tool('d', 'file_editor', { command: 'create', path: '/w/a', file_text: 'y' }, 'FileEditorAction'),
  result({ ...said('It exists.', true), command: 'create', prev_exist: true, kind: 'FileEditorObservation' }),
  tool('e', 'think', { thought: 'Hm.' }, 'ThinkAction', 'So?'),
  result({ ...said('Noted.'), kind: 'ThinkObservation' }),
  tool(
    'f',
    'task_tracker',
    { command: 'plan', task_list: [{ title: 't', notes: '', status: 'todo' }] },
    'TaskTrackerAction',
  ),
  result({
    ...said('1 task'),
    command: 'plan',
    task_list: [{ title: 't', notes: '', status: 'todo' }],
    kind: 'TaskTrackerObservation',
  }),
  tool('f2', 'edit_file', { path: 'a', content: 'y\n', start: 1, end: -1 }, 'EditFileAction'),
  result({
    ...said('Changed.'),
    path: 'a',
    prev_exist: true,
    old_content: 'x\n',
    new_content: 'y\n',
    kind: 'EditFileObservation',
  }),
  tool('g', 'grep', { pattern: 'x' }, 'GrepAction'),
  result({ ...said('nothing', true), matches: [], pattern: 'x', kind: 'GrepObservation' }),
  tool('h', 'execute_ipython_cell', { code: '1', timeout: 120 }, 'IPythonAction'),
  result({ ...said('1'), code: '1', timeout: false, kind: 'IPythonObservation' }),
  () => wordsDraft('environment', 'go on'),
  tool('i', 'finish', { message: 'It is mended.' }, 'FinishAction'),
  result({ ...said('It is mended.'), kind: 'FinishObservation' }),
);

test('V0 trajectory: calls of every tool survive export and import', () => {
  const events = again(WHOLE);
  const finishedAt = WHOLE.at(-2)?.timestamp;
  const wanted = carried(WHOLE).map((event, i) =>
    i === WHOLE.length - 1 ? { ...(event as object), timestamp: finishedAt } : event,
  );
  assert.deepEqual(carried(events), wanted);
  const last = events.at(-1);
  assert.equal(last?.kind === 'ConversationStateUpdateEvent' && last.value, 'finished');
});

test('V0 trajectory: exporting an imported export gives the same file, for any history', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (events) => {
      const branch = await activeBranch(events);
      const exported = toV0(branch);
      fc.pre(exported.length > 0);
      assert.deepEqual(toV0(again(branch)), exported);
    }),
    { numRuns: 300 },
  );
});

test('V0 trajectory: the model is sent the same messages after export and import, for any history', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (events) => {
      const branch = await activeBranch(events);
      fc.pre(toV0(branch).length > 0);
      assert.deepEqual(toOpenAi(again(branch)), toOpenAi(branch));
    }),
    { numRuns: 300 },
  );
});

test('V0 trajectory: a failed edit names its file, as in V0', () => {
  const [, failed] = toV0(
    history(
      tool('a', 'file_editor', { command: 'create', path: '/w/a', file_text: 'y' }, 'FileEditorAction'),
      result({ ...said('It exists.', true), command: 'create', kind: 'FileEditorObservation' }),
    ),
  );
  assert.deepEqual([failed?.observation, failed?.extras?.['path']], ['edit', '/w/a']);
});

test('V0 trajectory: each call of a turn precedes its result, and the import restores the turn', () => {
  const events = history(
    () => callDraft('x', 'r', 'one'),
    () => callDraft('y', 'r', 'two'),
    () => errorDraft('y'),
    () => errorDraft('x'),
  );
  const written = toV0(events);
  assert.deepEqual(
    written.map(({ action, observation, cause, tool_call_metadata: call }) => [
      action ?? observation,
      cause,
      call?.tool_call_id,
      call?.total_calls_in_response,
    ]),
    [
      ['run', undefined, 'x', 2],
      ['error', 0, 'x', 2],
      ['run', undefined, 'y', 2],
      ['error', 2, 'y', 2],
    ],
  );
  assert.deepEqual(
    again(events).map((event) => [event.kind, 'tool_call_id' in event ? event.tool_call_id : '']),
    [
      ['ActionEvent', 'x'],
      ['ActionEvent', 'y'],
      ['AgentErrorEvent', 'x'],
      ['AgentErrorEvent', 'y'],
    ],
  );
});

test('an action that waited for confirmation counts once, with and without the id of its call', () => {
  const run = (id: number, command: string, confirmation_state: string, call?: string) => ({
    id,
    source: 'agent',
    action: 'run',
    args: { command, confirmation_state },
    ...(call === undefined ? {} : { tool_call_metadata: { function_name: 'terminal', tool_call_id: call } }),
  });
  const { events } = fromV0(
    JSON.stringify([
      run(1, 'ls', 'awaiting_confirmation', 'x'),
      run(2, 'ls', 'confirmed', 'x'),
      { id: 3, cause: 2, observation: 'run', content: 'a.py' },
      run(4, 'pwd', 'awaiting_confirmation'),
      run(5, 'pwd', 'confirmed'),
      { id: 6, cause: 5, observation: 'run', content: '/w' },
      run(7, 'rm a.py', 'awaiting_confirmation'),
      { id: 8, cause: 7, observation: 'user_rejected', content: 'Not that.' },
      run(9, 'date', 'confirmed'),
    ]),
  );
  assert.deepEqual(
    events.map((event) => (event.kind === 'ActionEvent' ? event.action?.['command'] : event.kind)),
    ['ls', 'ObservationEvent', 'pwd', 'ObservationEvent', 'rm a.py', 'UserRejectObservation', 'date'],
  );
});

/** A file in V0's own form, with shortened responses of the model. */
const RECORDED = [
  {
    id: 0,
    timestamp: '2025-11-20T10:00:00',
    source: 'agent',
    action: 'system',
    args: { content: 'Be good.', tools: null },
  },
  {
    id: 1,
    timestamp: '2025-11-20T10:00:01',
    source: 'user',
    action: 'message',
    args: {
      content: 'add a test',
      file_urls: null,
      image_urls: null,
      wait_for_response: false,
      security_risk: -1,
    },
  },
  {
    id: 2,
    timestamp: '2025-11-20T10:00:02',
    source: 'user',
    action: 'recall',
    args: { recall_type: 'knowledge', query: 'add a test', thought: '' },
  },
  {
    id: 4,
    timestamp: '2025-11-20T10:00:03',
    source: 'environment',
    cause: 2,
    observation: 'recall',
    content: 'Added microagent knowledge',
    extras: {
      recall_type: 'knowledge',
      microagent_knowledge: [{ name: 'testing', trigger: 'test', content: 'Use node:test.' }],
    },
  },
  {
    id: 5,
    timestamp: '2025-11-20T10:00:04',
    source: 'agent',
    action: 'run',
    tool_call_metadata: {
      function_name: 'execute_bash',
      tool_call_id: 'call_1',
      total_calls_in_response: 1,
      model_response: {
        id: 'resp_1',
        model: 'some-model',
        usage: { prompt_tokens: 100, completion_tokens: 10 },
        choices: [
          {
            message: {
              content: 'look around',
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'execute_bash', arguments: '{"command": "ls"}' },
                },
              ],
            },
          },
        ],
      },
    },
    llm_metrics: { accumulated_cost: 0.01, accumulated_token_usage: {} },
    args: {
      command: 'ls',
      is_input: false,
      thought: 'look around',
      blocking: false,
      confirmation_state: 'confirmed',
      security_risk: 0,
    },
    timeout: 120,
  },
  {
    id: 6,
    timestamp: '2025-11-20T10:00:05',
    source: 'agent',
    cause: 5,
    observation: 'run',
    content: 'a.py',
    extras: {
      command: 'ls',
      metadata: { exit_code: 0, working_dir: 'wd', py_interpreter_path: null },
      hidden: false,
    },
    success: true,
  },
  {
    id: 7,
    timestamp: '2025-11-20T10:00:06',
    source: 'agent',
    action: 'finish',
    args: { final_thought: 'There is one.', outputs: {}, thought: '' },
  },
];

test('a trajectory that V0 saved is read: messages, call, result, knowledge, cost', () => {
  const { events, model, where } = fromV0(JSON.stringify(RECORDED, null, 4));
  assert.equal(model, 'some-model');
  assert.deepEqual(toOpenAi(events, { speaker: 'assistant' }), [
    { role: 'system', content: 'Be good.' },
    {
      role: 'user',
      content:
        'add a test\n<EXTRA_INFO>\nThis was added because of "test". Use it if it is relevant to the task.\n\nUse node:test.\n</EXTRA_INFO>',
    },
    {
      role: 'assistant',
      content: 'look around',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'execute_bash', arguments: '{"command": "ls"}' },
        },
      ],
    },
    { role: 'tool', content: 'a.py', tool_call_id: 'call_1', name: 'execute_bash' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'v0-7',
          type: 'function',
          function: { name: 'finish', arguments: '{"message": "There is one."}' },
        },
      ],
    },
    { role: 'tool', content: 'There is one.', tool_call_id: 'v0-7', name: 'finish' },
  ]);
  const action = events.find((event) => event.kind === 'ActionEvent');
  assert.deepEqual(action?.kind === 'ActionEvent' && [action.action, action.security_risk], [
    { command: 'ls', is_input: false, reset: false, kind: 'TerminalAction' },
    'LOW',
  ]);
  assert.match(where(action?.id ?? ''), /^element 4 \(line \d+\)$/);
  const { cost, prompt_tokens, tool_calls, interaction_turns } = statsOf(events);
  assert.deepEqual(
    { cost, prompt_tokens, tool_calls, interaction_turns },
    { cost: 0.01, prompt_tokens: 100, tool_calls: 2, interaction_turns: 1 },
  );
});

test('a malformed V0 trajectory is refused with the number and the line of the element', () => {
  const refused = (source: string) => {
    try {
      fromV0(source);
    } catch (error) {
      assert.ok(error instanceof TrajectoryError);
      return error.message;
    }
    return 'was read';
  };
  assert.match(
    refused('[\n {"action": "message", "args": {"content": "x"}},\n {"id": 1 "x"}\n]'),
    /^line 3: not valid JSON/,
  );
  assert.equal(refused('{"a": 1}'), 'line 1: expected a list of actions and observations');
  assert.equal(
    refused('[\n {"action": "message", "args": {"content": "x"}},\n {"id": 1}\n]'),
    'line 3: element 1: it has neither "action" nor "observation"',
  );
  assert.equal(refused('[\n 7\n]'), 'line 2: element 0: expected an object');
  assert.equal(
    refused('[{"action": "dance", "args": {}}]'),
    'line 1: element 0: "dance" is not an action of a V0 trajectory',
  );
  assert.equal(
    refused('[{"action": "message", "args": {}}]'),
    'line 1: element 0: a message must have "content" in "args"',
  );
  const thinking = structuredClone(RECORDED);
  const { message } = thinking[4]?.tool_call_metadata?.model_response.choices[0] ?? {};
  Object.assign(message ?? {}, { thinking_blocks: [{ type: 'thought' }] });
  assert.match(
    refused(JSON.stringify(thinking, null, 1)),
    /^element 4 \(line 54\): it is not a valid event: ActionEvent\.thinking_blocks\.0\.type: /,
  );
});

test('reading a V0 trajectory gives events or a TrajectoryError, for any input', () => {
  const element = fc.record(
    {
      id: fc.oneof(fc.nat(5), fc.jsonValue()),
      cause: fc.oneof(fc.nat(5), fc.jsonValue()),
      source: fc.constantFrom('user', 'agent', 'environment'),
      action: fc.oneof(
        fc.constantFrom('run', 'message', 'edit', 'finish', 'call_tool_mcp', 'null', 'condensation'),
        fc.jsonValue(),
      ),
      observation: fc.oneof(fc.constantFrom('run', 'error', 'mcp', 'edit', 'recall'), fc.jsonValue()),
      args: fc.oneof(
        fc.dictionary(fc.constantFrom('content', 'command', 'path', 'thought', 'arguments'), fc.jsonValue()),
        fc.jsonValue(),
      ),
      extras: fc.jsonValue(),
      content: fc.jsonValue(),
      tool_call_metadata: fc.jsonValue(),
      llm_metrics: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(element, { minLength: 1, maxLength: 8 }), (elements) => {
      try {
        assert.ok(Array.isArray(fromV0(JSON.stringify(elements)).events));
      } catch (error) {
        assert.ok(error instanceof TrajectoryError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

test('V0 trajectory: tokens and cost of each response survive export and import', () => {
  const usage = (id: string, tokens: number) => ({
    model: 'm',
    prompt_tokens: tokens,
    completion_tokens: 7,
    cache_read_tokens: 3,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    context_window: 0,
    per_turn_token: tokens + 7,
    response_id: id,
  });
  const events = history(
    () => wordsDraft('user', 'go'),
    tool('a', 'terminal', { command: 'ls' }, 'TerminalAction'),
    result({ ...said('x'), kind: 'TerminalObservation' }),
    tool('b', 'terminal', { command: 'ls' }, 'TerminalAction'),
    result({ ...said('x'), kind: 'TerminalObservation' }),
    () => ({
      source: 'environment',
      key: 'stats',
      value: {
        usage_to_metrics: {
          agent: {
            model_name: 'm',
            accumulated_cost: 0.3,
            accumulated_token_usage: { ...usage('', 300), completion_tokens: 14 },
            costs: [0.1, 0.2].map((cost) => ({ model: 'm', cost, timestamp: 0 })),
            token_usages: [usage('response-a', 100), usage('response-b', 200)],
          },
        },
      },
      kind: 'ConversationStateUpdateEvent',
    }),
  );
  const figures = (all: readonly Event[]) => {
    const { cost, prompt_tokens, completion_tokens, steps } = statsOf(all);
    return {
      cost,
      prompt_tokens,
      completion_tokens,
      steps: steps.map((step) => [step.cost, step.prompt_tokens, step.cache_read_tokens]),
    };
  };
  assert.deepEqual(figures(again(events)), figures(events));
  assert.deepEqual(figures(events).steps, [
    [0.1, 100, 3],
    [0.2, 200, 3],
  ]);
});

test('save_screenshots_in_trajectory: browser screenshots are kept or left out', () => {
  const picture = 'data:image/png;base64,AAAA';
  const marks = 'data:image/png;base64,BBBB';
  const events = history(
    () => wordsDraft('user', 'look'),
    tool('a', 'browser', { code: 'goto("x")' }, 'BrowseInteractiveAction'),
    result({
      content: [text('a page'), { cache_prompt: false, type: 'image', image_urls: [picture] }],
      is_error: false,
      url: 'x',
      set_of_marks: marks,
      kind: 'BrowserOutputObservation',
    }),
  );
  const shots = (screenshots: boolean) => {
    const { screenshot, set_of_marks } = toV0(events, { screenshots }).at(-1)?.extras ?? {};
    return [screenshot, set_of_marks];
  };
  assert.deepEqual(
    [shots(true), shots(false)],
    [
      [picture, marks],
      [undefined, undefined],
    ],
  );
  const back = again(events).findLast((event) => event.kind === 'ObservationEvent');
  const original = events.at(-1);
  assert.deepEqual(
    back?.kind === 'ObservationEvent' && back.observation,
    original?.kind === 'ObservationEvent' && original.observation,
  );
});

test('V0 trajectory: knowledge added to a message or to a result survives export and import', () => {
  const events = history(
    () =>
      ({
        ...wordsDraft('user', 'test it'),
        activated_skills: ['testing', 'style'],
        extended_content: [text('Use node:test.')],
      }) as Draft,
    tool('a', 'terminal', { command: 'ls' }, 'TerminalAction'),
    (before) =>
      ({
        ...result({ ...said('a.ts'), exit_code: 0, kind: 'TerminalObservation' })(before),
        extended_content: [text('About a.ts.')],
      }) as Draft,
  );
  const back = again(events);
  assert.deepEqual(toOpenAi(back), toOpenAi(events));
  const [message] = back;
  assert.deepEqual(message?.kind === 'MessageEvent' && [message.activated_skills, message.extended_content], [
    ['testing', 'style'],
    [text('Use node:test.')],
  ]);
});
