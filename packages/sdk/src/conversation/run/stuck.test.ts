import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import { text } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { PromptEvent } from '../../event/kinds.ts';
import { judgeStuck } from './stuck.ts';

function judge(...drafts: Draft[]) {
  const clock = countingClock();
  return judgeStuck(drafts.map((draft) => eventOf(draft, null, clock) as PromptEvent));
}

/** Calls with ids of their own, all of the same command and outcome unless told otherwise. */
function exchanges(
  count: number,
  make: (i: number) => { command?: string; output?: string; error?: string; thought?: string },
) {
  return Array.from({ length: count }, (_, i) => {
    const { command, output, error, thought } = make(i);
    const call = { ...callDraft(`c${i}`, `r${i}`, command), thought: [text(thought ?? '')] } as Draft;
    return [call, error === undefined ? observationDraft(`c${i}`, 'x', output) : errorDraft(`c${i}`, error)];
  }).flat();
}

test('the same call with the same result four times is stuck, three times is not', () => {
  assert.equal(judge(...exchanges(3, () => ({}))).kind, 'free');
  assert.equal(judge(...exchanges(4, () => ({}))).kind, 'stuck');
});

test('other words around the same call do not hide the loop', () => {
  assert.equal(judge(...exchanges(4, (i) => ({ thought: `attempt ${i}` }))).kind, 'stuck');
});

test('a result that changes is progress', () => {
  assert.equal(judge(...exchanges(6, (i) => ({ output: `${i}` }))).kind, 'free');
});

test('the reminder of a call that fails repeats at most 1,000 characters of its result', () => {
  const verdict = judge(...exchanges(3, () => ({ error: `${'x'.repeat(999)}y${'z'.repeat(999)}` })));
  assert.ok(verdict.kind === 'nudge' && verdict.text.includes('xy\n'));
});

test('a call that the user refuses for the same reason again and again is stuck', () => {
  const refused = (reason: (i: number) => string) =>
    exchanges(4, () => ({})).map((draft, i): Draft => {
      if (draft.kind !== 'ObservationEvent') return draft;
      const { observation: _, ...rest } = draft;
      return { ...rest, source: 'environment', kind: 'UserRejectObservation', rejection_reason: reason(i) };
    });
  assert.equal(judge(...refused(() => 'no')).kind, 'stuck');
  assert.equal(judge(...refused((i) => `no ${i}`)).kind, 'free');
});

test('calls whose arguments cannot be parsed are compared as they were written', () => {
  const unreadable = (written: (i: number) => string) =>
    exchanges(4, () => ({ error: 'not JSON' })).map((draft, i) => {
      if (draft.kind !== 'ActionEvent') return draft;
      const { action: _action, ...rest } = draft;
      return { ...rest, tool_call: { ...rest.tool_call, arguments: written(i) } } as Draft;
    });
  assert.equal(judge(...unreadable(() => '{"command": ')).kind, 'stuck');
  assert.equal(judge(...unreadable((i) => `{"command": "${i}`)).kind, 'free');
});

test('calls that cannot be carried out differ by their arguments', () => {
  const drafts = exchanges(4, (i) => ({ command: `command ${i}`, error: 'not valid' })).map((draft) => {
    if (draft.kind !== 'ActionEvent') return draft;
    const { action: _action, ...rest } = draft;
    return rest as Draft;
  });
  assert.equal(judge(...drafts).kind, 'free');
});

test('calls that are never valid are stuck at the sixth turn, however they differ and however many a turn has', () => {
  const invalid = (turn: number, calls: number) => [
    ...Array.from({ length: calls }, (_, i) => {
      const { action: _action, ...rest } = callDraft(
        `c${turn}-${i}`,
        `r${turn}`,
        `c${turn}-${i}`,
      ) as Draft & {
        action?: unknown;
      };
      return rest as Draft;
    }),
    ...Array.from({ length: calls }, (_, i) => errorDraft(`c${turn}-${i}`, `no tool ${turn} ${i}`)),
  ];
  const turns = (count: number, calls: number) =>
    Array.from({ length: count }, (_, turn) => invalid(turn, calls)).flat();
  const valid = [callDraft('ok', 'ok', 'ls'), observationDraft('ok', 'x', 'ls')];
  for (const calls of [1, 10]) {
    assert.equal(judge(...turns(5, calls)).kind, 'free');
    assert.equal(judge(...turns(6, calls)).kind, 'stuck');
    assert.equal(judge(...turns(5, calls), ...valid, ...turns(5, calls)).kind, 'free');
    assert.equal(judge(...turns(6, calls), wordsDraft('user', 'again')).kind, 'free');
  }
});

test('parallel calls are paired with their results by id', () => {
  const drafts = [0, 1, 2, 3].flatMap((i) => [
    callDraft(`a${i}`, `r${i}`, 'left'),
    callDraft(`b${i}`, `r${i}`, 'right'),
    observationDraft(`b${i}`, 'x', `right ${i}`),
    observationDraft(`a${i}`, 'x', `left ${i}`),
  ]);
  assert.equal(judge(...drafts).kind, 'free');
});

/** Answers of the agent, each followed by what the engine says to it. */
const answers = (count: number, words: (i: number) => string, then: (i: number) => Draft) =>
  Array.from({ length: count }, (_, i) => [wordsDraft('agent', words(i)), then(i)]).flat();
const goOn = () => message('user', 'go on', { sender: SENDERS.autoContinue });

test('three equal answers in a row are a monologue, whatever the environment says in between', () => {
  const same = (count: number) =>
    answers(
      count,
      () => 'What now?',
      () => wordsDraft('environment', 'go on'),
    );
  assert.equal(judge(...same(2)).kind, 'free');
  assert.match(JSON.stringify(judge(...same(3))), /the same answer 3 times/);
  assert.match(JSON.stringify(judge(...answers(3, () => 'What now?', goOn))), /the same answer 3 times/);
  assert.equal(judge(...answers(3, () => 'a', goOn), ...exchanges(1, () => ({}))).kind, 'free');
  assert.equal(judge(...answers(3, (i) => (i === 0 ? 'first' : 'What now?'), goOn)).kind, 'free');
  assert.equal(judge(...answers(3, (i) => (i === 1 ? 'second' : 'What now?'), goOn)).kind, 'free');
});

test('a summary of what was forgotten does not end a row of answers', () => {
  const summary = (i: number) => ({
    source: 'environment' as const,
    summary: `summary ${i}`,
    kind: 'CondensationSummaryEvent' as const,
  });
  assert.equal(judge(...answers(3, () => 'What now?', summary)).kind, 'stuck');
});

test('different answers in a row are a monologue at the tenth', () => {
  const different = (count: number) => answers(count, (i) => `${i}`, goOn);
  assert.equal(judge(...different(9)).kind, 'free');
  assert.match(JSON.stringify(judge(...different(10))), /answered 10 times/);
  assert.equal(judge(...different(5), ...exchanges(1, () => ({})), ...different(9)).kind, 'free');
});

test('replies that differ are a dialogue', () => {
  const reply = (i: number) => message('user', `reply ${i}`, { sender: SENDERS.autoContinue });
  assert.equal(judge(...answers(12, (i) => `${i}`, reply)).kind, 'free');
});

test('three answers that were cut off are stuck, however they differ', () => {
  const cut = () => message('environment', 'cut', { sender: SENDERS.cutAnswer });
  assert.match(JSON.stringify(judge(...answers(3, (i) => `${i}`, cut))), /cut off/);
  assert.equal(judge(...answers(2, (i) => `${i}`, cut), ...answers(1, () => 'x', goOn)).kind, 'free');
  assert.equal(judge(...answers(2, (i) => `${i}`, goOn), ...answers(1, () => 'x', cut)).kind, 'free');
});

test('messages that the engine sends as the user do not restart the count', () => {
  const complaint = () => message('user', 'cannot be parsed', { sender: SENDERS.unreadableCall });
  assert.equal(judge(...answers(3, () => '<function=', complaint)).kind, 'stuck');
  assert.equal(judge(...answers(10, (i) => `<function=${i}`, complaint)).kind, 'stuck');
  assert.equal(judge(...exchanges(4, () => ({})), complaint()).kind, 'stuck');
});

test('a message of the user restarts the count', () => {
  assert.equal(judge(...exchanges(4, () => ({})), wordsDraft('user', 'again')).kind, 'free');
});

test('an automatic reply does not break a loop, a message of the user does', () => {
  const reply = (sender?: string) => message('user', 'go on', { sender });
  const around = (draft: Draft) =>
    exchanges(4, () => ({})).flatMap((each, i) => (i === 4 ? [draft, each] : [each]));
  assert.equal(judge(...around(reply(SENDERS.autoContinue))).kind, 'stuck');
  assert.equal(judge(...around(reply())).kind, 'free');
});

const STUCK = {
  failed: 'the same call of terminal has failed 4 times',
  repeated: 'the same call of terminal has given the same result 4 times',
  alternating: 'the agent alternates between the same two calls',
  helpless: 'no call of the last 6 turns names a known tool with valid arguments',
};
const failing = (count: number) => exchanges(count, () => ({ error: 'no such file' }));
/** Exchanges of invalid calls with these arguments. */
const invalid = (count: number, written: (i: number) => string) =>
  exchanges(count, () => ({ error: 'not valid' })).map((draft, i): Draft => {
    if (draft.kind !== 'ActionEvent') return draft;
    const { action: _, ...rest } = draft;
    return { ...rest, tool_call: { ...rest.tool_call, arguments: written(i) } };
  });
const withMetadata = (drafts: readonly Draft[]) =>
  drafts.map(
    (draft, i): Draft =>
      draft.kind === 'ObservationEvent'
        ? { ...draft, observation: { ...draft.observation, metadata: { pid: i } } }
        : draft,
  );
const alternating = (count: number, output: (i: number) => string) =>
  exchanges(count, (i) => ({ command: i % 2 ? 'on' : 'off', output: output(i) }));
/** Rejections of the same call, without a reason. */
const rejected = exchanges(4, () => ({})).map((draft): Draft => {
  if (draft.kind !== 'ObservationEvent') return draft;
  const { observation: _, ...rest } = draft;
  return { ...rest, source: 'environment', kind: 'UserRejectObservation' };
});
const environment = wordsDraft('environment', 'told');

const verdicts: readonly (readonly [string, readonly Draft[], string])[] = [
  ['nothing has happened', [], 'free'],
  ['only words were said', [wordsDraft('user', 'go'), wordsDraft('agent', 'yes')], 'free'],
  ['a call has no result yet', [callDraft('c', 'r')], 'free'],
  ['the same call failed twice', failing(2), 'free'],
  ['the same call failed four times', failing(4), STUCK.failed],
  [
    'another call came between failures',
    exchanges(5, (i) => ({ command: i === 2 ? 'ls' : 'cat', error: 'no such file' })),
    'free',
  ],
  [
    'the same call worked between its failures',
    exchanges(5, (i) => (i === 2 ? {} : { error: 'no such file' })),
    'free',
  ],
  ['different calls failed', exchanges(4, (i) => ({ command: `${i}`, error: 'no' })), 'free'],
  ['the metadata of the results differ', withMetadata(exchanges(4, () => ({}))), STUCK.repeated],
  ['calls are rejected without a reason', rejected, STUCK.repeated],
  [
    'arguments differ that the tool does not take',
    exchanges(4, () => ({})).map((draft, i): Draft => {
      if (draft.kind !== 'ActionEvent') return draft;
      return { ...draft, tool_call: { ...draft.tool_call, arguments: `{"more":${i}}` } };
    }),
    STUCK.repeated,
  ],
  [
    'the endpoint gives all calls the same id, and their results change',
    exchanges(5, (i) => ({ output: `${i}` })).map(
      (draft): Draft => ('tool_call_id' in draft ? { ...draft, tool_call_id: 'call_0' } : draft),
    ),
    'free',
  ],
  ['two calls alternate', alternating(6, () => 'ok'), STUCK.alternating],
  ['two calls have alternated five times', alternating(5, () => 'ok'), 'free'],
  ['two calls alternate, and their results change', alternating(6, (i) => `${i}`), 'free'],
  ['the first of the alternating calls had another result', alternating(6, (i) => `${i < 1}`), 'free'],
  ['three calls alternate', exchanges(6, (i) => ({ command: `${i % 3}` })), 'free'],
  [
    'invalid calls differ only in what they say of themselves',
    invalid(4, (i) => JSON.stringify({ command: 'ls', security_risk: `${i}`, summary: `${i}` })),
    STUCK.failed,
  ],
  ['invalid calls differ', invalid(4, (i) => JSON.stringify({ command: `${i}` })), 'free'],
  ['the agent sends nothing but invalid calls', invalid(6, (i) => `{"command": "${i}`), STUCK.helpless],
  [
    'a valid call came before five invalid ones',
    invalid(6, (i) => `{"command": "${i}`).with(0, callDraft('c0', 'r0')),
    'free',
  ],
  [
    'the environment speaks between invalid calls',
    invalid(6, (i) => `{"command": "${i}`).flatMap((draft) => [draft, environment]),
    STUCK.helpless,
  ],
];

for (const [about, drafts, expected] of verdicts)
  test(`${about}: ${expected === 'free' ? 'free' : 'stuck'}`, () => {
    const verdict = expected === 'free' ? { kind: 'free' } : { kind: 'stuck', detail: expected };
    assert.deepEqual(judge(...drafts), verdict);
  });

test('the agent is told once what failed three times', () => {
  const words = `Your last 3 calls of terminal were identical and failed with the same result:
no such file
Do not send the same call again. Change its arguments, or use another approach.`;
  assert.deepEqual(judge(...failing(3)), { kind: 'nudge', text: words });
  assert.deepEqual(judge(...failing(3), environment), { kind: 'free' });
});

test('calls further back than the last 20 events do not count, automatic replies apart', () => {
  const reply = message('user', 'go on', { sender: SENDERS.autoContinue });
  const pair = exchanges(4, () => ({ command: 'other' })).slice(6);
  const [same, last] = [exchanges(4, () => ({})).slice(0, 6), exchanges(4, () => ({})).slice(6)];
  assert.equal(judge(...same, ...Array(20).fill(environment), ...pair).kind, 'free');
  assert.equal(judge(...same, ...Array(12).fill(environment), ...last).kind, 'stuck');
  assert.equal(judge(...same, ...Array(13).fill(environment), ...last).kind, 'free');
  assert.equal(
    judge(...same, ...Array(12).fill(environment), ...Array(20).fill(reply), ...last).kind,
    'stuck',
  );
});
