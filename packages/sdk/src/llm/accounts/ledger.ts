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

/** A limit is reached: no further call is made. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError';
  readonly code: 'MaxBudgetReached' | 'MaxTokensReached';

  constructor(code: LimitReachedError['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}

/** The most that a call may cost. */
interface Spending {
  readonly costUsd: number;
  readonly tokens: number;
}

export interface LedgerOptions {
  /** What has been spent so far. */
  readonly stats?: Stats;
  readonly limits?: SpendingLimits;
  /** For a sub-agent: its spending counts there too, and the limits there apply to it. */
  readonly parent?: Ledger;
  readonly onChange?: () => void;
}

/**
 * One account for all model calls of a conversation: those of the agent, condensers, judges and sub-agents. Near a limit, calls are
 * admitted one at a time, so that at most one call exceeds it, however many are requested at once.
 */
export class Ledger {
  #stats: Stats;
  readonly #limits: SpendingLimits;
  readonly #parent: Ledger | undefined;
  readonly #onChange: (() => void) | undefined;
  /** The calls since `takeStats` was last called. */
  #calls: { readonly usageId: string; readonly metrics: CallLists }[] = [];
  readonly #underWay = new Set<Spending>();
  #waiting: (() => void)[] = [];

  constructor({ stats = emptyStats, limits = {}, parent, onChange }: LedgerOptions = {}) {
    this.#stats = stats;
    this.#limits = limits;
    this.#parent = parent;
    this.#onChange = onChange;
  }

  /** Totals by purpose. */
  get stats(): Stats {
    return this.#stats;
  }

  /** Throws LimitReachedError if a limit is reached, here or in a parent. */
  check(): void {
    const { maxCostUsd, maxTokens } = this.#limits;
    const costUsd = totalCostUsd(this.#stats);
    if (maxCostUsd !== undefined && costUsd >= maxCostUsd)
      throw new LimitReachedError(
        'MaxBudgetReached',
        `The budget is used up: ${costUsd.toFixed(4)} of ${maxCostUsd} USD.`,
      );
    const tokens = allTokens(this.#stats);
    if (maxTokens !== undefined && tokens >= maxTokens)
      throw new LimitReachedError('MaxTokensReached', `The tokens are used up: ${tokens} of ${maxTokens}.`);
    this.#parent?.check();
  }

  /**
   * Resolves when a call may be made, with a function to call when it has ended. Throws LimitReachedError if nothing is left.
   * `most` is called only if there is a limit.
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

  /** A single call may exceed the limit; next to others, only a call that is certain to fit is admitted. */
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

  /** The totals, with the single calls since this was last called. */
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

/** The model, with every call recorded in the ledger. */
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

/** The longest answer to expect if the configuration sets no limit. */
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
