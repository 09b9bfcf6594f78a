/** What a run remembers besides the log: a value, folded from what happened in the run. */
import type { Approvals } from '../../agent/approval.ts';
import type { Refusal } from '../../agent/ask.ts';
import type { Draft } from '../../event/draft.ts';
import type { EventId } from '../../event/identity.ts';
import type { Message } from '../../event/message.ts';

export interface RunState {
  /** Steps so far: requests to the model, and condensations in their place. */
  readonly steps: number;
  /** Condensations and requests for them since the model last answered or a tool was run. */
  readonly barren: number;
  /** The request that was too long, until the model answers or a tool is run. */
  readonly refused: Refusal | null;
  /** The user's latest message when the model was last asked. */
  readonly heard: EventId | null;
  /** After how many steps the model was last told how many turns are left. */
  readonly toldAt: number | null;
  /** The prompt that the condenser made of the history up to the event `at`. */
  readonly prompt: { readonly at: EventId | null; readonly messages: readonly Message[] } | null;
  /** What the tools said about the open calls: whether each needs a person's approval. */
  readonly approvals: Approvals;
  /** An answer or a result with which the agent wants to end the run. */
  readonly ending: Ending | null;
}

export interface Ending {
  /** Not stored yet: they are stored together with the end of the run. */
  readonly events: readonly Draft[];
  readonly words: string;
  /** Whether the agent spoke instead of calling a tool. */
  readonly isSpeech: boolean;
  /** Whether a reply was asked for, and there was none. */
  readonly isUnanswered: boolean;
  /** The verdict of the stop hooks; null before they have run. */
  readonly verdict: StopVerdict | null;
}

export interface StopVerdict {
  readonly events: readonly Draft[];
  /** Why the agent must continue. */
  readonly feedback?: string | undefined;
}

export type Happening =
  /** The model was told how many turns are left. */
  | { readonly kind: 'told' }
  /** The condenser left the history as it is. */
  | { readonly kind: 'prepared'; readonly at: EventId | null; readonly messages: readonly Message[] }
  | { readonly kind: 'condensed' }
  /** The tools said which of the open calls need a person's approval. */
  | { readonly kind: 'checked'; readonly approvals: Approvals }
  | { readonly kind: 'asked'; readonly heard: EventId | null }
  /** An answer or a result was stored; or what is tried after a request that was refused as too long. */
  | { readonly kind: 'stored'; readonly events: readonly Draft[]; readonly refused?: Refusal | undefined }
  | {
      readonly kind: 'ending';
      readonly events: readonly Draft[];
      readonly words: string;
      readonly isSpeech: boolean;
    }
  /** The ending is stored, and there was no reply. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'judged'; readonly verdict: StopVerdict }
  /** The agent continues after all. */
  | { readonly kind: 'continued' };

export function begin(heard: EventId | null): RunState {
  return {
    steps: 0,
    barren: 0,
    refused: null,
    heard,
    toldAt: null,
    prompt: null,
    approvals: new Map(),
    ending: null,
  };
}

export function evolve(run: RunState, happening: Happening): RunState {
  const { ending } = run;
  switch (happening.kind) {
    case 'told':
      return { ...run, toldAt: run.steps };
    case 'prepared':
      return { ...run, prompt: { at: happening.at, messages: happening.messages } };
    case 'condensed':
      return { ...run, steps: run.steps + 1, barren: run.barren + 1 };
    case 'checked':
      return { ...run, approvals: happening.approvals };
    case 'asked':
      return { ...run, steps: run.steps + 1, heard: happening.heard, prompt: null };
    case 'stored':
      return {
        ...run,
        barren: happening.events.some(isRequest) ? run.barren + 1 : 0,
        refused: happening.refused ?? null,
      };
    case 'ending': {
      const { events, words, isSpeech } = happening;
      return { ...run, barren: 0, ending: { events, words, isSpeech, isUnanswered: false, verdict: null } };
    }
    case 'unanswered':
      return { ...run, ending: ending && { ...ending, events: [], isUnanswered: true } };
    case 'judged':
      return { ...run, ending: ending && { ...ending, verdict: happening.verdict } };
    case 'continued':
      return { ...run, ending: null };
  }
}

function isRequest({ kind }: Draft): boolean {
  return kind === 'CondensationRequest';
}
