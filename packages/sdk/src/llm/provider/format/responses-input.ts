/**
 * Our messages as the input of OpenAI's Responses interface, as the reference sends them (SDK 1.43,
 * `responses_serialization`), but with one output per call, whatever its result contains.
 */
import { type Content, textOf } from '../../../event/content.ts';
import type { Message, MessageToolCall, ReasoningItem } from '../../../event/message.ts';
import { defined } from '../../../value/defined.ts';
import { remembered } from '../../../value/remembered.ts';
import { NO_CONTENT } from '../../sendable.ts';
import { bareCallId } from './call-id.ts';

type Json = { [key: string]: unknown };

const SEPARATOR = '\n\n---\n\n';

/** System messages become the instructions. */
export function instructionsOf(messages: readonly Message[]): string | undefined {
  const said = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content as Content[]));
  return said.length === 0 ? undefined : said.join(SEPARATOR);
}

/** A serialiser that caches: each message is serialised once. */
export function responsesSerializer(vision: boolean): (messages: readonly Message[]) => readonly Buffer[] {
  const serialized = remembered((message: Message) =>
    inputItems(message, vision).map((item) => Buffer.from(JSON.stringify(item))),
  );
  return (messages) => messages.flatMap(serialized);
}

export function inputItems(message: Message, vision: boolean): Json[] {
  const content = message.content as Content[];
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ type: 'message', role: 'user', content: inputParts(content, vision) }];
    case 'assistant':
      return assistantItems(message);
    case 'tool':
      return [
        {
          type: 'function_call_output',
          call_id: bareCallId(message.tool_call_id ?? ''),
          output:
            vision && content.some(({ type }) => type === 'image')
              ? inputParts(content, vision)
              : textOf(content),
        },
      ];
  }
}

function inputParts(content: readonly Content[], vision: boolean): Json[] {
  const parts = content.flatMap((block): Json[] => {
    if (block.type === 'text') return [{ type: 'input_text', text: block.text }];
    if (!vision) return [];
    return block.image_urls.map((url) => ({ type: 'input_image', image_url: url, detail: 'auto' }));
  });
  return parts.length === 0 ? [{ type: 'input_text', text: NO_CONTENT }] : parts;
}

function assistantItems(message: Message): Json[] {
  const texts = message.content.flatMap((block) =>
    block.type === 'text' && block.text !== '' ? [{ type: 'output_text', text: block.text }] : [],
  );
  return [
    ...reasoningItems(message.responses_reasoning_item),
    ...(texts.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: texts }]),
    ...(message.tool_calls ?? []).map(callItem),
  ];
}

/** Nothing is stored at the provider, so only encrypted reasoning can be sent back. */
function reasoningItems(item: ReasoningItem | undefined): Json[] {
  if (item?.id === undefined || item.encrypted_content === undefined) return [];
  return [
    {
      type: 'reasoning',
      id: item.id,
      summary: (item.summary ?? []).map((text) => ({ type: 'summary_text', text })),
      ...defined({ content: item.content?.map((text) => ({ type: 'reasoning_text', text })) }),
      encrypted_content: item.encrypted_content,
      ...defined({ status: item.status }),
    },
  ];
}

function callItem({ id, responses_item_id: itemId, name, arguments: args }: MessageToolCall): Json {
  const callId = bareCallId(id);
  return {
    type: 'function_call',
    id: itemId ?? (callId.startsWith('fc_') ? callId : `fc_${callId}`),
    call_id: callId,
    name,
    arguments: args,
  };
}
