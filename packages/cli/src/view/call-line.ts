import type { Notice } from '@longhand/sdk';
import { count, usd } from './figures.ts';
import { sanitizeLine } from './sanitize.ts';

type ModelCall = Extract<Notice, { readonly type: 'model-call' }>['call'];

/** The beginning of a conversation's id, as people see it. */
const ID_DIGITS = 8;

/** What `--log-level debug` says of a call to a model, with the time. */
export function callLine(call: ModelCall, now: Date): string {
  const where = call.conversationId.replaceAll('-', '').slice(0, ID_DIGITS);
  return sanitizeLine(
    `debug: ${now.toISOString()} ${where} ${call.usageId} (${call.model}) ${wordsOf(call)}`,
  );
}

function wordsOf(call: ModelCall): string {
  switch (call.phase) {
    case 'asked':
      return `asked: ${call.messages} messages, ${call.tools} tools, ${call.bytes} bytes`;
    case 'answered':
      return `answered after ${Math.round(call.elapsedMs)} ms: ${answerOf(call).join(', ')}`;
    case 'failed':
      return `failed after ${Math.round(call.elapsedMs)} ms: ${call.code}${call.status === undefined ? '' : `, status ${call.status}`}`;
  }
}

function answerOf({
  responseId,
  finish,
  usage,
  costUsd,
  calls,
}: ModelCall & { phase: 'answered' }): string[] {
  return [
    `response ${responseId}`,
    `finish ${finish}`,
    `${count(usage.promptTokens)} tokens in (${count(usage.cacheReadTokens)} cached, ${count(usage.cacheWriteTokens)} written)`,
    `${count(usage.completionTokens)} out (${count(usage.reasoningTokens)} reasoning)`,
    costUsd === null ? 'cost unknown' : usd(costUsd),
    ...calls.map(({ id, tool }) => `call ${id} of ${tool}`),
  ];
}
