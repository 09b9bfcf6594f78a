import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  callDraft,
  errorDraft,
  observationDraft,
  recordOf,
  SIGNED,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import { type Content, text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import { NO_USAGE } from '../../llm/llm.ts';
import {
  answerAt,
  autoReplyAt,
  cameWhileThinking,
  comesWithMessage,
  condensedAt,
  endsBeforeResult,
  hooksAt,
  isAutoReply,
  isOfUser,
  isRequestOfUser,
  isSpeech,
  nextWords,
  recallAt,
  resultAt,
  tellsTurnsLeft,
  toolChangeAt,
} from './replay-record.ts';

function hook(type: string, more: object = {}): Draft {
  return {
    source: 'hook',
    hook_event_type: type,
    hook_command: 'check',
    success: true,
    blocked: false,
    exit_code: 0,
    stdout: '',
    stderr: '',
    ...more,
    kind: 'HookExecutionEvent',
  } as Draft;
}

const SYSTEM: Draft = {
  source: 'agent',
  system_prompt: text('static'),
  tools: [],
  kind: 'SystemPromptEvent',
};
const said = wordsDraft('user', 'go');
const spoken = wordsDraft('agent', 'done');
const request = (source: 'user' | 'agent' | 'environment'): Draft => ({
  source,
  kind: 'CondensationRequest',
});
const autoReply = message('user', 'continue', { sender: SENDERS.autoContinue });

test('a message is a person’s if it comes from the user and the engine did not send it', () => {
  const isPerson = (draft: Draft) => isOfUser(recordOf(draft)[0]);
  assert.deepEqual([said, spoken, autoReply, wordsDraft('environment', 'x')].map(isPerson), [
    true,
    false,
    false,
    false,
  ]);
  assert.equal(isPerson(message('user', 'go', { sender: 'alice' })), true);
  assert.equal(isOfUser(undefined), false);
});

test('the system prompt and the hooks of messages and session ends are stored with a message', () => {
  const drafts = [
    SYSTEM,
    hook('UserPromptSubmit'),
    hook('SessionEnd'),
    hook('SessionStart'),
    hook('Stop'),
    said,
  ];
  assert.deepEqual(recordOf(...drafts).map(comesWithMessage), [true, true, true, false, false, false]);
  assert.equal(comesWithMessage(undefined), false);
});

test('the next message of the user is found after what is stored with it, and after nothing else', () => {
  assert.equal(nextWords(recordOf(SYSTEM, hook('UserPromptSubmit'), said), 0), 2);
  assert.equal(nextWords(recordOf(spoken, said), 1), 1);
  assert.equal(nextWords(recordOf(spoken, said), 0), undefined);
  assert.equal(nextWords(recordOf(SYSTEM), 0), undefined);
});

test('an automatic reply is read with its words; a message of the user is not one', () => {
  assert.equal(autoReplyAt(recordOf(spoken, hook('UserPromptSubmit'), autoReply), 1), 'continue');
  assert.equal(autoReplyAt(recordOf(spoken, said), 1), undefined);
  assert.deepEqual(recordOf(autoReply, said).map(isAutoReply), [true, false]);
  const image: Content = { type: 'image', image_urls: ['data:'], cache_prompt: false };
  for (const content of [[image], []])
    assert.equal(autoReplyAt(recordOf(message('user', content, { sender: SENDERS.autoContinue })), 0), '');
});

test('a message about tools that have changed is read with its words, and only where it is', () => {
  const told = message('environment', 'there is a new tool', { sender: SENDERS.toolsChanged });
  const events = recordOf(told, autoReply);
  assert.deepEqual(
    [0, 1, 2].map((at) => toolChangeAt(events, at)),
    ['there is a new tool', undefined, undefined],
  );
});

test('only the user requests a condensation between two runs', () => {
  assert.deepEqual(
    recordOf(request('user'), request('agent'), request('environment'), said).map(isRequestOfUser),
    [true, false, false, false],
  );
  assert.equal(isRequestOfUser(undefined), false);
});

test('only messages of the agent are its speech', () => {
  assert.deepEqual(recordOf(spoken, said, callDraft('c', 'r')).map(isSpeech), [true, false, false]);
});

test('a message came while the model was answering if that answer did not end the run', () => {
  const call = callDraft('a', 'r1');
  const cases: readonly (readonly [boolean, ...Draft[]])[] = [
    [true, said, spoken, wordsDraft('agent', 'and again')],
    [true, said, call, callDraft('b', 'r1'), observationDraft('a', 'e1'), callDraft('c', 'r2')],
    [true, said, spoken, hook('Stop'), callDraft('c', 'r2')],
    [false, said, call, callDraft('b', 'r1'), observationDraft('a', 'e1')],
    [false, said, spoken],
    [false, said, spoken, said, call],
    [true, said, call, errorDraft('a'), spoken],
    [false, said, SYSTEM, spoken, spoken],
    [false, said, said, spoken, spoken],
    [false, said, spoken, request('agent'), spoken],
    [false, said],
  ];
  for (const [expected, ...drafts] of cases)
    for (const before of [[], [said, spoken]])
      assert.equal(
        cameWhileThinking(recordOf(...before, ...drafts), before.length),
        expected,
        JSON.stringify(drafts),
      );
});

test('hooks of one kind that follow each other are one verdict', () => {
  const events = recordOf(
    hook('PreToolUse', { action_id: 'a1', additional_context: 'one' }),
    hook('PreToolUse', { action_id: 'a1' }),
    hook('PreToolUse', { action_id: 'a2', additional_context: 'two' }),
    hook('PostToolUse', { action_id: 'a1', additional_context: 'three' }),
  );
  const verdict = hooksAt(events, 0, 'PreToolUse', 'a1');
  assert.deepEqual(
    [verdict.events.length, verdict.additionalContext, verdict.refusal],
    [2, ['one'], undefined],
  );
  assert.equal(hooksAt(events, 0, 'PreToolUse', undefined).events.length, 3);
  assert.deepEqual(hooksAt(events, 0, 'PostToolUse', 'a1').events, []);
  assert.deepEqual(hooksAt(events, 3, 'PostToolUse', 'a1').additionalContext, ['three']);
  const [first] = verdict.events;
  assert.deepEqual(
    Object.keys(first ?? {}).filter((key) => ['id', 'timestamp', 'parent_id'].includes(key)),
    [],
  );
});

test('a hook that blocks ends the verdict with its reason', () => {
  const events = recordOf(hook('PreToolUse', { blocked: true, reason: 'no' }), hook('PreToolUse'));
  const verdict = hooksAt(events, 0, 'PreToolUse', undefined);
  assert.deepEqual([verdict.events.length, verdict.refusal], [1, 'no']);
  const silent = hooksAt(recordOf(hook('PreToolUse', { blocked: true })), 0, 'PreToolUse', undefined);
  assert.equal(silent.refusal, '');
});

test('hooks of a message include those of the session that ended before it; what they add is in the message', () => {
  const events = recordOf(
    hook('SessionEnd'),
    hook('UserPromptSubmit', { additional_context: 'added' }),
    said,
  );
  const verdict = hooksAt(events, 0, 'UserPromptSubmit', undefined);
  assert.deepEqual([verdict.events.length, verdict.additionalContext], [2, []]);
  assert.deepEqual(hooksAt(events, 0, 'SessionStart', undefined).events, []);
});

test('stop hooks are found behind the turn that would end the run, and not behind the next message', () => {
  const stop = hook('Stop', { additional_context: 'go on' });
  assert.deepEqual(hooksAt(recordOf(spoken, stop), 0, 'Stop', undefined).additionalContext, ['go on']);
  assert.deepEqual(hooksAt(recordOf(stop, spoken), 0, 'Stop', undefined).additionalContext, ['go on']);
  const behind = recordOf(spoken, hook('PostToolUse', { additional_context: 'other' }), stop);
  assert.deepEqual(hooksAt(behind, 0, 'Stop', undefined).additionalContext, ['go on']);
  assert.deepEqual(hooksAt(recordOf(stop, spoken), 1, 'Stop', undefined).events, []);
  assert.deepEqual(hooksAt(recordOf(spoken, said, stop), 0, 'Stop', undefined).events, []);
  assert.deepEqual(hooksAt(recordOf(hook('SessionEnd'), said, stop), 0, 'Stop', undefined).events, []);
  assert.deepEqual(hooksAt(recordOf(spoken), 0, 'Stop', undefined).events, []);
});

test('the skills of a message are found by its words, from the given event on', () => {
  const skilled = message('user', 'go', { names: ['testing'], content: [text('test!')] });
  const events = recordOf(said, skilled, message('user', 'go', { names: ['later'] }));
  assert.deepEqual(recallAt(events, 1, 'go'), { names: ['testing'], content: [text('test!')] });
  assert.deepEqual(recallAt(events, 2, 'go'), { names: ['later'], content: [] });
  assert.deepEqual(recallAt(events, 1, 'other words'), { names: [], content: [] });
  const bare = { ...said, activated_skills: undefined, extended_content: undefined } as unknown as Draft;
  assert.deepEqual(recallAt(recordOf(wordsDraft('agent', 'go'), SYSTEM, bare, skilled), 0, 'go'), {
    names: [],
    content: [],
  });
});

test('a condensation is repeated as it was recorded, and without one the view is kept', () => {
  const draft: Draft = {
    source: 'environment',
    forgotten_event_ids: ['e0'],
    summary: 's',
    summary_offset: 1,
    llm_response_id: 'c',
    kind: 'Condensation',
  };
  const { source: _, kind: __, ...condensation } = draft as Extract<Draft, { kind: 'Condensation' }>;
  assert.deepEqual(condensedAt(recordOf(said, draft), 1), { kind: 'condensation', condensation });
  const bare: Draft = {
    source: 'agent',
    forgotten_event_ids: [],
    llm_response_id: 'c',
    kind: 'Condensation',
  };
  assert.deepEqual(condensedAt(recordOf(bare), 0), {
    kind: 'condensation',
    condensation: { forgotten_event_ids: [], llm_response_id: 'c' },
  });
  assert.equal(condensedAt(recordOf(said, draft), 0).kind, 'view');
  assert.equal(condensedAt([], 0).kind, 'view');
});

test('the calls of one answer are one turn, with the thoughts that its first call carries', () => {
  const thought = {
    ...callDraft('a', 'r1'),
    thought: [text('hm')],
    reasoning_content: 'because',
    thinking_blocks: [SIGNED],
    responses_reasoning_item: { id: 'rs' },
  } as unknown as ActionEvent;
  const b = callDraft('b', 'r1') as ActionEvent;
  const c = callDraft('c', 'r2') as ActionEvent;
  const alike = { ...spoken, llm_response_id: 'r1' } as Draft;
  const events = recordOf(callDraft('z', 'r0'), thought as Draft, b as Draft, alike, c as Draft);
  const metered = { finish: { reason: 'other' }, usage: NO_USAGE, costUsd: null, latencyMs: 0 };
  assert.deepEqual(answerAt(events, 1), {
    id: 'r1',
    message: {
      role: 'assistant',
      content: [text('hm')],
      tool_calls: [thought.tool_call, b.tool_call],
      reasoning_content: 'because',
      thinking_blocks: [SIGNED],
      responses_reasoning_item: { id: 'rs' },
    },
    ...metered,
  });
  assert.deepEqual(answerAt(events, 4), {
    id: 'r2',
    message: { role: 'assistant', content: [], tool_calls: [c.tool_call], thinking_blocks: [] },
    ...metered,
  });
});

test('what the agent said is its answer, including a call that it wrote as text and that could not be parsed', () => {
  const answered = { ...spoken, llm_response_id: 'r' } as Draft;
  const complaint = message('user', 'cannot be parsed', { sender: SENDERS.unreadableCall });
  const answer = answerAt(recordOf(answered, complaint), 0);
  assert.deepEqual([answer.id, answer.complaint], ['r', 'cannot be parsed']);
  assert.equal(answerAt(recordOf(answered, said), 0).complaint, undefined);
  assert.equal(answerAt(recordOf(spoken), 0).id, '');
});

test('the error of a failed request is derived from what followed it', () => {
  const codeAt = (draft: Draft) => {
    try {
      answerAt(recordOf(draft), 0);
    } catch (error) {
      return (error as { code?: string }).code;
    }
    return 'no error';
  };
  const rejected = message('user', 'rephrase', { sender: SENDERS.rejectedContent });
  assert.equal(codeAt(rejected), 'LLMContentPolicyViolationError');
  assert.equal(codeAt(request('environment')), 'LLMContextWindowExceedError');
  const failed = {
    source: 'environment',
    code: 'LLMBadRequestError',
    detail: 'no such model',
    classification: { kind: 'internal', retryable: false, user_action: 'none' },
    kind: 'ConversationErrorEvent',
  } as Draft;
  assert.equal(codeAt(failed), 'LLMBadRequestError');
  assert.throws(() => answerAt(recordOf(failed), 0), /no such model/);
});

test('asking the model where the record has no answer is a mismatch that names the event', () => {
  assert.throws(() => answerAt(recordOf(SYSTEM, said), 1), /event 1: MessageEvent/);
  assert.throws(() => answerAt(recordOf(said), 1), /event 1: nothing/);
  assert.throws(() => answerAt(recordOf(SYSTEM), 0), { name: 'ReplayMismatch' });
});

test('a result is found by its call, from the given event on, with the request for a condensation after it', () => {
  const events = recordOf(
    callDraft('a', 'r1'),
    observationDraft('a', 'e0', 'first'),
    callDraft('a', 'r2'),
    observationDraft('b', 'e2', 'other'),
    observationDraft('a', 'e2', 'second'),
    message('environment', 'a note', { sender: SENDERS.hook }),
    request('agent'),
  );
  const call = events[2] as ActionEvent;
  const { draft, wantsRoom } = resultAt(events, 2, call);
  assert.match(JSON.stringify(draft), /second/);
  assert.equal(wantsRoom, true);
  const first = resultAt(events, 1, call);
  assert.match(JSON.stringify(first.draft), /first/);
  assert.equal(first.wantsRoom, false);
  const asked = recordOf(callDraft('a', 'r1'), observationDraft('a', 'e0'), request('user'));
  assert.equal(resultAt(asked, 1, asked[0] as ActionEvent).wantsRoom, false);
  assert.throws(() => resultAt(events, 5, call), { name: 'ReplayMismatch' });
});

test('the record shows where the model was told how many turns are left', () => {
  const told = message('environment', 'hurry', { sender: SENDERS.turnsLeft });
  const events = recordOf(said, told);
  assert.deepEqual(
    [tellsTurnsLeft(events, 0), tellsTurnsLeft(events, 1), tellsTurnsLeft(events, 2)],
    [false, true, false],
  );
});

for (const [ends, what, ...drafts] of [
  [true, 'after the call', callDraft('a', 'r')],
  [true, 'after a call of the same answer', callDraft('a', 'r'), callDraft('b', 'r')],
  [
    true,
    'after the result of a call beside it',
    callDraft('b', 'r'),
    callDraft('a', 'r'),
    observationDraft('b', 'e0'),
  ],
  [true, 'after a hook', callDraft('a', 'r'), hook('PreToolUse')],
  [
    true,
    'with a call whose id was used before',
    callDraft('a', 'q'),
    observationDraft('a', 'e0'),
    callDraft('a', 'r'),
  ],
  [false, 'after its result', callDraft('a', 'r'), observationDraft('a', 'e0')],
  [false, 'after its error', callDraft('a', 'r'), errorDraft('a')],
  [false, 'later, without a result', callDraft('a', 'r'), said],
  [false, 'in a later answer', callDraft('a', 'r'), callDraft('b', 'r2')],
] as const satisfies readonly (readonly [boolean, string, ...Draft[]])[])
  test(`a record that ends ${what} ${ends ? 'ends' : 'does not end'} before the result of a call`, () => {
    const call = callDraft('a', 'r') as ActionEvent;
    assert.equal(endsBeforeResult(recordOf(...drafts), call), ends);
  });
