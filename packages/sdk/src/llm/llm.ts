import type { Message } from '../event/message.ts';
import type { TokenizerName } from './tokens/tokenizer.ts';

/** A language model behind one call. Implementations hold no conversation: all of it is in the prompt. */
export interface LLM {
  readonly model: ModelInfo;
  /** Names the purpose in the accounts: `agent`, `condenser`, ... */
  readonly usageId: string;
  /** Throws LLMError. An aborted signal rejects with the signal's reason, at once. */
  complete(prompt: Prompt, options: CompleteOptions): Promise<Completion>;
  /** How calls are priced; null when nobody knows. Absent: it is not for this layer to say. */
  pricing?(): Promise<Pricing | null>;
  /** Tokens that the model can read and write at once; undefined when nobody knows. */
  contextWindow?(): Promise<number | undefined>;
}

/** USD of a call; null when its counts do not add up. */
export type Pricing = (usage: Usage) => number | null;

/** What is known about a model: name, window, features, prices. */
export interface ModelInfo {
  /** As the user named it, e.g. `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly vision: boolean;
  /** Does as well with short descriptions of tools. */
  readonly briefTools?: boolean;
  /** What turns text into its tokens, where that is public. */
  readonly tokenizer?: TokenizerName;
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
  /** Where the model is to stop. */
  readonly stopSequences?: readonly string[];
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: { readonly [key: string]: unknown };
}

/** What goes with one call of a model: the signal that ends it, and whom to tell what happens meanwhile. */
export interface CompleteOptions {
  readonly signal: AbortSignal;
  /** When given, the answer is streamed. Deltas are for eyes only; the completion is the same without them. */
  readonly onDelta?: (delta: Delta) => void;
  readonly onRetry?: (retry: Retry) => void;
  /** Told what a person should know of how the answer came about: another model was asked, and the like. */
  readonly onNote?: (text: string) => void;
  /** Told of every request that goes out, each attempt by itself. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Takes the place of the configured one for this call. */
  readonly temperature?: number;
}

/** What went over the wire, to the byte. */
export interface Exchange {
  /** What the request was made of. */
  readonly prompt: Prompt;
  readonly url: string;
  readonly requestBody: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** Resolves when all of it has come, or with what came before it broke off; never rejects. */
  readonly responseBody: Promise<string>;
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

/** The answer of a model: its message, why it ended, what it used and cost. */
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
  /** Which model answered, if it is not the one that was asked. */
  readonly model?: string;
  /** What was wrong with the answer, for the model: it is asked again, and what it said does not count as its last word. */
  readonly complaint?: string;
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

/** Of a call that asked nobody. */
export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
