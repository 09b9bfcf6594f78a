import type { Message } from '../event/message.ts';

/** A language model behind one call. Implementations hold no conversation: all of it is in the prompt. */
export interface LLM {
  readonly model: ModelInfo;
  /** Names the purpose in the accounts: `agent`, `condenser`, ... */
  readonly usageId: string;
  /** Throws LLMError. An aborted signal rejects with the signal's reason, at once. */
  complete(prompt: Prompt, options: CompleteOptions): Promise<Completion>;
}

export interface ModelInfo {
  /** As the user named it, e.g. `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly vision: boolean;
  /** Per token; absent when nobody knows. */
  readonly price?: { readonly inputUsd: number; readonly outputUsd: number };
}

/**
 * What is sent. Messages are immutable, and the same message is the same object from one call to the next, so that
 * what was made of it can be kept.
 */
export interface Prompt {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Groups requests that share a prefix; usually the conversation's id. */
  readonly cacheKey?: string;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: { readonly [key: string]: unknown };
}

export interface CompleteOptions {
  readonly signal: AbortSignal;
  /** When given, the answer is streamed. Deltas are for eyes only; the completion is the same without them. */
  readonly onDelta?: (delta: Delta) => void;
  readonly onRetry?: (retry: Retry) => void;
}

export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-input';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly text: string;
    };

export interface Retry {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly waitMs: number;
  readonly error: Error;
}

export interface Completion {
  /** The provider's id of the response, or one of ours; never empty. */
  readonly id: string;
  /** Role `assistant`. */
  readonly message: Message;
  readonly finish: { readonly reason: FinishReason; readonly raw?: string };
  readonly usage: Usage;
  /** Null when the price is not known. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/** Tokens of one call. `promptTokens` includes what was read from and written to the cache. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** What a model is and how it is reached; plain data. */
export interface LlmConfig {
  /** `provider/model` as LiteLLM writes it, or a bare name with `baseUrl`; `scripted/<file>` for a script. */
  readonly model: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly usageId?: string;
  /** Which of OpenAI's interfaces; `auto` decides by model. */
  readonly apiMode?: 'auto' | 'chat' | 'responses';
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  /** Total attempts, the first included. */
  readonly numRetries?: number;
  readonly retryMinWaitMs?: number;
  readonly retryMaxWaitMs?: number;
  /** Of one attempt; 0 for none. */
  readonly timeoutMs?: number;
  readonly inputCostPerToken?: number;
  readonly outputCostPerToken?: number;
  readonly extraHeaders?: { readonly [name: string]: string };
}
