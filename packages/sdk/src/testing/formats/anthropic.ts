/** Anthropic messages. */
import { callsOf, type Format, halves, type Reply, usageOf } from './format.ts';

export const anthropic: Format = {
  path: /\/messages$|:(stream)?rawPredict$/i,
  whole: (reply, index) => ({
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content: anthropicBlocks(reply, index),
    stop_reason: reply.toolCalls === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: anthropicUsage(reply),
  }),
  stream: (reply, index) => {
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const message = {
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: anthropicUsage(reply),
    };
    return [
      event('message_start', { message }),
      ...anthropicBlocks(reply, index).flatMap((block, i) => [
        event('content_block_start', { index: i, content_block: emptied(block) }),
        ...deltasOf(block).map((delta) => event('content_block_delta', { index: i, delta })),
        event('content_block_stop', { index: i }),
      ]),
      event('message_delta', {
        delta: { stop_reason: reply.toolCalls === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: usageOf(reply).output },
      }),
      event('message_stop', {}),
    ].join('');
  },
};

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

function anthropicBlocks(reply: Reply, index: number): Block[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ type: 'thinking' as const, thinking: reply.reasoning, signature: `signed-${index}` }]),
    ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...callsOf(reply, index).map((call) => ({
      type: 'tool_use' as const,
      id: call.id,
      name: call.name,
      input: JSON.parse(call.arguments),
    })),
  ];
}

function emptied(block: Block): object {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
}

function deltasOf(block: Block): object[] {
  if (block.type === 'text') return halves(block.text).map((half) => ({ type: 'text_delta', text: half }));
  if (block.type === 'tool_use') {
    return halves(JSON.stringify(block.input)).map((half) => ({
      type: 'input_json_delta',
      partial_json: half,
    }));
  }
  return [
    ...halves(block.thinking).map((half) => ({ type: 'thinking_delta', thinking: half })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

function anthropicUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}
