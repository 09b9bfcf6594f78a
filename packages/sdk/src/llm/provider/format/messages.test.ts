/** Section 2 of the reference: how messages stand in requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { image, text } from '../../../event/content.ts';
import type { Message } from '../../../event/message.ts';
import { type ChatStyle, chatMessage, chatSerializer } from './chat-messages.ts';
import { inputItems, instructionsOf } from './responses-input.ts';

const LIST: ChatStyle = {
  nativeTools: true,
  vision: true,
  cacheMarks: false,
  stringContent: false,
  replayReasoning: false,
  replayThinking: false,
  toolImages: true,
};
const URL = 'data:image/png;base64,AAAA';
const MARK = { cache_control: { type: 'ephemeral' } };
const call = {
  id: 'a__thought__sig',
  name: 'terminal',
  arguments: '{"command":"ls"}',
  origin: 'completion',
} as const;
const turn: Message = {
  role: 'assistant',
  content: [text('  '), text('I look.')],
  tool_calls: [call],
  reasoning_content: 'hm',
  thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
};
const result: Message = {
  role: 'tool',
  content: [text('out'), image(URL)],
  tool_call_id: call.id,
  name: 'terminal',
};
const sentCall = { id: 'a', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } };

test('content is a list if caching, vision or native tools are on, otherwise one text; forced text wins', () => {
  const user: Message = { role: 'user', content: [text('a'), text('b')] };
  const list = {
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  };
  const one = { role: 'user', content: 'a\nb' };
  const none = { ...LIST, nativeTools: false, vision: false };
  assert.deepEqual(chatMessage(user, LIST), list);
  assert.deepEqual(chatMessage(user, { ...none, cacheMarks: true }), list);
  assert.deepEqual(chatMessage(user, none), one);
  assert.deepEqual(chatMessage(user, { ...LIST, stringContent: true }), one);
});

test('images are sent as URLs, and left out for a model without vision', () => {
  const user: Message = { role: 'user', content: [text('look'), image(URL, URL)] };
  const shown = { type: 'image_url', image_url: { url: URL } };
  assert.deepEqual(chatMessage(user, LIST)['content'], [{ type: 'text', text: 'look' }, shown, shown]);
  assert.deepEqual(chatMessage(user, { ...LIST, vision: false })['content'], [
    { type: 'text', text: 'look' },
  ]);
});

test('with calls, blank text and empty content are left out; without, an empty list becomes an empty text', () => {
  assert.deepEqual(chatMessage(turn, LIST), {
    role: 'assistant',
    content: [{ type: 'text', text: 'I look.' }],
    tool_calls: [sentCall],
  });
  assert.deepEqual(chatMessage({ ...turn, content: [text(' ')] }, LIST), {
    role: 'assistant',
    tool_calls: [sentCall],
  });
  assert.deepEqual(chatMessage({ role: 'assistant', content: [] }, LIST), { role: 'assistant', content: '' });
});

test('reasoning is sent back only to models that need it, in their form', () => {
  assert.equal(chatMessage(turn, { ...LIST, replayReasoning: true })['reasoning_content'], 'hm');
  assert.deepEqual(
    chatMessage(turn, { ...LIST, replayThinking: true })['thinking_blocks'],
    turn.thinking_blocks,
  );
  assert.equal(
    chatMessage(turn, { ...LIST, replayThinking: true, stringContent: true })['thinking_blocks'],
    undefined,
  );
  assert.deepEqual(
    chatMessage(turn, { ...LIST, replayThinking: true, reasoningDetails: true })['reasoning_details'],
    [{ type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' }],
  );
});

test('a result names its call and its tool', () => {
  assert.deepEqual(chatMessage(result, LIST), {
    role: 'tool',
    content: [
      { type: 'text', text: 'out' },
      { type: 'image_url', image_url: { url: URL } },
    ],
    tool_call_id: 'a',
    name: 'terminal',
  });
});

test('the first block of the system prompt is marked, and the last user or tool message', () => {
  const serialize = chatSerializer({ ...LIST, cacheMarks: true });
  const system: Message = { role: 'system', content: [text('static'), text('today')] };
  const user: Message = { role: 'user', content: [text('a'), image(URL)] };
  const sent = (messages: readonly Message[]) =>
    serialize(messages).map((bytes) => JSON.parse(bytes.toString()));
  const [first, asked] = sent([system, user]);
  assert.deepEqual(first.content, [
    { type: 'text', text: 'static', ...MARK },
    { type: 'text', text: 'today' },
  ]);
  assert.deepEqual(asked.content.at(-1), { type: 'image_url', image_url: { url: URL }, ...MARK });
  const [, before, , last] = sent([system, user, turn, result]);
  assert.equal(before.content.at(-1).cache_control, undefined);
  assert.deepEqual(last.cache_control, MARK.cache_control);
  assert.equal(last.content.at(-1).cache_control, undefined);
});

test('Responses: instructions, items, one output per call', () => {
  const system: Message = { role: 'system', content: [text('static'), text('today')] };
  assert.equal(
    instructionsOf([system, { role: 'system', content: [text('more')] }]),
    'static\ntoday\n\n---\n\nmore',
  );
  assert.deepEqual(inputItems(system, true), []);
  assert.deepEqual(inputItems({ role: 'user', content: [text('look'), image(URL)] }, true), [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: URL, detail: 'auto' },
      ],
    },
  ]);
  const answered: Message = {
    ...turn,
    content: [text('I look.')],
    tool_calls: [
      { ...call, id: 'a', responses_item_id: 'fc_1' },
      { ...call, id: 'b' },
    ],
    responses_reasoning_item: { id: 'rs_1', summary: ['hm'], encrypted_content: 'sealed' },
  };
  const item = { type: 'function_call', name: 'terminal', arguments: call.arguments };
  assert.deepEqual(inputItems(answered, true), [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'sealed',
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { ...item, id: 'fc_1', call_id: 'a' },
    { ...item, id: 'fc_b', call_id: 'b' },
  ]);
  // W17: several blocks are one output.
  assert.deepEqual(inputItems({ ...result, content: [text('error'), text('out')] }, true), [
    { type: 'function_call_output', call_id: 'a', output: 'error\nout' },
  ]);
});
