/** Amazon Bedrock's Converse API, streamed in AWS's event framing (`application/vnd.amazon.eventstream`). */
import { crc32 } from 'node:zlib';
import { callsOf, type Format, halves, type Reply, usageOf } from './format.ts';

export const bedrock: Format = {
  path: /\/converse(-stream)?$/,
  isStream: (path) => path.endsWith('/converse-stream'),
  streamType: 'application/vnd.amazon.eventstream',
  whole: (reply, index) => ({
    output: { message: { role: 'assistant', content: blocks(reply, index) } },
    stopReason: stopReason(reply),
    usage: usage(reply),
    metrics: { latencyMs: 1 },
  }),
  stream: (reply, index) =>
    Buffer.concat([
      frame('messageStart', { role: 'assistant' }),
      ...blocks(reply, index).flatMap(blockFrames),
      frame('messageStop', { stopReason: stopReason(reply) }),
      frame('metadata', { usage: usage(reply), metrics: { latencyMs: 1 } }),
    ]),
};

type Block =
  | {
      readonly reasoningContent: {
        readonly reasoningText: { readonly text: string; readonly signature: string };
      };
    }
  | { readonly text: string }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown } };

function blocks(reply: Reply, index: number): Block[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: reply.reasoning, signature: `signed-${index}` } } }]),
    ...(reply.text === undefined ? [] : [{ text: reply.text }]),
    ...callsOf(reply, index).map((call) => ({
      toolUse: { toolUseId: call.id, name: call.name, input: JSON.parse(call.arguments) as unknown },
    })),
  ];
}

function blockFrames(block: Block, contentBlockIndex: number): Buffer[] {
  const delta = (content: object) => frame('contentBlockDelta', { contentBlockIndex, delta: content });
  const stop = frame('contentBlockStop', { contentBlockIndex });
  if ('text' in block) return [...halves(block.text).map((text) => delta({ text })), stop];
  if ('toolUse' in block) {
    const { input, ...start } = block.toolUse;
    return [
      frame('contentBlockStart', { contentBlockIndex, start: { toolUse: start } }),
      ...halves(JSON.stringify(input)).map((half) => delta({ toolUse: { input: half } })),
      stop,
    ];
  }
  const { text, signature } = block.reasoningContent.reasoningText;
  return [
    ...halves(text).map((half) => delta({ reasoningContent: { text: half } })),
    delta({ reasoningContent: { signature } }),
    stop,
  ];
}

function stopReason({ toolCalls }: Reply): string {
  return toolCalls === undefined ? 'end_turn' : 'tool_use';
}

function usage(reply: Reply): object {
  const { input, output, cached } = usageOf(reply);
  return {
    inputTokens: input - cached,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}

/** Lengths, their checksum, headers, payload, the checksum of everything. */
function frame(type: string, payload: object): Buffer {
  const body = Buffer.from(JSON.stringify(payload));
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, number(crc32(prelude)), headers, body]);
  return Buffer.concat([checked, number(crc32(checked))]);
}

function header(name: string, value: string): Buffer {
  const STRING = 7;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
