/**
 * Cassettes: every exchange with the model in a file, and a model that plays it back.
 *
 * Format, version 1: JSON lines.
 *
 *     {"cassette":1,"state":{...}}                      first; `state` as in base_state.json
 *     {"type":"exchange","usage_id":"agent","keep":4,   a request: the first `keep` messages of the one before it,
 *      "messages":[...],"tools":[...],                  then these; `tools` only if they changed
 *      "completion":{...}}                              the answer, or "error":{"code","message","retryable"}
 *     {"type":"event","event":{...}}                    an event of the log, as it is on disk, in its order
 *
 * Secrets are masked throughout.
 */
import type { Message } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import { describeDifference, firstDifference } from '../../value/difference.ts';
import { LLMError, type LLMErrorCode } from '../errors.ts';
import type { Completion, LLM, Prompt, ToolSchema } from '../llm.ts';

export interface CassetteHeader {
  readonly cassette: 1;
  readonly state: { readonly [key: string]: unknown };
}

export interface RecordedError {
  readonly code: LLMErrorCode;
  readonly message: string;
  readonly retryable: boolean;
}

export interface RecordedExchange {
  readonly type: 'exchange';
  readonly usage_id: string;
  readonly keep: number;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSchema[];
  readonly completion?: Completion;
  readonly error?: RecordedError;
}

export interface RecordedEvent {
  readonly type: 'event';
  readonly event: { readonly [key: string]: unknown };
}

export type CassetteLine = CassetteHeader | RecordedExchange | RecordedEvent;

export interface Cassette {
  readonly header: CassetteHeader;
  readonly exchanges: readonly RecordedExchange[];
  readonly events: readonly RecordedEvent['event'][];
}

/** A request differs from the recorded one, or all recorded ones have been used. */
export class ReplayMismatch extends Error {
  override readonly name = 'ReplayMismatch';
}

/** Throws SyntaxError that names the line. */
export function parseCassette(source: string): Cassette {
  const lines = source.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [parseLine(line, i + 1)]));
  const [header, ...rest] = lines;
  if (header === undefined || !('cassette' in header))
    throw new SyntaxError('line 1: this is not a cassette');
  if (header.cassette !== 1)
    throw new SyntaxError(`line 1: cassette version ${header.cassette} is not supported`);
  return {
    header,
    exchanges: rest.flatMap((line) => ('type' in line && line.type === 'exchange' ? [line] : [])),
    events: rest.flatMap((line) => ('type' in line && line.type === 'event' ? [line.event] : [])),
  };
}

function parseLine(line: string, number: number): CassetteLine {
  try {
    const value = JSON.parse(line) as CassetteLine | null;
    if (typeof value !== 'object' || value === null) throw new SyntaxError('not an object');
    return value;
  } catch (error) {
    throw new SyntaxError(`line ${number}: not valid JSON: ${(error as Error).message}`);
  }
}

/** Passes every exchange to `write` when it has ended, including failed ones. */
export function recording(llm: LLM, write: (line: RecordedExchange) => void): LLM {
  let before: Prompt | undefined;
  return {
    ...llm,
    complete: async (prompt, options) => {
      const request = requestAfter(before, prompt);
      before = prompt;
      try {
        const answer = await llm.complete(prompt, options);
        const { raw: _, ...completion } = answer;
        write({ type: 'exchange', usage_id: llm.usageId, ...request, completion });
        return answer;
      } catch (error) {
        if (error instanceof LLMError) {
          const { code, message, retryable } = error;
          write({ type: 'exchange', usage_id: llm.usageId, ...request, error: { code, message, retryable } });
        }
        throw error;
      }
    },
  };
}

/** Messages are immutable: the same message is the same object. */
function requestAfter(
  before: Prompt | undefined,
  prompt: Prompt,
): Pick<RecordedExchange, 'keep' | 'messages' | 'tools'> {
  const { messages, tools } = prompt;
  let keep = 0;
  while (keep < messages.length && messages[keep] === before?.messages[keep]) keep += 1;
  return {
    keep,
    messages: messages.slice(keep),
    ...defined({ tools: before?.tools === tools ? undefined : tools }),
  };
}

export interface ReplayingOptions {
  readonly model: LLM['model'];
  readonly usageId: string;
  /** The masking that was applied to the recorded lines. */
  readonly mask?: (text: string) => string;
}

/** A model that gives the recorded answers to the recorded requests, and to no others. */
export function replaying(exchanges: readonly RecordedExchange[], options: ReplayingOptions): LLM {
  const { model, usageId, mask = (text) => text } = options;
  const own = exchanges.filter((exchange) => exchange.usage_id === usageId);
  let next = 0;
  let messages: readonly Message[] = [];
  let tools: readonly ToolSchema[] = [];
  return {
    model,
    usageId,
    complete: async (prompt, { signal, onDelta }) => {
      signal.throwIfAborted();
      const exchange = own[next];
      if (exchange === undefined)
        throw new ReplayMismatch(
          `answer ${next + 1} of the model is requested, but only ${own.length} were recorded`,
        );
      messages = [...messages.slice(0, exchange.keep), ...exchange.messages];
      tools = exchange.tools ?? tools;
      const made: unknown = JSON.parse(
        mask(JSON.stringify({ messages: prompt.messages, tools: prompt.tools })),
      );
      const difference = firstDifference({ messages, tools }, made);
      if (difference !== null)
        throw new ReplayMismatch(
          `request ${next + 1} differs from the recorded one ${describeDifference(difference)}`,
        );
      next += 1;
      if (exchange.error !== undefined) {
        const { code, message, retryable } = exchange.error;
        throw new LLMError(code, message, { retryable });
      }
      const completion = exchange.completion as Completion;
      for (const block of completion.message.content)
        if (block.type === 'text') onDelta?.({ type: 'text', text: block.text });
      return completion;
    },
  };
}
