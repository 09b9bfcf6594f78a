import { textOf } from '../../event/content.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import { defined } from '../../value/defined.ts';
import type { Json } from '../json-text.ts';
import type { ModelCall } from '../model-calls.ts';

/** The whole answer, as a provider of OpenAI's form gives it. */
export function responseOf(
  id: string,
  actions: readonly ActionEvent[],
  call: ModelCall | undefined,
  model: string | undefined,
): Json {
  const [first] = actions;
  const said = textOf(first?.thought ?? []);
  const { reasoning_content: reasoning, thinking_blocks: thinking = [] } = first ?? {};
  const message = {
    role: 'assistant',
    content: said === '' ? null : said,
    ...defined({ reasoning_content: reasoning }),
    ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
    tool_calls: actions.map(({ tool_call: { id: callId, name, arguments: args } }) => ({
      id: callId,
      type: 'function',
      function: { name, arguments: args },
    })),
  };
  return {
    id,
    object: 'chat.completion',
    model: call?.model ?? model ?? '',
    choices: [{ index: 0, finish_reason: 'tool_calls', message }],
    ...(call?.usage === undefined ? {} : { usage: usageOf(call.usage) }),
  };
}

function usageOf(usage: NonNullable<ModelCall['usage']>): Json {
  const { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
    completion_tokens_details: { reasoning_tokens },
    cache_creation_input_tokens: cache_write_tokens,
  };
}
