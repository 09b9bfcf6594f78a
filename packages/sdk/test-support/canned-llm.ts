/** A model that answers what it is given, and notes what it was asked: for tests of the layers around one. */
import type { CompleteOptions, Completion, LLM, Prompt } from '../src/llm/llm.ts';

/** An answer; or an error to throw; or what makes one of a call. */
export type Canned =
  | Partial<Completion>
  | Error
  | ((prompt: Prompt, options: CompleteOptions) => Promise<Partial<Completion>>);

export interface CannedLlm extends LLM {
  readonly asked: { readonly prompt: Prompt; readonly options: CompleteOptions }[];
}

export const EMPTY: Prompt = { messages: [], tools: [] };

export function completionOf(text: string, more: Partial<Completion> = {}): Completion {
  return {
    id: 'id',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text, cache_prompt: false }],
      thinking_blocks: [],
    },
    finish: { reason: 'stop' },
    usage: {
      promptTokens: 10,
      completionTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    },
    costUsd: null,
    latencyMs: 0,
    ...more,
  };
}

/** Gives the answers in their order; the last one again and again. */
export function cannedLlm(name: string, answers: readonly Canned[], more: Partial<LLM> = {}): CannedLlm {
  const asked: CannedLlm['asked'] = [];
  return {
    model: { name, vision: false },
    usageId: 'agent',
    asked,
    ...more,
    complete: async (prompt, options) => {
      asked.push({ prompt, options });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined) throw new Error('nothing is canned');
      if (answer instanceof Error) throw answer;
      return completionOf(name, typeof answer === 'function' ? await answer(prompt, options) : answer);
    },
  };
}

/** Resolves never, rejects with the signal's reason: a call that hangs. */
export function hang(_: Prompt, { signal }: CompleteOptions): Promise<Partial<Completion>> {
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

export const unaborted = (): CompleteOptions => ({ signal: new AbortController().signal });
