import type { LLM } from '../llm.ts';
import { guarded } from '../sendable.ts';

/** Sends only what every provider accepts; see `sendable.ts`. */
export function withGuard(llm: LLM): LLM {
  return { ...llm, complete: async (prompt, options) => await llm.complete(guarded(prompt), options) };
}
