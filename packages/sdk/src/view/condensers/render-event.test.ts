import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from '../../../test-support/history-notation.ts';
import { text } from '../../event/content.ts';
import type { PromptEvent } from '../../event/kinds.ts';
import { renderEvent } from './render-event.ts';

/** The event that a word of the notation stands for, with other members. */
const event = (word: string, more: object = {}) => ({ ...historyOf(word)[0], ...more }) as PromptEvent;
const message = (words: string) => ({ role: 'user', content: [text(words)] });

const CASES: readonly (readonly [about: string, event: PromptEvent, rendered: string])[] = [
  ['the system prompt', event('S'), 'static\n'],
  [
    'the system prompt with its dynamic context',
    event('S', { dynamic_context: text('today') }),
    'static\ntoday',
  ],
  ['a message of the user', event('u', { llm_message: message('do it') }), 'user: do it'],
  [
    'a message with extended content',
    event('u', { llm_message: message('do it'), extended_content: [text('a skill')] }),
    'user: do it\na skill',
  ],
  ['a message without extended content', event('m', { extended_content: undefined }), 'agent: words'],
  ['an earlier summary', event('s'), 'summary of what came before: what was'],
  ['a call', event('a1'), 'agent\ncalls terminal: {"command":"true"}'],
  [
    'a call with a thought',
    event('a1', { thought: [text('hm')] }),
    'agent: hm\ncalls terminal: {"command":"true"}',
  ],
  ['a result', event('r1'), 'result of terminal: ok'],
  ['an error', event('e1'), 'result of terminal: failed'],
  ['a rejection', event('x1'), 'result of terminal: refused: not this'],
  [
    'a rejection without a reason',
    event('x1', { rejection_reason: undefined }),
    'result of terminal: refused: ',
  ],
];

for (const [about, rendered, expected] of CASES)
  test(`rendered for a summary: ${about}`, () => {
    assert.equal(renderEvent(rendered), expected);
  });
