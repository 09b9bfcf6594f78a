/**
 * A model that plays a script, for the demo, tests and benchmarks.
 *
 * Format of a script file (JSON):
 *
 *     { "turns": [ { "text": "...", "reasoning": "...",
 *                    "tool_calls": [ { "id": "optional", "name": "terminal", "arguments": { "command": "ls" } } ],
 *                    "usage": { "prompt_tokens": 10, "completion_tokens": 5, "cache_read_tokens": 0 },
 *                    "error": { "code": "LLMRateLimitError", "message": "...", "times": 1 },
 *                    "delay_ms": 0 } ],
 *       "price": { "input_usd": 0.000001, "output_usd": 0.000002 } }
 *
 * Everything but `turns` is optional. `arguments` may be a string, which is sent as it is. The number of assistant messages in the
 * prompt selects the turn, so a resumed conversation continues where it stopped. An `error` is thrown `times` times (default 1)
 * before the turn is played. Without tools in the prompt, calls are written as text, one per message.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from '../../event/content.ts';
import type { Message, MessageToolCall } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError, type LLMErrorCode } from '../errors.ts';
import type { CompleteOptions, Completion, LLM, Pricing, Prompt } from '../llm.ts';
import { writeCall } from '../prompted/grammar.ts';

/** One answer of a scripted model: text, tool calls, or an error. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: string | { readonly [key: string]: unknown };
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly cache_read_tokens?: number;
  };
  readonly error?: { readonly code: LLMErrorCode; readonly message: string; readonly times?: number };
  readonly delay_ms?: number;
}

/** What a scripted model says, turn by turn. */
export interface Script {
  readonly turns: readonly ScriptedTurn[];
  readonly price?: { readonly input_usd: number; readonly output_usd: number };
}

const RETRYABLE: ReadonlySet<LLMErrorCode> = new Set([
  'LLMRateLimitError',
  'LLMTimeoutError',
  'LLMServiceUnavailableError',
  'LLMNoResponseError',
]);

/** Throws LLMError if the file is not a script; the message says where. */
export async function readScript(path: string): Promise<Script> {
  try {
    const script = JSON.parse(await readFile(path, 'utf8')) as Script;
    checkScript(script);
    return script;
  } catch (error) {
    throw new LLMError(
      'LLMBadRequestError',
      `the script ${path} cannot be used: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function checkScript(script: Script): void {
  if (!Array.isArray(script.turns)) throw new TypeError('"turns" is not a list');
  for (const [i, turn] of script.turns.entries()) {
    for (const call of turn.tool_calls ?? []) {
      if (typeof call.name !== 'string') throw new TypeError(`turns[${i}]: a tool call without a name`);
      if (call.arguments === undefined)
        throw new TypeError(`turns[${i}]: the call of ${call.name} has no arguments`);
    }
  }
}

/** A model that plays a script; for tests, demonstrations and benchmarks. */
export function scriptedLlm(
  script: Script,
  config: Pick<LlmConfig, 'model' | 'usageId'> = { model: 'scripted' },
): LLM {
  const thrown = new Map<number, number>();
  return {
    model: { name: config.model, vision: true },
    usageId: config.usageId ?? 'agent',
    pricing: async () => pricingOf(script),
    complete: async (prompt: Prompt, options: CompleteOptions): Promise<Completion> => {
      const beganAt = performance.now();
      const index = prompt.messages.filter((message) => message.role === 'assistant').length;
      const turns = prompt.tools.length === 0 ? inText(script.turns) : script.turns;
      const turn = turns[index];
      if (turn === undefined) {
        throw new LLMError('LLMBadRequestError', `all ${turns.length} turns of the script have been played`);
      }
      await sleep(turn.delay_ms ?? 0, undefined, { signal: options.signal }).catch((error: unknown) => {
        throw options.signal.aborted ? options.signal.reason : error;
      });
      const { error } = turn;
      const times = thrown.get(index) ?? 0;
      if (error !== undefined && times < (error.times ?? 1)) {
        thrown.set(index, times + 1);
        throw new LLMError(error.code, error.message, { retryable: RETRYABLE.has(error.code) });
      }
      tell(turn, options);
      return { ...completionOf(turn, index, script), latencyMs: performance.now() - beganAt };
    },
  };
}

/** The same turns for a model without tool calls. */
function inText(turns: readonly ScriptedTurn[]): readonly ScriptedTurn[] {
  return turns.flatMap(({ tool_calls: calls = [], ...turn }) => {
    if (calls.length === 0) return [turn];
    return calls.map(({ name, arguments: args }, i) => {
      const written = writeCall({ name, args: typeof args === 'string' ? JSON.parse(args) : args });
      return i === 0 ? { ...turn, text: [turn.text ?? [], written].flat().join('\n\n') } : { text: written };
    });
  });
}

function tell({ text: words, reasoning }: ScriptedTurn, { onDelta }: CompleteOptions): void {
  if (reasoning !== undefined) onDelta?.({ type: 'reasoning', text: reasoning });
  for (const word of words?.match(/\S+\s*|\s+/g) ?? []) onDelta?.({ type: 'text', text: word });
}

function pricingOf({ price }: Script): Pricing | null {
  if (price === undefined) return null;
  return (usage) => usage.promptTokens * price.input_usd + usage.completionTokens * price.output_usd;
}

function completionOf(turn: ScriptedTurn, index: number, script: Script): Completion {
  const usage = {
    promptTokens: turn.usage?.prompt_tokens ?? 0,
    completionTokens: turn.usage?.completion_tokens ?? 0,
    cacheReadTokens: turn.usage?.cache_read_tokens ?? 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  return {
    id: `scripted-${index}`,
    message: messageOf(turn, index),
    finish: { reason: turn.tool_calls === undefined ? 'stop' : 'tool-calls' },
    usage,
    costUsd: pricingOf(script)?.(usage) ?? null,
    latencyMs: 0,
  };
}

function messageOf(turn: ScriptedTurn, index: number): Message {
  const calls = turn.tool_calls?.map(
    (call, i): MessageToolCall => ({
      id: call.id ?? `call_${index}_${i}`,
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
      origin: 'completion',
    }),
  );
  return {
    role: 'assistant',
    content: turn.text === undefined ? [] : [text(turn.text)],
    ...defined({ tool_calls: calls, reasoning_content: turn.reasoning }),
    thinking_blocks: [],
  };
}
