import type { Metrics, Stats, TokenUsage } from '../../llm/accounts/metrics.ts';
import { isRecord } from '../../value/is-record.ts';
import type { Json } from '../json-text.ts';

/** Accounts, reconstructed from the totals that V0 stores with its actions. */
export class V0Accounts {
  readonly #usages = new Map<string, TokenUsage>();
  readonly #costs = new Map<string, number>();
  #costUsd = 0;
  #tokens: Json = {};
  #told = false;
  model: string | undefined;

  /** One entry per response. */
  add(action: Json, responseId: string): void {
    const { llm_metrics: metrics, tool_call_metadata: metadata } = action;
    const response =
      isRecord(metadata) && isRecord(metadata['model_response']) ? metadata['model_response'] : {};
    if (typeof response['model'] === 'string' && response['model'] !== '') this.model = response['model'];
    const { accumulated_cost: sum, accumulated_token_usage: tokens } = isRecord(metrics) ? metrics : {};
    const usage = isRecord(response['usage'])
      ? usageOf(response['usage'])
      : isRecord(tokens)
        ? differenceOf(tokens, this.#tokens)
        : undefined;
    if (usage !== undefined && !this.#usages.has(responseId))
      this.#usages.set(responseId, { ...rest(this.model ?? '', responseId), ...usage });
    if (isRecord(tokens)) this.#tokens = tokens;
    if (typeof sum !== 'number') return;
    if (sum > 0) this.#told = true;
    const cost = Number((sum - this.#costUsd).toFixed(10));
    if (cost > 0) this.#costs.set(responseId, (this.#costs.get(responseId) ?? 0) + cost);
    this.#costUsd = Math.max(sum, this.#costUsd);
  }

  /** Undefined if nothing was recorded. */
  stats(): Stats | undefined {
    if (!this.#told && this.#usages.size === 0) return undefined;
    const usages = [...this.#usages.values()];
    const name = this.model ?? 'unknown';
    const summed = (key: keyof Counts) =>
      Math.max(
        countOf(this.#tokens[key]),
        usages.reduce((sum, usage) => sum + usage[key], 0),
      );
    const metrics: Metrics = {
      model_name: name,
      accumulated_cost: this.#costUsd,
      accumulated_token_usage: {
        model: name,
        prompt_tokens: summed('prompt_tokens'),
        completion_tokens: summed('completion_tokens'),
        cache_read_tokens: summed('cache_read_tokens'),
        cache_write_tokens: summed('cache_write_tokens'),
        reasoning_tokens: summed('reasoning_tokens'),
        context_window: 0,
        per_turn_token: 0,
        response_id: '',
      },
      // The lists are parallel: a cost can be matched to a call only if every call has one.
      ...(usages.every(({ response_id: id }) => this.#costs.has(id))
        ? {
            costs: usages.map(({ response_id: id }) => ({
              model: name,
              cost: this.#costs.get(id) ?? 0,
              timestamp: 0,
            })),
          }
        : {}),
      response_latencies: [],
      token_usages: usages,
    };
    return { usage_to_metrics: { agent: metrics } };
  }
}

/** The names of the token counts of a call. */
export const COUNTS = [
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;
type Counts = { readonly [K in (typeof COUNTS)[number]]: number };

function rest(model: string, responseId: string) {
  return { model, context_window: 0, per_turn_token: 0, response_id: responseId };
}

function usageOf(usage: Json): Counts {
  const cached = isRecord(usage['prompt_tokens_details'])
    ? usage['prompt_tokens_details']['cached_tokens']
    : 0;
  const details = usage['completion_tokens_details'];
  return {
    prompt_tokens: countOf(usage['prompt_tokens']),
    completion_tokens: countOf(usage['completion_tokens']),
    cache_read_tokens: countOf(cached),
    cache_write_tokens: countOf(usage['cache_creation_input_tokens']),
    reasoning_tokens: isRecord(details) ? countOf(details['reasoning_tokens']) : 0,
  };
}

/** Undefined if nothing was counted. */
function differenceOf(after: Json, before: Json): Counts | undefined {
  const counts = Object.fromEntries(
    COUNTS.map((name) => [name, Math.max(0, countOf(after[name]) - countOf(before[name]))]),
  ) as Counts;
  return Object.values(counts).some((count) => count > 0) ? counts : undefined;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0;
}
