import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEventKind, type Event, type Tool } from '@longhand/sdk';
import { eventLines } from './event-lines.ts';
import { PLAIN } from './style.ts';

const options = { style: PLAIN, maxLines: 7 };
const head = { id: 'e', timestamp: '2026-01-01T00:00:00', source: 'agent' };
const text = (words: string) => ({ type: 'text', text: words });

const action = (kind: string, fields: object, more: object = {}) => ({
  ...head,
  thought: [],
  action: { ...fields, kind },
  tool_name: kind,
  tool_call_id: 'c',
  tool_call: { id: 'c', name: kind, arguments: JSON.stringify(fields), origin: 'completion' },
  llm_response_id: 'r',
  kind: 'ActionEvent',
  ...more,
});
const observation = (kind: string, words: string, fields: object = {}) => ({
  ...head,
  source: 'environment',
  tool_name: kind,
  tool_call_id: 'c',
  action_id: 'e',
  observation: { content: [text(words)], is_error: false, ...fields, kind },
  kind: 'ObservationEvent',
});
const update = (key: string, value: unknown) => ({
  ...head,
  key,
  value,
  kind: 'ConversationStateUpdateEvent',
});
const message = (source: string, words: string) => ({
  ...head,
  source,
  llm_message: { role: 'user', content: [text(words)] },
  kind: 'MessageEvent',
});

const CASES: readonly [what: string, event: object, lines: readonly string[]][] = [
  ['a message of the user', message('user', 'do\nthis'), ['> do', '  this']],
  ['a message of the agent', message('agent', '\nIt is\ndone.\n'), ['It is', 'done.']],
  [
    'a command, with what was thought',
    action(
      'TerminalAction',
      { command: 'ls\x1b[2J -a' },
      { thought: [text('Look.')], reasoning_content: 'hm' },
    ),
    ['hm', 'Look.', '$ ls -a'],
  ],
  [
    'a command of several lines',
    action('TerminalAction', { command: 'for i in 1\ndo echo\ndone' }),
    ['$ for i in 1', '  do echo', '  done'],
  ],
  ['input for a running command', action('TerminalAction', { command: 'C-c', is_input: true }), ['< C-c']],
  ['waiting for output', action('TerminalAction', { command: '' }), ['$ (waits for more output)']],
  [
    'a risky command',
    action('TerminalAction', { command: 'rm -r x' }, { security_risk: 'HIGH' }),
    ['$ rm -r x', '  (the agent considers this risky)'],
  ],
  [
    'a command that hides its beginning',
    action('TerminalAction', { command: 'rm -r ~\rls' }),
    ['$ rm -r ~', '  ls'],
  ],
  [
    'reading a part of a file',
    action('FileEditorAction', { command: 'view', path: '/a', view_range: [1, 5] }),
    ['reads /a, lines 1 to 5'],
  ],
  ['an edit', action('FileEditorAction', { command: 'str_replace', path: '/a' }), ['edits /a']],
  ['the last word', action('FinishAction', { message: 'Done.\nAll well.' }), ['Done.', 'All well.']],
  [
    'a tool that is not known here',
    action('WeatherAction', { city: 'Oslo' }),
    ['WeatherAction {"city":"Oslo"}'],
  ],
  [
    'output of a command',
    observation('TerminalObservation', '\na\n\x1b[31mb\x1b[0m\n', { exit_code: 0 }),
    ['  a', '  b'],
  ],
  [
    'a command that fails',
    observation('TerminalObservation', 'no', { exit_code: 2 }),
    ['  no', '  exit code 2'],
  ],
  [
    'a command that goes on',
    observation('TerminalObservation', '', { exit_code: -1 }),
    ['  (still running)'],
  ],
  [
    'a command that was refused, which is not running',
    observation('TerminalObservation', 'Send one statement.', { exit_code: -1, is_error: true }),
    ['  Send one statement.'],
  ],
  [
    'long output, without its middle',
    observation('TerminalObservation', '1\n2\n3\n4\n5\n6\n7\n8\n9', { exit_code: 0 }),
    ['  1', '  2', '  3', '  ... 3 lines omitted ...', '  7', '  8', '  9'],
  ],
  [
    'a long line',
    observation('TerminalObservation', 'x'.repeat(600), { exit_code: 0 }),
    [`  ${'x'.repeat(500)}... (100 more characters)`],
  ],
  [
    'an edit, as a diff',
    observation('FileEditorObservation', '...', { old_content: 'a\nb\n', new_content: 'a\nc\n' }),
    ['  @@ -1,2 +1,2 @@', '   a', '  -b', '  +c'],
  ],
  [
    'what was read, by its length',
    observation('FileEditorObservation', 'Here is /a\n     1\tx\n     2\ty\n', { command: 'view' }),
    ['  2 lines'],
  ],
  [
    'an edit that failed',
    observation('FileEditorObservation', 'no match', { is_error: true }),
    ['  no match'],
  ],
  [
    'the list of tasks',
    observation('TaskTrackerObservation', '', {
      task_list: [{ title: 'a', status: 'done' }, { title: 'b\nc', status: 'in_progress' }, {}],
    }),
    ['[x] a', '[>] b c', '[ ] '],
  ],
  [
    'a call that went wrong',
    { ...head, tool_name: 't', tool_call_id: 'c', error: 'no such\ntool', kind: 'AgentErrorEvent' },
    ['! no such', '  tool'],
  ],
  [
    'a refusal',
    {
      ...head,
      tool_name: 't',
      tool_call_id: 'c',
      action_id: 'a',
      rejection_reason: 'no',
      kind: 'UserRejectObservation',
    },
    ['! refused: no'],
  ],
  ['bookkeeping', update('execution_status', 'running'), []],
  ['a kind from the future', { ...head, kind: 'TeleportEvent' }, []],
];

for (const [what, event, lines] of CASES) {
  test(what, () => assert.deepEqual(eventLines(event as Event, options), lines));
}

test("a tool's own way of showing its calls and results is used, made safe, and not for errors", () => {
  const show = {
    call: ({ city }: { city: string }) => `looks at\x1b[2J ${city.toUpperCase()}\nand waits`,
    result: () => 'sun\x1b[31m',
  };
  const tool = () => ({ show }) as unknown as Tool;
  const lines = (event: object) => eventLines(event as Event, { ...options, tool });
  assert.deepEqual(lines(action('WeatherAction', { city: 'Oslo' })), ['looks at OSLO', 'and waits']);
  assert.deepEqual(lines(action('WeatherAction', { town: 5 })), ['WeatherAction {"town":5}']);
  assert.deepEqual(lines(observation('WeatherObservation', 'a\nb')), ['  sun']);
  assert.deepEqual(lines(observation('WeatherObservation', 'no', { is_error: true })), ['  no']);
});

test('the timeline shows bookkeeping too', () => {
  const events = [
    update('execution_status', 'running'),
    update('stats', {}),
    update('tags', { agent: 'CodeActAgent' }),
    { ...head, kind: 'InterruptEvent' },
    { ...head, code: 'MaxBudgetReached', detail: 'spent', kind: 'ConversationErrorEvent' },
    { ...head, forgotten_event_ids: ['a', 'b'], summary: 'long ago', kind: 'Condensation' },
    { ...head, kind: 'Teleport\x1b[0mEvent' },
  ];
  assert.deepEqual(
    events.flatMap((event) => eventLines(event as Event, { ...options, timeline: true })),
    [
      'status: running',
      'accounts',
      'agent: CodeActAgent',
      'interrupted by the user',
      '! MaxBudgetReached: spent',
      'forgets 2 events; long ago',
      'TeleportEvent',
    ],
  );
});

test('an event of a kind that the program defined is shown everywhere in its own way; of an unknown kind only the name is shown', () => {
  defineEventKind({ kind: 'ShownEvent', fields: () => ({}), show: () => 'one\n\x1b[2Jtwo' });
  const event = (kind: string) => ({ ...head, kind }) as unknown as Event;
  assert.deepEqual(eventLines(event('ShownEvent'), options), ['one', 'two']);
  assert.deepEqual(eventLines(event('ShownEvent'), { ...options, timeline: true }), ['one', 'two']);
  assert.deepEqual(eventLines(event('OtherEvent'), options), []);
  assert.deepEqual(eventLines(event('OtherEvent'), { ...options, timeline: true }), ['OtherEvent']);
});
