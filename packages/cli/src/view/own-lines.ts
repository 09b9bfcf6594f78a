/**
 * Lines of `--json` that are not events. Each has a `type` and the version of these lines; events have a `kind` instead and
 * are printed as they are on disk. Documented in docs/reference/json-lines.md, with schemas beside it.
 */
import type { Notice, Outcome, State, Stats } from '@longhand/sdk';
import { totalCostUsd, unpricedCalls } from '@longhand/sdk/internal';
import { exitCodeOf } from '../exit-code.ts';
import { VERSION } from '../version.ts';

/** Incremented when a line loses a key or a key changes its meaning, but not for new keys and new types. */
export const SCHEMA_VERSION = 1;

/** As text, with the version first. */
export function ownLine(value: object): string {
  return `${JSON.stringify({ schema_version: SCHEMA_VERSION, ...value })}\n`;
}

/** The first line, before any event. */
export function conversationLine(facts: {
  readonly id: string;
  readonly name?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly workingDir: string | undefined;
  readonly resumed: boolean;
}) {
  return {
    type: 'conversation',
    conversation_id: facts.id,
    name: facts.name,
    agent: facts.agent,
    model: facts.model,
    working_dir: facts.workingDir,
    resumed: facts.resumed,
    longhand: VERSION,
  } as const;
}

/** A piece of what a running call prints, before its result. */
export function outputLine({ toolName, actionId, text, omitted }: NoticeOf<'tool-output'>) {
  return {
    type: 'output',
    tool_name: toolName,
    action_id: actionId,
    text,
    omitted: omitted === 0 ? undefined : omitted,
  } as const;
}

type NoticeOf<Type extends Notice['type']> = Extract<Notice, { type: Type }>;

/** The last line of a run. */
export function outcomeLine(id: string, outcome: Outcome, stats: State['stats'], elapsedMs: number) {
  return {
    type: 'outcome',
    conversation_id: id,
    status: outcome.kind,
    exit_code: exitCodeOf(outcome),
    ...wordsOf(outcome),
    cost_usd: totalCostUsd(stats),
    unpriced_calls: unpricedCalls(stats),
    tokens: tokensOf(stats),
    duration_ms: Math.round(elapsedMs),
  } as const;
}

function wordsOf(outcome: Outcome): {
  message?: string;
  code?: string;
  detail?: string;
  remedy?: string | undefined;
} {
  switch (outcome.kind) {
    case 'finished':
      return { message: outcome.message };
    case 'error':
      return { code: outcome.code, detail: outcome.detail, remedy: outcome.remedy };
    case 'limit':
      return { code: outcome.code, detail: outcome.detail };
    case 'stuck':
      return { detail: outcome.detail };
    default:
      return {};
  }
}

/** The sum over all models of the conversation. */
export function tokensOf({ usage_to_metrics: all }: Stats) {
  const sum = { prompt: 0, completion: 0, cache_read: 0, cache_write: 0, reasoning: 0 };
  for (const { accumulated_token_usage: usage } of Object.values(all)) {
    sum.prompt += usage.prompt_tokens;
    sum.completion += usage.completion_tokens;
    sum.cache_read += usage.cache_read_tokens;
    sum.cache_write += usage.cache_write_tokens;
    sum.reasoning += usage.reasoning_tokens;
  }
  return sum;
}
