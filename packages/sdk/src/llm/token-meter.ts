import type { Completion, Prompt } from './llm.ts';
import { promptBytes } from './size.ts';

const BYTES_PER_TOKEN = 4;

/** Tokens of a prompt: what the provider counted last, and an estimate for what came since. Nothing is counted again. */
export class TokenMeter {
  #tokens = 0;
  #bytes = 0;

  estimate(prompt: Prompt): number {
    return Math.max(0, Math.round(this.#tokens + (promptBytes(prompt) - this.#bytes) / BYTES_PER_TOKEN));
  }

  /** Whether a provider has counted yet. */
  get hasCounted(): boolean {
    return this.#tokens > 0;
  }

  saw(prompt: Prompt, { usage }: Completion): void {
    if (usage.promptTokens === 0) return;
    this.#tokens = usage.promptTokens;
    this.#bytes = promptBytes(prompt);
  }
}
