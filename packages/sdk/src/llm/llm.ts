import type { Message } from '../event/message.ts';
import type { TokenizerName } from './tokens/tokenizer.ts';

/** A language model: one call. Implementations keep no conversation; all of it is in the prompt. */
export interface LLM {
  readonly model: ModelInfo;
  /** The purpose in the accounts: `agent`, `condenser`, ... */
  readonly usageId: string;
  /** Throws LLMError. An aborted signal rejects with the signal's reason, at once. */
  complete(prompt: Prompt, options: CompleteOptions): Promise<Completion>;
  /** How calls are priced; null if unknown. Absent: this layer does not know. */
  pricing?(): Promise<Pricing | null>;
  /** The context window in tokens; undefined if unknown. */
  contextWindow?(): Promise<number | undefined>;
}

/** The cost of a call in USD; null if its counts are inconsistent. */
export type Pricing = (usage: Usage) => number | null;

/** What is known about a model: name, window, features, prices. */
export interface ModelInfo {
  /** As the user named it, e.g. `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly vision: boolean;
  /** Short descriptions of tools are enough for it. */
  readonly briefTools?: boolean;
  /** Its tokenizer, if that is public. */
  readonly tokenizer?: TokenizerName;
}

/**
 * What is sent. Messages are immutable, and the same message is the same object in every call, so that its conversions can be
 * cached.
 */
export interface Prompt {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Groups requests that share a prefix; usually the conversation's id. */
  readonly cacheKey?: string;
  /** Under what a proxy that keeps records files the call. */
  readonly session?: Session;
  /** The model stops before any of these. */
  readonly stopSequences?: readonly string[];
}

/** The conversation that a call belongs to. */
export interface Session {
  readonly id: string;
  /** The name of the agent. */
  readonly agent: string;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: { readonly [key: string]: unknown };
}

/** Options of one call: the signal that aborts it, and callbacks for what happens meanwhile. */
export interface CompleteOptions {
  readonly signal: AbortSignal;
  /** If given, the answer is streamed. Deltas are for display only; the completion is the same without them. */
  readonly onDelta?: (delta: Delta) => void;
  readonly onRetry?: (retry: Retry) => void;
  /** Receives notes for the user on how the answer was obtained, for example from another model. */
  readonly onNote?: (text: string) => void;
  /** Receives every request that is sent, each attempt separately. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Overrides the configured temperature for this call. */
  readonly temperature?: number;
}

/** What went over the wire, to the byte. */
export interface Exchange {
  /** The prompt that the request was made from. */
  readonly prompt: Prompt;
  readonly url: string;
  readonly requestBody: string;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  /** Resolves with the whole body, or with what arrived before the connection broke; never rejects. */
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
  /** The provider's id of the response, or a generated one; never empty. */
  readonly id: string;
  /** Role `assistant`. */
  readonly message: Message;
  readonly finish: { readonly reason: FinishReason; readonly raw?: string };
  readonly usage: Usage;
  /** Null if the price is unknown. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** The model that answered, if it is not the one that was asked. */
  readonly model?: string;
  /** The provider's whole response in its own form, as JSON; a streamed one is put together. Absent if no provider was asked. */
  readonly raw?: unknown;
  /** What is wrong with the answer, as a message for the model: it is asked again, and the answer does not end the run. */
  readonly complaint?: string;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/** Tokens of one call. `promptTokens` includes tokens read from and written to the cache. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** The usage of a call that sent no request. */
export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
