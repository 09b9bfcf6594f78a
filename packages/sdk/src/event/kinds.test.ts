import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEvent, serializeEvent } from './codec.ts';
import { eventKind } from './event-kind.ts';
import './kinds.ts';

const HEAD = { id: '1', timestamp: '2026-01-01T00:00:00', source: 'agent', parent_id: '0' };
const WORDS = { type: 'text', text: 'words' };
const TOOL_CALL = {
  id: 'call',
  responses_item_id: 'item',
  name: 'terminal',
  arguments: '{}',
  origin: 'completion',
};

interface Example {
  readonly kind: string;
  /** Every field that the kind has, in the order on disk, as a valid event holds it. */
  readonly fields: { readonly [field: string]: unknown };
  /** Those that an event must have. */
  readonly required: readonly string[];
  /** What is added where it is missing. */
  readonly defaults?: { readonly [field: string]: unknown };
  /** The event in words, for people. */
  readonly shown?: string;
}

const EXAMPLES: readonly Example[] = [
  {
    kind: 'SystemPromptEvent',
    fields: {
      system_prompt: WORDS,
      tools: [{ description: 'runs', kind: 'TerminalTool' }],
      dynamic_context: WORDS,
    },
    required: ['system_prompt', 'tools'],
    shown: 'system prompt: 10 characters, 1 tools',
  },
  {
    kind: 'MessageEvent',
    fields: {
      llm_message: {
        role: 'assistant',
        content: [WORDS, { type: 'image', image_urls: ['data:'] }],
        tool_calls: [TOOL_CALL],
        tool_call_id: 'call',
        name: 'terminal',
        reasoning_content: 'hm',
        thinking_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'signed' },
          { type: 'redacted_thinking', data: 'xx' },
        ],
        responses_reasoning_item: {
          id: 'r',
          summary: ['s'],
          content: ['c'],
          encrypted_content: 'e',
          status: 'done',
        },
      },
      llm_response_id: 'response',
      activated_skills: ['skill'],
      extended_content: [WORDS],
      sender: 'someone',
      critic_result: {},
    },
    required: ['llm_message'],
    defaults: { activated_skills: [], extended_content: [] },
  },
  {
    kind: 'ActionEvent',
    fields: {
      thought: [WORDS],
      reasoning_content: 'hm',
      thinking_blocks: [{ type: 'thinking', thinking: 'hm' }],
      responses_reasoning_item: {},
      action: { kind: 'TerminalAction' },
      tool_name: 'terminal',
      tool_call_id: 'call',
      tool_call: { ...TOOL_CALL, origin: 'responses' },
      llm_response_id: 'response',
      security_risk: 'LOW',
      critic_result: {},
      summary: 'looks',
    },
    required: ['thought', 'tool_name', 'tool_call_id', 'tool_call', 'llm_response_id'],
    defaults: { thinking_blocks: [], security_risk: 'UNKNOWN' },
  },
  {
    kind: 'ObservationEvent',
    fields: {
      tool_name: 'terminal',
      tool_call_id: 'call',
      observation: { content: [WORDS], is_error: true, kind: 'TerminalObservation' },
      action_id: '0',
      extended_content: [WORDS],
    },
    required: ['tool_name', 'tool_call_id', 'observation', 'action_id'],
    defaults: { extended_content: [] },
  },
  {
    kind: 'UserRejectObservation',
    fields: {
      tool_name: 'terminal',
      tool_call_id: 'call',
      rejection_reason: 'no',
      rejection_source: 'hook',
      action_id: '0',
    },
    required: ['tool_name', 'tool_call_id', 'action_id'],
    defaults: { rejection_reason: 'User rejected the action', rejection_source: 'user' },
  },
  {
    kind: 'AgentErrorEvent',
    fields: {
      tool_name: 'terminal',
      tool_call_id: 'call',
      error: 'failed',
      classification: { kind: 'internal', retryable: true, user_action: 'retry', error_id: 'e' },
    },
    required: ['tool_name', 'tool_call_id', 'error'],
    defaults: { classification: { kind: 'unknown', retryable: false, user_action: 'none' } },
  },
  {
    kind: 'Condensation',
    fields: { forgotten_event_ids: ['a', 'b'], summary: 'what was', summary_offset: 0, llm_response_id: 'r' },
    required: ['llm_response_id'],
    defaults: { forgotten_event_ids: [] },
    shown: 'forgets 2 events; what was',
  },
  { kind: 'CondensationRequest', fields: {}, required: [], shown: 'condensation requested' },
  {
    kind: 'CondensationSummaryEvent',
    fields: { summary: 'what was' },
    required: ['summary'],
    shown: 'summary: what was',
  },
  {
    kind: 'ConversationStateUpdateEvent',
    fields: { key: 'execution_status', value: 'running' },
    required: ['key', 'value'],
    shown: 'status: running',
  },
  {
    kind: 'ConversationErrorEvent',
    fields: {
      code: 'LLMError',
      detail: 'failed',
      classification: { kind: 'config', retryable: false, user_action: 'settings' },
    },
    required: ['code', 'detail'],
    shown: 'LLMError: failed',
  },
  { kind: 'PauseEvent', fields: {}, required: [], shown: 'paused by the user' },
  { kind: 'InterruptEvent', fields: {}, required: [], shown: 'interrupted by the user' },
  {
    kind: 'HookExecutionEvent',
    fields: {
      hook_event_type: 'Stop',
      hook_command: 'check',
      tool_name: 'terminal',
      success: false,
      blocked: true,
      exit_code: 2,
      stdout: 'out',
      stderr: 'err',
      reason: 'because',
      additional_context: 'more',
      error: 'failed',
      action_id: '0',
      message_id: '1',
      hook_input: {},
    },
    required: ['hook_event_type', 'hook_command', 'success', 'exit_code'],
    defaults: { blocked: false, stdout: '', stderr: '' },
    shown: 'hook Stop: check ended with 2',
  },
  {
    kind: 'TokenEvent',
    fields: { prompt_token_ids: [1], response_token_ids: [2] },
    required: ['prompt_token_ids', 'response_token_ids'],
    shown: 'token ids: 1 of the prompt, 1 of the response',
  },
  {
    kind: 'LLMCompletionLogEvent',
    fields: { filename: 'f', log_data: '{}', model_name: 'm', usage_id: 'agent' },
    required: ['filename', 'log_data'],
    shown: 'completion log f of m',
    defaults: { model_name: 'unknown', usage_id: 'default' },
  },
  {
    kind: 'SecurityAnalysisEvent',
    fields: {
      analyzer: 'LLMSecurityAnalyzer',
      policy: 'NeverConfirm',
      risks: { one: 'HIGH', two: 'LOW' },
      details: { one: { why: null } },
    },
    required: ['analyzer', 'policy', 'risks'],
    defaults: { details: {} },
    shown: 'LLMSecurityAnalyzer rates 2 calls: HIGH, LOW',
  },
  {
    kind: 'StreamingDeltaEvent',
    fields: { content: 'a', reasoning_content: 'b' },
    required: [],
    shown: 'part of a reply: a',
  },
  {
    kind: 'ACPToolCallEvent',
    fields: {
      tool_call_id: 'call',
      title: 'reads',
      status: 'done',
      tool_kind: 'read',
      raw_input: {},
      raw_output: {},
      content: [1],
      is_error: true,
    },
    required: ['tool_call_id', 'title'],
    shown: 'call of another agent: reads, done (error)',
    defaults: { is_error: false },
  },
];

const ANYTHING = ['value', 'raw_input', 'raw_output'];
const refused = { name: 'EventFormatError' };

for (const { kind, fields, required, defaults = {}, shown } of EXAMPLES) {
  const whole = { ...HEAD, ...fields, kind };
  const parse = (event: object) => parseEvent(JSON.stringify(event));

  test(`${kind}: an event with all its fields is read strictly and written back to the byte`, () => {
    const source = JSON.stringify(whole);
    assert.equal(serializeEvent(parseEvent(source, { strict: true })), source);
    assert.throws(() => parseEvent(JSON.stringify({ ...whole, other: 1 }), { strict: true }), refused);
  });

  test(`${kind}: a missing required field is reported`, () => {
    for (const field of ['id', 'timestamp', 'source', ...required])
      assert.throws(() => parse({ ...whole, [field]: undefined }), refused, field);
  });

  test(`${kind}: what is left out of an event has its default`, () => {
    const least = Object.entries(fields).filter(([field]) => required.includes(field));
    const { id, timestamp, source } = HEAD;
    const head = { id, timestamp, source };
    const expected = Object.keys(fields).flatMap((field) => {
      if (required.includes(field)) return [[field, fields[field]]];
      return Object.hasOwn(defaults, field) ? [[field, defaults[field]]] : [];
    });
    assert.equal(
      serializeEvent(parse({ ...head, ...Object.fromEntries(least), kind })),
      JSON.stringify({ ...head, ...Object.fromEntries(expected), kind }),
    );
  });

  test(`${kind}: a field of another type is refused`, () => {
    for (const [field, value] of Object.entries({ ...HEAD, ...fields })) {
      if (ANYTHING.includes(field)) continue;
      const wrong = typeof value === 'object' ? 7 : { wrong: true };
      assert.throws(() => parse({ ...whole, [field]: wrong }), refused, field);
    }
  });

  test(`${kind}: is shown to people`, () => {
    assert.equal(eventKind(kind)?.show?.(whole as never), shown);
  });
}

test('every value of the wire format is read, and no other', () => {
  const example = (kind: string) => EXAMPLES.find((each) => each.kind === kind)?.fields;
  const reads = (kind: string, fields: object) =>
    parseEvent(JSON.stringify({ ...HEAD, ...example(kind), ...fields, kind }));
  const message = (role: string) => ({ llm_message: { role, content: [] } });
  for (const role of ['user', 'system', 'assistant', 'tool']) reads('MessageEvent', message(role));
  assert.throws(() => reads('MessageEvent', message('developer')), refused);
  for (const security_risk of ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']) reads('ActionEvent', { security_risk });
  assert.throws(() => reads('ActionEvent', { security_risk: 'NONE' }), refused);
  for (const source of ['agent', 'user', 'environment', 'hook']) reads('PauseEvent', { source });
  assert.throws(() => reads('PauseEvent', { source: 'tool' }), refused);
  for (const rejection_source of ['user', 'hook']) reads('UserRejectObservation', { rejection_source });
  assert.throws(() => reads('UserRejectObservation', { rejection_source: 'agent' }), refused);
  const hooks = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop'];
  for (const hook_event_type of hooks) reads('HookExecutionEvent', { hook_event_type });
  assert.throws(() => reads('HookExecutionEvent', { hook_event_type: 'Start' }), refused);
  assert.throws(() => reads('Condensation', { summary_offset: -1 }), refused);
  assert.throws(() => reads('PauseEvent', { id: '' }), refused);
});

test('a state update is shown by its key, and its value cut at a hundred characters', () => {
  const show = (key: string, value: unknown) =>
    eventKind('ConversationStateUpdateEvent')?.show?.({ ...HEAD, key, value } as never);
  assert.equal(show('stats', { much: 1 }), 'accounts');
  assert.equal(show('agent_state', { a: 1 }), 'agent_state: {"a":1}');
  assert.equal(show('title', 'words'), 'title: words');
  assert.equal(show('title', undefined), 'title: ');
  assert.equal(show('title', 'x'.repeat(100)), `title: ${'x'.repeat(100)}`);
  assert.equal(show('title', 'x'.repeat(101)), `title: ${'x'.repeat(100)}...`);
});

test('a condensation without a summary, and a prompt without dynamic context, can be shown', () => {
  assert.equal(eventKind('Condensation')?.show?.({} as never), 'forgets 0 events; no summary');
  const prompt = { system_prompt: WORDS, tools: [] };
  assert.equal(
    eventKind('SystemPromptEvent')?.show?.(prompt as never),
    'system prompt: 5 characters, 0 tools',
  );
});
