import type { Outcome, State } from '@longhand/sdk';
import { totalCostUsd, totalTokens, unpricedCalls } from '@longhand/sdk/internal';
import { count, duration, usd } from './figures.ts';
import { sanitize } from './sanitize.ts';
import type { Style } from './style.ts';

export interface Summary {
  readonly id: string;
  readonly outcome: Outcome;
  readonly elapsedMs: number;
  readonly stats: State['stats'];
  /** The shortest prefix of the id that is unique. */
  readonly shortId: string;
  /** How the command is called, and the flag with which it finds the conversation again, if it needs one. */
  readonly command: string;
  readonly where: string;
}

const WORDS: { readonly [K in Outcome['kind']]: string } = {
  finished: 'finished',
  error: 'failed',
  stuck: 'stuck',
  limit: 'limit reached',
  paused: 'paused',
  waiting: 'waiting for confirmation',
  interrupted: 'interrupted',
};

/** The last lines of a run: how it ended, what it cost, how to resume it. */
export function summaryLines(summary: Summary, style: Style): string[] {
  const { outcome, elapsedMs, stats, shortId, command, where } = summary;
  const colour = outcome.kind === 'finished' ? style.green : style.yellow;
  const facts = [`after ${duration(elapsedMs)}`, figures(stats)].filter((fact) => fact !== '');
  const message = outcome.kind === 'finished' ? ' -t "..."' : '';
  return [
    '',
    `${colour(WORDS[outcome.kind])} ${style.dim(facts.join(' · '))}`,
    `${style.dim('resume:  ')}${command} --resume ${shortId}${where}${message}`,
    `${style.dim('show:    ')}${command} show ${shortId}${where}`,
  ];
}

/** Tokens and cost of a conversation; empty before the first reply. */
export function figures(stats: State['stats']): string {
  const { prompt, completion } = totalTokens(stats);
  if (prompt + completion === 0) return '';
  const cost = costText(totalCostUsd(stats), unpricedCalls(stats)) ?? 'cost unknown';
  return `${count(prompt)} tokens in, ${count(completion)} out · ${cost}`;
}

/** A sum that lacks calls without a known price says so; undefined if nothing is known. */
export function costText(costUsd: number, unpriced: number): string | undefined {
  if (costUsd === 0) return undefined;
  return unpriced === 0 ? usd(costUsd) : `at least ${usd(costUsd)}`;
}

/** Why it ended and what to do about it, for standard error; none after a success. */
export function complaintLines(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'error':
      return [`longhand: ${said(outcome.detail)}`, ...remedyLines(outcome.remedy)];
    case 'stuck':
      return [
        `longhand: the agent is stuck: ${said(outcome.detail)}`,
        '  Resume it with a message that helps.',
      ];
    case 'limit': {
      const flag = LIMIT_FLAGS[outcome.code];
      return [`longhand: ${said(outcome.detail)}`, `  Resume it to continue; ${flag} sets another limit.`];
    }
    case 'waiting':
      return [
        'longhand: actions are waiting for your approval, which this command cannot ask for',
        '  Approve or reject them with the SDK (approve() and reject() of a Conversation) or in OpenHands, then resume.',
      ];
    default:
      return [];
  }
}

const LIMIT_FLAGS = {
  MaxIterationsReached: '--max-iterations',
  MaxBudgetReached: '--max-budget',
  MaxTokensReached: '--max-tokens',
  MaxTimeReached: '--max-time',
} as const;

function remedyLines(remedy: string | undefined): string[] {
  return remedy === undefined ? [] : [`  ${said(remedy)}`];
}

function said(text: string): string {
  return sanitize(text).trim().split('\n').join('\n  ');
}
