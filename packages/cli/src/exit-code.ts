import type { Outcome } from '@longhand/sdk';

/** The exit codes. Documented and stable: scripts rely on them. */
export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  stuck: 3,
  limit: 4,
  waiting: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_OUTCOME: { readonly [K in Outcome['kind']]: ExitCode } = {
  finished: EXIT.ok,
  error: EXIT.error,
  stuck: EXIT.stuck,
  limit: EXIT.limit,
  paused: EXIT.waiting,
  waiting: EXIT.waiting,
  interrupted: EXIT.interrupted,
};

export function exitCodeOf(outcome: Outcome): ExitCode {
  return BY_OUTCOME[outcome.kind];
}
