import type { Agent } from '../agent/agent.ts';
import { LLMError } from '../llm/errors.ts';
import { accounted, type Ledger } from '../llm/ledger.ts';
import type { LLM } from '../llm/llm.ts';
import { openModel } from './open.ts';
import type { Recorder } from './recorder.ts';

export interface ModelsOptions {
  readonly agent: Agent;
  /** The agent's own, open already. */
  readonly main: LLM;
  /** Whether it was given in code: then it serves every purpose that the specification names no model for. */
  readonly isGiven: boolean;
  readonly ledger: Ledger;
}

/** The models of a conversation by purpose, every call of which stands in one ledger. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #opened = new Map<string, Promise<LLM>>();

  constructor(options: ModelsOptions) {
    this.#options = options;
    const { main, ledger } = options;
    this.#opened.set(main.usageId, Promise.resolve(accounted(main, ledger)));
  }

  /** The one that the specification names for the purpose, else the agent's, with an account of its own. Rejects with LLMError. */
  get(usageId: string): Promise<LLM> {
    const known = this.#opened.get(usageId);
    if (known !== undefined) return known;
    const { agent, main, isGiven, ledger } = this.#options;
    const config = agent.llms?.[usageId];
    const own = config === undefined && isGiven ? { ...main, usageId } : undefined;
    const opened = openModel({ ...(config ?? agent.llm), usageId }, own).then((llm) =>
      accounted(llm, ledger),
    );
    this.#opened.set(usageId, opened);
    opened.catch(() => this.#opened.delete(usageId)); // whoever asked is told; the next one tries again
    return opened;
  }
}

/** A budget that cannot be kept would be no budget. */
export async function refuseUnpriced(llm: LLM): Promise<void> {
  if (llm.pricing !== undefined && (await llm.pricing()) !== null) return;
  throw new LLMError(
    'LLMBadRequestError',
    `nobody knows what ${llm.model.name} costs, so a budget in USD cannot be kept`,
    {
      remedy:
        'Give its prices (input_cost_per_token, output_cost_per_token), limit tokens or steps instead, or allow calls without a price.',
    },
  );
}

/** The same model, with its calls announced. */
export function noticed(llm: LLM, recorder: Recorder): LLM {
  return {
    ...llm,
    complete: async (prompt, options) => {
      recorder.notify({ type: 'model-start' });
      try {
        return await llm.complete(prompt, options);
      } finally {
        recorder.notify({ type: 'model-end' });
      }
    },
  };
}
