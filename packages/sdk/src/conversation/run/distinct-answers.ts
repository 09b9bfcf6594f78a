import { randomUUID } from 'node:crypto';
import type { LLM } from '../../llm/llm.ts';
import type { View } from '../../view/view.ts';

/**
 * Tells the answers of a conversation's models apart. The calls of a turn belong together by the id of their response, and some endpoints
 * give every response the same id: an id that has occurred before is completed with a random part.
 */
export class DistinctAnswers {
  readonly #history: { readonly view: View };
  /** Filled from the view when the first answer arrives, so that opening a conversation reads no events. */
  #taken: Set<string> | null = null;

  constructor(history: { readonly view: View }) {
    this.#history = history;
  }

  /** The same model; no two of its answers have the same id. */
  of(llm: LLM): LLM {
    return {
      ...llm,
      complete: async (prompt, options) => {
        const completion = await llm.complete(prompt, options);
        const id = this.#own(completion.id);
        return id === completion.id ? completion : { ...completion, id };
      },
    };
  }

  #own(given: string): string {
    this.#taken ??= responseIds(this.#history.view);
    const id = this.#taken.has(given) ? `${given}-${randomUUID()}` : given;
    this.#taken.add(id);
    return id;
  }
}

function responseIds(view: View): Set<string> {
  const ids = new Set<string>();
  for (const event of view.events)
    if ('llm_response_id' in event && event.llm_response_id !== undefined) ids.add(event.llm_response_id);
  return ids;
}
