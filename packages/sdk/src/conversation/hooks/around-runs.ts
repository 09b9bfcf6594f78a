import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import type { Draft } from '../../event/draft.ts';
import type { HookVerdict, Onlookers } from './hooks.ts';

/** Calls the onlookers before, between and after runs. */
export class AroundRuns {
  readonly #onlookers: Onlookers;
  /** Interrupt the hooks that run outside of a run. */
  readonly #asked = new Set<AbortController>();
  #hasBegun = false;

  constructor(onlookers: Onlookers) {
    this.#onlookers = onlookers;
  }

  /** Before a message is stored. Rejects with the reason of an interrupt. */
  async onMessage(words: string): Promise<HookVerdict> {
    return await this.#unlessInterrupted((signal) =>
      this.#onlookers.on('UserPromptSubmit', { message: words }, signal),
    );
  }

  /** When a run begins; returns nothing if it is aborted meanwhile. */
  async onBegin(signal: AbortSignal): Promise<readonly Draft[]> {
    this.#hasBegun = true;
    const verdict = await nullIfAborted(this.#onlookers.on('SessionStart', {}, signal), signal);
    if (verdict === null) return [];
    return [
      ...verdict.events,
      ...verdict.additionalContext.map((words) => message('environment', words, { sender: SENDERS.hook })),
    ];
  }

  /** When the conversation closes, if there was a run; returns nothing if it is interrupted. */
  async onEnd(): Promise<readonly Draft[]> {
    if (!this.#hasBegun) return [];
    const verdict = await this.#unlessInterrupted((signal) =>
      nullIfAborted(this.#onlookers.on('SessionEnd', {}, signal), signal),
    );
    return verdict?.events ?? [];
  }

  interrupt(reason: unknown): void {
    for (const asked of this.#asked) asked.abort(reason);
  }

  async #unlessInterrupted<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const asked = new AbortController();
    this.#asked.add(asked);
    try {
      return await ask(asked.signal);
    } finally {
      this.#asked.delete(asked);
    }
  }
}

async function nullIfAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
