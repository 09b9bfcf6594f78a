import assert from 'node:assert/strict';
import { test } from 'node:test';
import { image, text } from '../event/content.ts';
import type { Message } from '../event/message.ts';
import { guarded, NO_CONTENT, sendable } from './sendable.ts';

const system: Message = { role: 'system', content: [text('be brief')] };
const user: Message = { role: 'user', content: [text('go')] };
const assistant: Message = { role: 'assistant', content: [text('gone')] };
const call = { id: 'a', name: 'echo', arguments: '{}', origin: 'completion' } as const;

test('messages that every provider accepts stay the same objects, also when they are sent again', () => {
  const messages = [system, user, assistant];
  assert.deepEqual(sendable(messages), messages);
  const blank: Message = { role: 'user', content: [text('go'), text(' \n')] };
  const [first, second] = [sendable([blank]), sendable([blank])];
  assert.deepEqual(first, [{ role: 'user', content: [text('go')] }]);
  assert.equal(first[0], second[0]);
  for (const [i, message] of sendable(messages).entries()) assert.equal(message, messages[i]);
});

test('system messages come first, in their order', () => {
  const late: Message = { role: 'system', content: [text('and polite')] };
  assert.deepEqual(sendable([user, system, assistant, late]), [system, late, user, assistant]);
});

test('blank text is left out of every role; a message without content says so', () => {
  const blank = (role: Message['role'], more: Partial<Message> = {}): Message => ({
    role,
    content: [text(''), text('\t')],
    ...more,
  });
  const filled = [text(NO_CONTENT)];
  const ofCall = { tool_calls: [call] };
  const ofResult = { tool_call_id: 'a', name: 'echo' };
  assert.deepEqual(
    sendable([
      blank('system'),
      blank('user'),
      blank('assistant'),
      blank('assistant', ofCall),
      blank('tool', ofResult),
      { role: 'user', content: [] },
      { role: 'user', content: [image()] },
    ]),
    [
      { role: 'user', content: filled },
      { role: 'assistant', content: filled },
      { role: 'assistant', content: [], ...ofCall },
      { role: 'tool', content: filled, ...ofResult },
      { role: 'user', content: filled },
      { role: 'user', content: filled },
    ],
  );
  const seen: Message = { role: 'user', content: [text(''), image('data:,x')] };
  assert.deepEqual(sendable([seen]), [{ role: 'user', content: [image('data:,x')] }]);
});

test('a prompt without a message to answer is refused', () => {
  for (const messages of [[], [system]])
    assert.throws(() => guarded({ messages, tools: [] }), { code: 'LLMBadRequestError' });
  assert.deepEqual(guarded({ messages: [user, system], tools: [], cacheKey: 'k' }), {
    messages: [system, user],
    tools: [],
    cacheKey: 'k',
  });
});
