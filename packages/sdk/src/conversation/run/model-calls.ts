/** Tells of each call to a model: sizes, times and ids, never contents. */
import { LLMError } from '../../llm/errors.ts';
import type { Completion, LLM, Prompt, Usage } from '../../llm/llm.ts';
import { promptBytes } from '../../llm/tokens/size.ts';
import { defined } from '../../value/defined.ts';

interface Called {
  /** The conversation; a sub-agent's calls are told to its parent's listeners too. */
  readonly conversationId: string;
  /** The purpose in the accounts: `agent`, `condenser`, ... */
  readonly usageId: string;
  readonly model: string;
}

/** A call to a model when it begins, and when it has ended. Its retries are part of it. */
export type ModelCall =
  | (Called & {
      readonly phase: 'asked';
      readonly messages: number;
      readonly tools: number;
      /** Of the text, in UTF-8. */
      readonly bytes: number;
    })
  | (Called & {
      readonly phase: 'answered';
      readonly elapsedMs: number;
      readonly responseId: string;
      readonly finish: string;
      readonly usage: Usage;
      /** Null if the price is unknown. */
      readonly costUsd: number | null;
      readonly calls: readonly { readonly id: string; readonly tool: string }[];
    })
  | (Called & {
      readonly phase: 'failed';
      readonly elapsedMs: number;
      /** The code of an LLMError, or the name of the error. */
      readonly code: string;
      /** HTTP status, if there was a response. */
      readonly status?: number;
    });

/** The same model; `tell` hears of each of its calls. */
export function told(llm: LLM, conversationId: string, tell: (call: ModelCall) => void): LLM {
  return {
    ...llm,
    complete: async (prompt, options) => {
      const called = { conversationId, usageId: llm.usageId, model: llm.model.name };
      const beganAt = performance.now();
      const elapsed = () => ({ elapsedMs: performance.now() - beganAt });
      tell({ ...called, phase: 'asked', ...sizesOf(prompt) });
      try {
        const completion = await llm.complete(prompt, options);
        tell({ ...called, phase: 'answered', ...elapsed(), ...figuresOf(completion) });
        return completion;
      } catch (error) {
        tell({ ...called, phase: 'failed', ...elapsed(), ...faultOf(error) });
        throw error;
      }
    },
  };
}

function sizesOf(prompt: Prompt) {
  return { messages: prompt.messages.length, tools: prompt.tools.length, bytes: promptBytes(prompt) };
}

function figuresOf({ id: responseId, finish, usage, costUsd, message }: Completion) {
  const calls = (message.tool_calls ?? []).map(({ id, name: tool }) => ({ id, tool }));
  return { responseId, finish: finish.raw ?? finish.reason, usage, costUsd, calls };
}

function faultOf(error: unknown) {
  if (error instanceof LLMError) return { code: error.code, ...defined({ status: error.status }) };
  return { code: error instanceof Error ? error.name : 'Error' };
}
