/** OpenAI chat completions. */

import { defined } from '../../value/defined.ts';
import { callsOf, type Format, halves, type Reply, usageOf } from './format.ts';

export const chat: Format = {
  path: /\/chat\/completions$/,
  whole: (reply, index) => {
    const calls = callsOf(reply, index).map(chatCall);
    const message = {
      role: 'assistant',
      content: reply.text ?? null,
      ...defined({ reasoning_content: reply.reasoning }),
      ...signed(reply, reply.reasoning, `signed-${index}`),
      ...defined({ tool_calls: calls.length === 0 ? undefined : calls }),
    };
    return {
      id: `chatcmpl-${index}`,
      object: 'chat.completion',
      created: 1,
      model: 'test-model',
      choices: [{ index: 0, message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }],
      usage: chatUsage(reply),
    };
  },
  stream: (reply, index) => {
    const chunk = (delta: object, finish: string | null = null, usage?: object) =>
      `data: ${JSON.stringify({ id: `chatcmpl-${index}`, object: 'chat.completion.chunk', created: 1, model: 'test-model', choices: [{ index: 0, delta, finish_reason: finish }], ...defined({ usage }) })}\n\n`;
    const calls = callsOf(reply, index).map(chatCall);
    return [
      chunk({ role: 'assistant' }),
      ...halves(reply.reasoning ?? '').map((half) =>
        chunk({ reasoning_content: half, ...signed(reply, half) }),
      ),
      ...(reply.signedBy === undefined ? [] : [chunk(signed(reply, '', `signed-${index}`))]),
      ...halves(reply.text ?? '').map((half) => chunk({ content: half })),
      ...calls.flatMap((call, i) => {
        const [first = '', second = ''] = halves(call.function.arguments);
        return [
          chunk({
            tool_calls: [
              {
                index: i,
                id: call.id,
                type: 'function',
                function: { name: call.function.name, arguments: first },
              },
            ],
          }),
          chunk({ tool_calls: [{ index: i, function: { arguments: second } }] }),
        ];
      }),
      chunk({}, calls.length === 0 ? 'stop' : 'tool_calls', chatUsage(reply)),
      'data: [DONE]\n\n',
    ].join('');
  },
};

function chatCall(call: { id: string; name: string; arguments: string }) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function chatUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** A piece of a thinking block; the last one has the signature. */
function signed({ signedBy }: Reply, thought = '', signature?: string): object {
  if (signedBy === 'litellm')
    return { thinking_blocks: [{ type: 'thinking', thinking: thought, signature }] };
  if (signedBy === undefined) return {};
  return { reasoning_details: [{ type: 'reasoning.text', text: thought, signature }] };
}
