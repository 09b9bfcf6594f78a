import * as fc from 'fast-check';
import { AGENT_ACTION } from '../src/event/classification.ts';
import { text } from '../src/event/content.ts';
import { type Draft, eventOf } from '../src/event/draft.ts';
import type { Clock } from '../src/event/identity.ts';
import { type ActionEvent, type Event, movesHead } from '../src/event/kinds.ts';

/** A clock that counts: times and ids are the same in every run. */
export function countingClock(): Clock {
  let ticks = 0;
  return {
    now: () => 1_750_000_000_000 + ++ticks,
    newId: () => `00000000-0000-4000-8000-${String(++ticks).padStart(12, '0')}`,
  };
}

/** The drafts as events, whose ids are `e0`, `e1`, ... */
export function recordOf(...drafts: readonly Draft[]): Event[] {
  const clock = countingClock();
  return drafts.map((draft, i) => ({ ...eventOf(draft, null, clock), id: `e${i}` }));
}

/** A call, as an ActionEvent's draft. */
export function callDraft(id: string, responseId: string, command = 'true'): Draft {
  return {
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    action: { command, kind: 'TerminalAction' },
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { id, name: 'terminal', arguments: JSON.stringify({ command }), origin: 'completion' },
    llm_response_id: responseId,
    security_risk: 'LOW',
    kind: 'ActionEvent',
  };
}

export function observationDraft(id: string, actionId: string, output = 'ok'): Draft {
  return {
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: id,
    observation: { content: [text(output)], is_error: false, kind: 'TerminalObservation' },
    action_id: actionId,
    extended_content: [],
    kind: 'ObservationEvent',
  };
}

export function errorDraft(id: string, error = 'failed'): Draft {
  return {
    source: 'agent',
    tool_name: 'terminal',
    tool_call_id: id,
    error,
    classification: AGENT_ACTION,
    kind: 'AgentErrorEvent',
  };
}

export function wordsDraft(source: 'user' | 'agent' | 'environment', words: string): Draft {
  return {
    source,
    llm_message: {
      role: source === 'agent' ? 'assistant' : 'user',
      content: [text(words)],
      thinking_blocks: [],
    },
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  };
}

/** One thing that may befall a conversation; numbers choose among what is there. */
type Turn =
  | { readonly do: 'say'; readonly who: 'user' | 'agent' | 'environment' }
  | {
      readonly do: 'call';
      readonly sameResponse: boolean;
      readonly sameId: boolean;
      readonly thinks: boolean;
    }
  | { readonly do: 'answer'; readonly which: number; readonly how: 'observe' | 'fail' | 'twice' | 'reject' }
  | { readonly do: 'crash' }
  | { readonly do: 'status' }
  | { readonly do: 'branch'; readonly to: number }
  | { readonly do: 'condense'; readonly from: number; readonly count: number; readonly summary: boolean };

const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      who: fc.constantFrom('user', 'agent', 'environment'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      sameResponse: fc.boolean(),
      sameId: fc.boolean(),
      thinks: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(5),
      how: fc.constantFrom('observe', 'fail', 'twice', 'reject'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'status' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('branch' as const), to: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('condense' as const),
      from: fc.nat(10),
      count: fc.nat(10),
      summary: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Turn>;

/**
 * Histories of every kind, the illegal ones included: parallel calls, signed thoughts, results that come late, twice or never,
 * rejections, crashes after which all open calls fail, ids that repeat, talk in between, branches and condensations.
 */
export const randomHistory: fc.Arbitrary<readonly Event[]> = fc
  .array(turn, { maxLength: 40, size: 'max' })
  .map(
    (turns) => turns.reduce(befall, { events: [], calls: 0, responses: 0, clock: countingClock() }).events,
  );

interface Draw {
  readonly events: Event[];
  calls: number;
  responses: number;
  readonly clock: Clock;
}

function befall(draw: Draw, what: Turn): Draw {
  const { events } = draw;
  const calls = events.filter((event) => event.kind === 'ActionEvent');
  switch (what.do) {
    case 'say':
      add(draw, wordsDraft(what.who, `words ${events.length}`));
      break;
    case 'call': {
      draw.responses += what.sameResponse ? 0 : 1;
      draw.calls += what.sameId ? 0 : 1;
      const draft = callDraft(`call-${draw.calls}`, `response-${draw.responses}`);
      add(draw, what.thinks ? ({ ...draft, thinking_blocks: [SIGNED] } as Draft) : draft);
      break;
    }
    case 'answer': {
      const call = calls.at(-1 - (what.which % Math.max(1, calls.length)));
      if (call === undefined) break;
      add(draw, answerDraft(call, what.how));
      if (what.how === 'twice') add(draw, errorDraft(call.tool_call_id));
      break;
    }
    case 'crash': {
      const answered = new Set(events.flatMap((event) => ('action_id' in event ? [event.action_id] : [])));
      for (const call of calls)
        if (!answered.has(call.id)) add(draw, errorDraft(call.tool_call_id, 'was cut off'));
      break;
    }
    case 'status':
      add(draw, {
        source: 'environment',
        key: 'execution_status',
        value: 'running',
        kind: 'ConversationStateUpdateEvent',
      });
      break;
    case 'branch': {
      const to = events.filter(movesHead).at(-1 - what.to);
      if (to !== undefined) add(draw, wordsDraft('user', 'from here'), to.id);
      break;
    }
    case 'condense':
      add(draw, {
        source: 'environment',
        forgotten_event_ids: events.slice(what.from, what.from + what.count).map((event) => event.id),
        ...(what.summary ? { summary: 'what was', summary_offset: what.from } : {}),
        llm_response_id: 'condenser',
        kind: 'Condensation',
      });
  }
  return draw;
}

function answerDraft({ id, tool_call_id: callId, tool_name: tool }: ActionEvent, how: string): Draft {
  if (how === 'fail') return errorDraft(callId);
  if (how !== 'reject') return observationDraft(callId, id);
  return {
    source: 'environment',
    tool_name: tool,
    tool_call_id: callId,
    rejection_reason: 'not this',
    rejection_source: 'user',
    action_id: id,
    kind: 'UserRejectObservation',
  };
}

/** A thought that its provider has signed. */
export const SIGNED = { type: 'thinking', thinking: 'hm', signature: 'signed' } as const;

function add(draw: Draw, draft: Draft, parent = draw.events.findLast(movesHead)?.id ?? null): void {
  draw.events.push(eventOf(draft, parent, draw.clock));
}
