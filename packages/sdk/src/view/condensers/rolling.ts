/**
 * When and where a history is cut: the head and the tail stay, the events between them go. Cuts are made only where no rule of
 * the view is broken, and only if they make the history shorter. After the reference's rolling condensers (SDK 1.43), which
 * also count tokens, but again in each step and only when the window is full.
 */
import type { PromptEvent } from '../../event/kinds.ts';
import { essentialsOf } from '../essentials.ts';
import { cutPoints } from '../rules.ts';
import type { View } from '../view.ts';
import {
  type CondensationDraft,
  type Condensed,
  type Condenser,
  type CondenserContext,
  KEEP,
} from './condenser.ts';
import { renderEvent } from './render-event.ts';
import { windowCondensation } from './window.ts';

/** When a history is cut, and what of it stays. */
export interface Rolling {
  /** The number of events above which the history is cut to half of that; default: no limit. */
  readonly maxSize?: number;
  /** The number of tokens above which the history is cut to half of that; default: four fifths of the model's window. */
  readonly maxTokens?: number;
  /** Events at the beginning that stay; default 4. */
  readonly keepFirst?: number;
  /** The fraction of the events that a cut must remove at least; default 0.1. */
  readonly minimumProgress?: number;
  /** How many characters of an event the summarizing model is shown; default 10,000. */
  readonly maxEventLength?: number;
}

/** The members that the specifications of all condensers that cut have in common. */
export const ROLLING_MEMBERS = {
  sizes: { maxSize: 1, maxTokens: 1, keepFirst: 0, maxEventLength: 2 },
  parts: ['minimumProgress'],
} as const;

const DEFAULTS = { keepFirst: 4, minimumProgress: 0.1, full: 0.8 } as const;

/** Makes the replacement for the events that are cut; null if it cannot. */
export type Replace = (cut: Cut, context: CondenserContext) => Promise<Replacement | null>;

export interface Replacement {
  readonly summary?: string;
  readonly responseId?: string;
  /** The ids of the cut events that stay after all. */
  readonly keep?: ReadonlySet<string>;
}

export interface Cut {
  /** The events of `[start, end)` are cut. */
  readonly start: number;
  readonly end: number;
  readonly forgotten: readonly PromptEvent[];
}

interface Reason {
  /** The window is too small, or will be soon: something has to go. */
  readonly isHard: boolean;
  /** How many events at the end stay. */
  readonly tail: number;
}

/**
 * Cuts out the middle. Without `keepsTail` everything after the head is cut, except what `replace` keeps. Throws RangeError for
 * sizes that leave nothing to cut.
 */
export function rolling(spec: Rolling, replace: Replace, keepsTail = true): Condenser {
  const { keepFirst = DEFAULTS.keepFirst, minimumProgress = DEFAULTS.minimumProgress } = spec;
  checkRoom(spec.maxSize, keepFirst);
  return {
    handlesRequests: true,
    condense: async (view, context) => {
      const reason = await reasonToCondense(view, context, spec, keepFirst);
      if (reason === null) return KEEP;
      const cut = cutOf(view.events, keepFirst, keepsTail ? reason.tail : 0, minimumProgress);
      const replacement = cut === null ? null : await attempt(replace, cut, context);
      if (cut !== null && replacement !== null) {
        const condensation = condensationOf(cut, replacement);
        if (shrinks(cut, replacement)) return { kind: 'condensation', condensation };
        context.onNote('the condenser’s summary was not used: it is longer than what it stands for');
      }
      return reason.isHard ? lastResort(view) : KEEP;
    },
  };
}

async function reasonToCondense(
  view: View,
  context: CondenserContext,
  spec: Rolling,
  keepFirst: number,
): Promise<Reason | null> {
  const { events } = view;
  const tails: number[] = [];
  let isHard = false;
  const { maxSize } = spec;
  const limit = tokenLimit(spec, context.contextWindow);
  const tokens = await context.tokens(limit);
  if (view.condensationRequested) {
    isHard = true;
    tails.push(Math.floor(events.length / 2) - keepFirst - 1);
  }
  if (tokens > limit) {
    isHard = true;
    tails.push(tailWithin(events, keepFirst, tokens, limit / 2));
  }
  if (maxSize !== undefined && events.length > maxSize) tails.push(Math.floor(maxSize / 2) - keepFirst - 1);
  return tails.length === 0 ? null : { isHard, tail: Math.max(0, Math.min(...tails)) };
}

/** How many events at the end may stay if everything that stays is to take at most `goal` tokens. */
function tailWithin(events: readonly PromptEvent[], keepFirst: number, tokens: number, goal: number): number {
  const sizes = events.map((event) => renderEvent(event).length);
  const perChar =
    tokens /
    Math.max(
      1,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  const head = sizes.slice(0, keepFirst).reduce((sum, size) => sum + size, 0) * perChar;
  let taken = head;
  let tail = 0;
  while (tail < events.length - keepFirst) {
    taken += (sizes[events.length - 1 - tail] ?? 0) * perChar;
    if (taken > goal) break;
    tail += 1;
  }
  return tail;
}

function cutOf(
  events: readonly PromptEvent[],
  keepFirst: number,
  tail: number,
  minimumProgress: number,
): Cut | null {
  const cuts = cutPoints(events);
  const start = cuts.find((cut) => cut >= keepFirst);
  const end = cuts.find((cut) => cut >= events.length - tail);
  if (start === undefined || end === undefined) return null;
  const essentials = essentialsOf(events);
  const forgotten = events.slice(start, end).filter((event) => !essentials.has(event));
  return forgotten.length === 0 || forgotten.length < minimumProgress * events.length
    ? null
    : { start, end, forgotten };
}

/** A failing model must not fail the run. */
async function attempt(replace: Replace, cut: Cut, context: CondenserContext): Promise<Replacement | null> {
  try {
    return await replace(cut, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.onNote(`the condenser failed: ${(error as Error).message}`);
    return null;
  }
}

function condensationOf(
  { start, end, forgotten }: Cut,
  { summary, responseId, keep }: Replacement,
): CondensationDraft {
  const essentials = end - start - forgotten.length;
  return {
    forgotten_event_ids: forgotten.map(({ id }) => id).filter((id) => keep?.has(id) !== true),
    ...(summary === undefined ? {} : { summary, summary_offset: start + essentials }),
    llm_response_id: responseId ?? '',
  };
}

function shrinks({ forgotten }: Cut, { summary = '', keep }: Replacement): boolean {
  const gone = forgotten.filter(({ id }) => keep?.has(id) !== true);
  return gone.reduce((sum, event) => sum + renderEvent(event).length, 0) > summary.length;
}

function lastResort(view: View): Condensed {
  const condensation = windowCondensation(view.events);
  return condensation === null ? KEEP : { kind: 'condensation', condensation };
}

function checkRoom(maxSize: number | undefined, keepFirst: number): void {
  if (maxSize !== undefined && Math.floor(maxSize / 2) - keepFirst - 1 <= 0)
    throw new RangeError(
      `a condenser with keep_first ${keepFirst} needs a max_size of at least ${2 * (keepFirst + 2)}`,
    );
}

/** The number of tokens above which a history is cut. */
function tokenLimit({ maxTokens }: Rolling, contextWindow: number | undefined): number {
  return (
    maxTokens ?? (contextWindow === undefined ? Number.POSITIVE_INFINITY : contextWindow * DEFAULTS.full)
  );
}
