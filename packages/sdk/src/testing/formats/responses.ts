/** OpenAI responses. */
import { callsOf, type Format, halves, type Reply, usageOf } from './format.ts';

export const responses: Format = {
  path: /\/responses$/,
  whole: (reply, index) => ({
    id: `resp_${index}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'test-model',
    output: responseItems(reply, index),
    usage: responsesUsage(reply),
  }),
  stream: (reply, index) => {
    let sequence = 0;
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
    const created = {
      id: `resp_${index}`,
      object: 'response',
      created_at: 1,
      status: 'in_progress',
      model: 'test-model',
      output: [],
    };
    return [
      event('response.created', { response: created }),
      ...responseItems(reply, index).flatMap((item, i) => responseItemEvents(item, i, event)),
      event('response.completed', { response: responses.whole(reply, index) }),
    ].join('');
  },
};

type Item = { readonly type: string; readonly id: string; readonly [key: string]: unknown };

function responseItems(reply: Reply, index: number): Item[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${index}`,
            summary: [{ type: 'summary_text', text: reply.reasoning }],
            encrypted_content: `sealed-${index}`,
          },
        ]),
    ...(reply.text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `item_${index}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: reply.text, annotations: [] }],
          },
        ]),
    ...callsOf(reply, index).map((call, i) => ({
      type: 'function_call',
      id: `fc_${index}_${i}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    })),
  ];
}

function responseItemEvents(item: Item, i: number, event: (type: string, data: object) => string): string[] {
  const at = { item_id: item.id, output_index: i };
  const done = event('response.output_item.done', { output_index: i, item });
  if (item.type === 'message') {
    const [{ text: words }] = item['content'] as [{ text: string }];
    return [
      event('response.output_item.added', {
        output_index: i,
        item: { ...item, status: 'in_progress', content: [] },
      }),
      ...halves(words).map((half) =>
        event('response.output_text.delta', { ...at, content_index: 0, delta: half }),
      ),
      done,
    ];
  }
  if (item.type === 'function_call') {
    return [
      event('response.output_item.added', {
        output_index: i,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      ...halves(item['arguments'] as string).map((half) =>
        event('response.function_call_arguments.delta', { ...at, delta: half }),
      ),
      event('response.function_call_arguments.done', { ...at, arguments: item['arguments'] }),
      done,
    ];
  }
  const [{ text: words }] = item['summary'] as [{ text: string }];
  return [
    event('response.output_item.added', {
      output_index: i,
      item: { ...item, summary: [], encrypted_content: null },
    }),
    event('response.reasoning_summary_part.added', {
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    }),
    ...halves(words).map((half) =>
      event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: half }),
    ),
    event('response.reasoning_summary_part.done', {
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text: words },
    }),
    done,
  ];
}

function responsesUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
