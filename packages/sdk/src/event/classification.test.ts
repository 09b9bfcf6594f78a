import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_ACTION, classify, errorClassificationSchema } from './classification.ts';

const AUTH = { kind: 'auth', retryable: false, user_action: 'settings' };
const QUOTA = { kind: 'quota', retryable: false, user_action: 'settings' };
const RATE_LIMIT = { kind: 'rate_limit', retryable: true, user_action: 'retry' };
const CONFIG = { kind: 'config', retryable: false, user_action: 'settings' };
const TRANSIENT = { kind: 'transient', retryable: true, user_action: 'retry' };
const MISTAKE = { kind: 'agent_action', retryable: true, user_action: 'retry' };
const END = { kind: 'agent_action', retryable: false, user_action: 'none' };
const INTERNAL = { kind: 'internal', retryable: false, user_action: 'none' };
const UNKNOWN = { kind: 'unknown', retryable: false, user_action: 'none' };

const BY_CODE: readonly (readonly [code: string, means: object])[] = [
  ['LLMAuthenticationError', AUTH],
  ['ACPAuthRequired', AUTH],
  ['LLMRateLimitError', RATE_LIMIT],
  ['MaxBudgetReached', QUOTA],
  ['LLMBadRequestError', CONFIG],
  ['ACPInitError', CONFIG],
  ['ACPSpawnError', CONFIG],
  ['ACPPromptError', CONFIG],
  ['NotFoundError', CONFIG],
  ['LLMContextWindowExceedError', MISTAKE],
  ['LLMMalformedConversationHistoryError', MISTAKE],
  ['MaxIterationsReached', END],
  ['ConversationOwnershipLostError', END],
  ['TypeError', INTERNAL],
  ['KeyError', INTERNAL],
  ['AssertionError', INTERNAL],
  ['AttributeError', INTERNAL],
  ['LLMServiceUnavailableError', TRANSIENT],
  ['LLMTimeoutError', TRANSIENT],
  ['LLMNoResponseError', TRANSIENT],
  ['APIError', TRANSIENT],
  ['OpenAIError', TRANSIENT],
  ['SomethingElse', UNKNOWN],
];

for (const [code, means] of BY_CODE)
  test(`the error ${code} is classified by its code`, () => {
    const classification = classify(code, 'no details');
    assert.deepEqual(classification, means);
    assert.deepEqual(errorClassificationSchema.parse(classification), means);
  });

const BY_DETAIL: readonly (readonly [detail: string, means: object])[] = [
  ['Incorrect API key provided', AUTH],
  ['bad credentials', AUTH],
  ['Unauthorised', AUTH],
  ['HTTP 401', AUTH],
  ['You exceeded your usage limit', QUOTA],
  ['insufficient quota', QUOTA],
  ['Too Many Requests', RATE_LIMIT],
  ['status 429', RATE_LIMIT],
  ['model gpt-x not found', CONFIG],
  ['response_format is not supported', CONFIG],
  ['the request timed out', TRANSIENT],
  ['ECONNRESET', TRANSIENT],
  ['status 503', TRANSIENT],
  ['the model is overloaded', TRANSIENT],
  ['1401 tokens and 5030 more', UNKNOWN],
];

for (const [detail, means] of BY_DETAIL)
  test(`an error of an unknown code is classified by its message: ${detail}`, () => {
    assert.deepEqual(classify('ValueError', detail), means);
  });

test('the code takes precedence over the message, and the message over a generic code', () => {
  assert.deepEqual(classify('LLMAuthenticationError', 'rate limit'), AUTH);
  assert.deepEqual(classify('APIError', 'rate limit'), RATE_LIMIT);
  assert.deepEqual(classify('APIError', 'authentication, after a rate limit'), AUTH);
});

test('an invalid call is classified as one that the agent can correct', () => {
  assert.deepEqual(AGENT_ACTION, MISTAKE);
});
