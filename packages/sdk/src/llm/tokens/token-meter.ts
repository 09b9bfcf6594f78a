import type { Message } from '../../event/message.ts';
import type { Completion, ModelInfo, Prompt } from '../llm.ts';
import { BYTES_PER_TOKEN, promptBytes, sizeOf } from './size.ts';
import { type CountText, loadTokenizer } from './tokenizer.ts';

/** The overhead of a message, and the approximate size of an image. */
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 1_500;

/** Counts the tokens of a prompt: the provider's last count plus what was added since. Nothing is counted twice. */
export class TokenMeter {
  #tokens = 0;
  #bytes = 0;
  #messages: readonly Message[] = [];
  readonly #counts = new WeakMap<Message, number>();

  estimate(prompt: Prompt): number {
    return Math.max(0, Math.round(this.#tokens + (promptBytes(prompt) - this.#bytes) / BYTES_PER_TOKEN));
  }

  /** An estimate; but an exact count if the model's tokenizer is available and the estimate is too close to `limit`. */
  async count(prompt: Prompt, limit: number, { tokenizer }: ModelInfo): Promise<number> {
    const added = promptBytes(prompt) - this.#bytes;
    // No tokenizer produces more tokens than bytes.
    const isClose = added > 0 && this.#tokens <= limit && this.#tokens + added > limit;
    if (tokenizer === undefined || !isClose) return this.estimate(prompt);
    const countText = await loadTokenizer(tokenizer);
    const from = this.#messages.findIndex((message, i) => message !== prompt.messages[i]);
    const news = prompt.messages.slice(from === -1 ? this.#messages.length : from);
    const tools = this.hasCounted ? 0 : countText(JSON.stringify(prompt.tools));
    return news.reduce((sum, message) => sum + this.#countMessage(message, countText), this.#tokens + tools);
  }

  #countMessage(message: Message, countText: CountText): number {
    let tokens = this.#counts.get(message);
    if (tokens === undefined) {
      tokens = MESSAGE_TOKENS + sizeOf(message, countText, IMAGE_TOKENS);
      this.#counts.set(message, tokens);
    }
    return tokens;
  }

  /** Whether a provider has counted yet. */
  get hasCounted(): boolean {
    return this.#tokens > 0;
  }

  saw(prompt: Prompt, { usage }: Completion): void {
    if (usage.promptTokens === 0) return;
    this.#tokens = usage.promptTokens;
    this.#bytes = promptBytes(prompt);
    this.#messages = prompt.messages;
  }
}
