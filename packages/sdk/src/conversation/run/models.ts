import type { Agent } from '../../agent/agent.ts';
import { accounted, type Ledger } from '../../llm/accounts/ledger.ts';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import { createLlm } from '../../llm/create-llm.ts';
import { LLMError } from '../../llm/errors.ts';
import type { LLM, Session } from '../../llm/llm.ts';
import { ToolError } from '../../tool/tool.ts';
import type { DistinctAnswers } from './distinct-answers.ts';
import { type ModelCall, told } from './model-calls.ts';
import type { Recorder } from './recorder.ts';

export interface ModelsOptions {
  readonly agent: Agent;
  /** The agent's own model, already open. */
  readonly main: LLM;
  /** Whether it was passed in as `model.llm`: then it serves every purpose for which the specification names no model. */
  readonly isGiven: boolean;
  readonly ledger: Ledger;
  readonly answers: DistinctAnswers;
  /** The conversation, as endpoints are told. */
  readonly session: Session;
  /** Hears of each call. */
  readonly onCall?: ((call: ModelCall) => void) | undefined;
  /** Looks up a stored model by its name. */
  readonly profile?: (name: string) => LlmConfig | undefined | Promise<LlmConfig | undefined>;
}

/** The models of a conversation by purpose. All their calls are counted in one ledger. */
export class Models {
  readonly #options: ModelsOptions;
  #current: LlmConfig;
  #main: LLM;
  readonly #opened = new Map<string, Promise<LLM>>();

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#current = options.agent.llm;
    const { main } = options;
    this.#main = main;
    this.#opened.set(main.usageId, Promise.resolve(this.#counted(main)));
  }

  /** The current configuration of the agent's model. */
  get current(): LlmConfig {
    return this.#current;
  }

  /** The agent's current model, without accounting. */
  get main(): LLM {
    return this.#main;
  }

  /** Switches the agent's model from the next step on, and resolves to its name. Rejects with ToolError for an unknown profile, and with LLMError. */
  async use(profile: string): Promise<string> {
    const { usageId } = this.#options.main;
    const config = { ...(await this.#profile(profile)), usageId };
    const llm = await createLlm(config);
    this.#opened.set(usageId, Promise.resolve(this.#counted(llm)));
    this.#current = config;
    this.#main = llm;
    return llm.model.name;
  }

  /** Accounts and events name the same id. */
  #counted(llm: LLM): LLM {
    const { answers, ledger, session, onCall } = this.#options;
    const named = withSession(llm, session);
    return accounted(answers.of(onCall === undefined ? named : told(named, session.id, onCall)), ledger);
  }

  async #profile(name: string): Promise<LlmConfig> {
    const found = await this.#options.profile?.(name);
    if (found === undefined) throw new ToolError(`There is no model profile "${name}".`);
    return found;
  }

  /**
   * The model that the specification names for the purpose, else the profile's, else the agent's, with an account of its own. Rejects with
   * LLMError, or ToolError for an unknown profile.
   */
  async for(usageId: string, profile?: string): Promise<LLM> {
    const { agent } = this.#options;
    if (profile === undefined || agent.llms?.[usageId] !== undefined) return await this.get(usageId);
    const config = { ...(await this.#profile(profile)), usageId };
    return this.#counted(await createLlm(config));
  }

  /** The model that the specification names for the purpose, else the agent's, with an account of its own. Rejects with LLMError. */
  get(usageId: string): Promise<LLM> {
    const known = this.#opened.get(usageId);
    if (known !== undefined) return known;
    const { agent, isGiven } = this.#options;
    const config = agent.llms?.[usageId];
    const llm =
      config === undefined && isGiven
        ? Promise.resolve({ ...this.#main, usageId })
        : createLlm({ ...(config ?? this.#current), usageId });
    const opened = llm.then((made) => this.#counted(made));
    this.#opened.set(usageId, opened);
    opened.catch(() => this.#opened.delete(usageId)); // the caller gets the error; the next call tries again
    return opened;
  }
}

function withSession(llm: LLM, session: Session): LLM {
  return { ...llm, complete: (prompt, options) => llm.complete({ ...prompt, session }, options) };
}

/** Refuses a budget that cannot be enforced. Throws LLMError. */
export async function refuseUnpriced(llm: LLM): Promise<void> {
  if (llm.pricing !== undefined && (await llm.pricing()) !== null) return;
  throw new LLMError(
    'LLMBadRequestError',
    `the price of ${llm.model.name} is unknown, so a budget in USD cannot be enforced`,
    {
      remedy:
        'Set its prices (input_cost_per_token, output_cost_per_token), limit tokens or steps instead, or allow calls without a price.',
    },
  );
}

/** The same model; its calls are announced to the listeners. */
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
