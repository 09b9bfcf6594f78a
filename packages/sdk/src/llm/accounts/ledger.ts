import type { Completion, LLM, Prompt, Usage } from '../llm.ts';
import { promptBytes } from '../tokens/size.ts';
import {
  addCompletion,
  allTokens,
  emptyStats,
  type Metrics,
  type Stats,
  totalCostUsd,
  usageOfCall,
} from './metrics.ts';

export interface SpendingLimits {
  readonly maxCostUsd?: number;
  /** Prompt and completion together. */
  readonly maxTokens?: number;
}

/** A limit that is used up; no call is made any more. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError';
  readonly code: 'MaxBudgetReached' | 'MaxTokensReached';

  constructor(code: LimitReachedError['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}

/** What a call may take at most. */
interface Spending {
  readonly costUsd: number;
  readonly tokens: number;
}

export interface LedgerOptions {
  /** What was spent before. */
  readonly stats?: Stats;
  readonly limits?: SpendingLimits;
  /** Of a sub-agent: what it spends is spent there too, and the limits there hold for it. */
  readonly parent?: Ledger;
  readonly onChange?: () => void;
}

/**
 * One account for everybody who asks a model on behalf of a conversation: the agent, condensers, judges, sub-agents. Near a
 * limit calls are let through one by one, so that however many ask at once, at most one call goes over it.
 */
export class Ledger {
  #stats: Stats;
  readonly #limits: SpendingLimits;
  readonly #parent: Ledger | undefined;
  readonly #onChange: (() => void) | undefined;
  /** Single calls that nobody has taken yet. */
  #calls: { readonly usageId: string; readonly metrics: CallLists }[] = [];
  readonly #underWay = new Set<Spending>();
  #waiting: (() => void)[] = [];

  constructor({ stats = emptyStats, limits = {}, parent, onChange }: LedgerOptions = {}) {
    this.#stats = stats;
    this.#limits = limits;
    this.#parent = parent;
    this.#onChange = onChange;
  }

  /** Sums by purpose. */
  get stats(): Stats {
    return this.#stats;
  }

  /** Throws LimitReachedError if a limit is used up, here or above. */
  check(): void {
    const { maxCostUsd, maxTokens } = this.#limits;
    const costUsd = totalCostUsd(this.#stats);
    if (maxCostUsd !== undefined && costUsd >= maxCostUsd)
      throw new LimitReachedError(
        'MaxBudgetReached',
        `The budget is spent: ${costUsd.toFixed(4)} of ${maxCostUsd} USD.`,
      );
    const tokens = allTokens(this.#stats);
    if (maxTokens !== undefined && tokens >= maxTokens)
      throw new LimitReachedError('MaxTokensReached', `The tokens are used up: ${tokens} of ${maxTokens}.`);
    this.#parent?.check();
  }

  /**
   * Resolves when a call may be made; what it resolves to is to be called when the call is over. Throws LimitReachedError
   * if nothing is left. `most` is asked only if there is a limit.
   */
  async admit(most: () => Promise<Spending>, signal: AbortSignal): Promise<() => void> {
    const releaseAbove = await this.#parent?.admit(most, signal);
    try {
      this.check();
      const { maxCostUsd, maxTokens } = this.#limits;
      if (maxCostUsd === undefined && maxTokens === undefined) return () => releaseAbove?.();
      const spending = await most();
      while (!this.#hasRoomFor(spending)) {
        await this.#nextEnd(signal);
        this.check();
      }
      this.#underWay.add(spending);
      return () => {
        this.#underWay.delete(spending);
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const wake of waiting) wake();
        releaseAbove?.();
      };
    } catch (error) {
      releaseAbove?.();
      throw error;
    }
  }

  /** Whoever is alone may go over the limit; beside others only what is sure to fit. */
  #hasRoomFor({ costUsd, tokens }: Spending): boolean {
    if (this.#underWay.size === 0) return true;
    const { maxCostUsd = Number.POSITIVE_INFINITY, maxTokens = Number.POSITIVE_INFINITY } = this.#limits;
    const others = [...this.#underWay];
    const usd = others.reduce((sum, each) => sum + each.costUsd, totalCostUsd(this.#stats) + costUsd);
    const all = others.reduce((sum, each) => sum + each.tokens, allTokens(this.#stats) + tokens);
    return usd <= maxCostUsd && all <= maxTokens;
  }

  async #nextEnd(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(resolve);
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  record(llm: Pick<LLM, 'model' | 'usageId'>, completion: Completion): void {
    this.#stats = addCompletion(this.#stats, llm, completion);
    this.#calls.push({ usageId: llm.usageId, metrics: listsOf(llm, completion) });
    this.#parent?.record(llm, completion);
    this.#onChange?.();
  }

  /** The sums, with the calls since this was asked for the last time. */
  takeStats(): Stats {
    const all: { [usageId: string]: Metrics } = {};
    for (const [usageId, sums] of Object.entries(this.#stats.usage_to_metrics)) {
      const calls = this.#calls.filter((call) => call.usageId === usageId).map(({ metrics }) => metrics);
      all[usageId] = {
        ...sums,
        costs: calls.flatMap(({ costs }) => costs),
        response_latencies: calls.flatMap(({ response_latencies }) => response_latencies),
        token_usages: calls.flatMap(({ token_usages }) => token_usages),
      };
    }
    this.#calls = [];
    return { usage_to_metrics: all };
  }
}

type CallLists = Required<Pick<Metrics, 'costs' | 'response_latencies' | 'token_usages'>>;

/** As the reference does: no cost of 0, no usage without tokens. */
function listsOf(llm: Pick<LLM, 'model' | 'usageId'>, completion: Completion): CallLists {
  const usage = usageOfCall(llm, completion);
  const { model } = usage;
  const cost = completion.costUsd ?? 0;
  return {
    costs: cost === 0 ? [] : [{ model, cost, timestamp: Date.now() / 1_000 }],
    response_latencies: [{ model, latency: completion.latencyMs / 1_000, response_id: completion.id }],
    token_usages: usage.per_turn_token === 0 ? [] : [usage],
  };
}

/** The model, with every call entered in the ledger. */
export function accounted(llm: LLM, ledger: Ledger): LLM {
  return {
    ...llm,
    complete: async (prompt, options) => {
      const release = await ledger.admit(() => mostSpending(llm, prompt), options.signal);
      try {
        const completion = await llm.complete(prompt, options);
        ledger.record(llm, completion);
        return completion;
      } finally {
        release();
      }
    },
  };
}

/** No answer is longer, unless the configuration says so. */
const MOST_OUTPUT_TOKENS = 128_000;

async function mostSpending(llm: LLM, prompt: Prompt): Promise<Spending> {
  const usage: Usage = {
    promptTokens: promptBytes(prompt),
    completionTokens: llm.model.maxOutputTokens ?? MOST_OUTPUT_TOKENS,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const pricing = await llm.pricing?.();
  return { costUsd: pricing?.(usage) ?? 0, tokens: usage.promptTokens + usage.completionTokens };
}
