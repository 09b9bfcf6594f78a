/**
 * Statistics of a log: the counts of the reference's EventStatsCollector under its names, and time and cost of each step.
 * A fold over the events of all branches, since all of them cost something.
 */
import { accountsIn } from '../conversation/state/accounts.ts';
import type { Event } from '../event/kinds.ts';
import { isResult } from '../event/kinds.ts';
import { emptyStats, type Stats, totalCostUsd, totalTokens, unpricedCalls } from '../llm/accounts/metrics.ts';
import { isFailure } from './failures.ts';
import { type ModelCall, modelCalls } from './model-calls.ts';
import { secondsBetween } from './times.ts';

/** One response of the model and its calls. */
export interface StepStats {
  /** From 1. */
  readonly step: number;
  /** Index of its first event. */
  readonly event: number;
  readonly timestamp: string;
  readonly response_id: string;
  /** Names of the tools that it called, in order. */
  readonly tools: readonly string[];
  readonly errors: number;
  /** The latency of the model; null if it was not recorded. */
  readonly model_seconds: number | null;
  /** From the first call to the last result. */
  readonly tool_seconds: number;
  /** USD; null if unknown. */
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cache_read_tokens: number | null;
}

export interface TrajectoryStats {
  readonly events: number;
  /** Messages of the user. */
  readonly interaction_turns: number;
  readonly tool_calls: number;
  /** Calls that ended in an AgentErrorEvent. */
  readonly errors: number;
  /** Calls that failed in any way: an AgentErrorEvent, a refusal, a result that is an error, or an exit code above 0. */
  readonly failed_calls: number;
  readonly condensations: number;
  /** Responses of the agent's model. */
  readonly model_calls: number;
  /** From the first event to the last. */
  readonly seconds: number;
  readonly model_seconds: number;
  readonly tool_seconds: number;
  /** USD for all models, without calls whose price is unknown. */
  readonly cost: number;
  /** Calls whose price is unknown. */
  readonly unpriced_calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** How often each tool was called. */
  readonly tools: { readonly [name: string]: number };
  readonly steps: readonly StepStats[];
}

interface OpenStep {
  readonly event: number;
  readonly timestamp: string;
  readonly responseId: string;
  readonly tools: string[];
  errors: number;
  toolSeconds: number;
}

/** `accounts` default to those of the events; the reference stores them in its base state instead. */
export function statsOf(
  events: readonly Event[],
  accounts: readonly Stats[] = accountsIn(events),
): TrajectoryStats {
  const byResponse = new Map<string, ModelCall>();
  let modelSeconds = 0;
  for (const call of modelCalls(accounts)) {
    byResponse.set(call.responseId, call);
    modelSeconds += call.seconds ?? 0;
  }
  const steps = stepsOf(events);
  const sums = accounts.at(-1) ?? emptyStats; // the latest totals
  const tokens = totalTokens(sums);
  const calls = events.filter((event) => event.kind === 'ActionEvent');
  const tools = new Map<string, number>(); // a model may call `constructor`
  for (const { tool_name: name } of calls) tools.set(name, (tools.get(name) ?? 0) + 1);
  return {
    events: events.length,
    interaction_turns: count(events, (event) => event.kind === 'MessageEvent' && event.source === 'user'),
    tool_calls: calls.length,
    errors: count(events, ({ kind }) => kind === 'AgentErrorEvent'),
    failed_calls: count(events, (event) => isResult(event) && isFailure(event)),
    condensations: count(events, ({ kind }) => kind === 'Condensation'),
    model_calls: steps.length,
    seconds: secondsBetween(events[0]?.timestamp, events.at(-1)?.timestamp),
    model_seconds: modelSeconds,
    tool_seconds: steps.reduce((sum, step) => sum + step.toolSeconds, 0),
    cost: totalCostUsd(sums),
    unpriced_calls: unpricedCalls(sums),
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    tools: Object.fromEntries(tools),
    steps: steps.map((step, i) => stepStats(step, i + 1, byResponse.get(step.responseId))),
  };
}

/** The figures of one step. */
function stepStats(step: OpenStep, number: number, call: ModelCall | undefined): StepStats {
  return {
    step: number,
    event: step.event,
    timestamp: step.timestamp,
    response_id: step.responseId,
    tools: step.tools,
    errors: step.errors,
    model_seconds: call?.seconds ?? null,
    tool_seconds: step.toolSeconds,
    cost: call?.costUsd ?? null,
    prompt_tokens: call?.usage?.prompt_tokens ?? null,
    completion_tokens: call?.usage?.completion_tokens ?? null,
    cache_read_tokens: call?.usage?.cache_read_tokens ?? null,
  };
}

/** The id of the response that an event belongs to. */
function stepsOf(events: readonly Event[]): OpenStep[] {
  const steps: OpenStep[] = [];
  const stepOfCall = new Map<string, OpenStep>();
  for (const [index, event] of events.entries()) {
    if (isResult(event)) {
      const step = stepOfCall.get(event.tool_call_id);
      if (step === undefined) continue;
      if (event.kind === 'AgentErrorEvent') step.errors += 1;
      step.toolSeconds = Math.max(step.toolSeconds, secondsBetween(step.timestamp, event.timestamp));
      continue;
    }
    const responseId = answerId(event);
    if (responseId === undefined) continue;
    if (steps.at(-1)?.responseId !== responseId) {
      const { timestamp } = event;
      steps.push({ event: index, timestamp, responseId, tools: [], errors: 0, toolSeconds: 0 });
    }
    const step = steps.at(-1);
    if (event.kind !== 'ActionEvent' || step === undefined) continue;
    step.tools.push(event.tool_name);
    stepOfCall.set(event.tool_call_id, step);
  }
  return steps;
}

function answerId(event: Event): string | undefined {
  if (event.kind === 'ActionEvent') return event.llm_response_id;
  return event.kind === 'MessageEvent' && event.source === 'agent'
    ? (event.llm_response_id ?? event.id)
    : undefined;
}

function count(events: readonly Event[], fits: (event: Event) => boolean): number {
  return events.filter(fits).length;
}
