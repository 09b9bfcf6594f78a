import { textOf } from '../../event/content.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import type { Json } from '../json-text.ts';
import type { ModelCall } from '../model-calls.ts';

/** An answer in OpenAI's form, made of the events. */
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

/**
 * The provider's own response instead of the one that was made of the events, if that is in OpenAI's form and has these calls; otherwise it
 * stands in `provider_response`.
 */
export function withKept(made: Json, actions: readonly ActionEvent[], kept: Json | undefined): Json {
  if (kept === undefined) return made;
  const ids = callIdsIn(kept);
  const isSame = ids.length === actions.length && actions.every(({ tool_call_id: id }, i) => id === ids[i]);
  // Ids that a provider repeats were made distinct.
  return isSame ? { ...kept, id: made['id'] } : { ...made, provider_response: kept };
}

function callIdsIn({ choices }: Json): readonly unknown[] {
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const message = isRecord(choice) ? choice['message'] : undefined;
  const calls = isRecord(message) ? message['tool_calls'] : undefined;
  return Array.isArray(calls) ? calls.filter(isRecord).map(({ id }) => id) : [];
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
