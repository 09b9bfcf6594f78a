/** Google's Generative Language API, and Vertex: `generateContent`. */

import { defined } from '../../value/defined.ts';
import { callsOf, type Format, halves, type Reply, usageOf } from './format.ts';

export const gemini: Format = {
  path: /:(generateContent|streamGenerateContent)$/,
  isStream: (path) => path.endsWith(':streamGenerateContent'),
  whole: (reply, index) => answer(reply, index, parts(reply, index), 'STOP'),
  stream: (reply, index) =>
    [
      ...parts(reply, index)
        .flatMap(pieces)
        .map((part) => answer(reply, index, [part])),
      answer(reply, index, [], 'STOP'),
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join(''),
};

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
  readonly thoughtSignature?: string;
}

function parts(reply: Reply, index: number): Part[] {
  return [
    ...(reply.reasoning === undefined ? [] : [{ text: reply.reasoning, thought: true }]),
    ...(reply.text === undefined ? [] : [{ text: reply.text }]),
    ...callsOf(reply, index).map((call, i) => ({
      functionCall: { id: call.id, name: call.name, args: JSON.parse(call.arguments) as unknown },
      // The first call of a turn is signed.
      ...defined({ thoughtSignature: i === 0 ? `signed-${index}` : undefined }),
    })),
  ];
}

function pieces(part: Part): Part[] {
  return part.text === undefined ? [part] : halves(part.text).map((text) => ({ ...part, text }));
}

function answer(reply: Reply, index: number, content: readonly Part[], finishReason?: string): object {
  const { input, output, cached } = usageOf(reply);
  return {
    responseId: `gemini-${index}`,
    modelVersion: 'test-model',
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: content },
        ...defined({ finishReason }),
      },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cached,
      totalTokenCount: input + output,
    },
  };
}
