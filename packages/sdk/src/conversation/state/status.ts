import type { OutputPiece } from '../../agent/live-output.ts';
import type { Delta, Retry } from '../../llm/llm.ts';
import type { ModelCall } from '../run/model-calls.ts';

export const STATUSES = [
  'idle',
  'running',
  'paused',
  'waiting_for_confirmation',
  'finished',
  'error',
  'stuck',
  'deleting',
] as const;

/** The reference's names, as in `base_state.json` and on the wire. */
export type Status = (typeof STATUSES)[number];

export function isStatus(value: unknown): value is Status {
  return STATUSES.includes(value as Status);
}

/** How a run ended. The log, the exit code and the screen use the same names. */
export type Outcome =
  | { readonly kind: 'finished'; readonly message: string }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly detail: string;
      readonly remedy?: string;
      readonly cause?: unknown;
    }
  | { readonly kind: 'stuck'; readonly detail: string }
  | {
      readonly kind: 'limit';
      readonly code: 'MaxIterationsReached' | 'MaxBudgetReached' | 'MaxTokensReached' | 'MaxTimeReached';
      readonly detail: string;
    }
  | { readonly kind: 'paused' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'interrupted' };

/** Something to show while it happens. It is never stored. */
export type Notice =
  | { readonly type: 'model-start' }
  | { readonly type: 'model-end' }
  | { readonly type: 'model-call'; readonly call: ModelCall }
  | { readonly type: 'delta'; readonly delta: Delta }
  | { readonly type: 'retry'; readonly retry: Retry }
  | { readonly type: 'tool-start'; readonly toolName: string; readonly actionId: string }
  | { readonly type: 'tool-progress'; readonly toolName: string; readonly text: string }
  /** What a running call has printed since the last such notice; see OutputPiece. The last one comes before the result is stored. */
  | ({ readonly type: 'tool-output'; readonly toolName: string; readonly actionId: string } & OutputPiece)
  | { readonly type: 'warning'; readonly text: string };
