/**
 * Histories in one line. Words, separated by spaces:
 * `S` system prompt, `u` message of the user, `m` message of the agent, `s` summary,
 * `a1` call 1, alone in its turn; `a1.7` call 1 of turn 7; `t1`, `t1.7` the same with a signed thought,
 * `r1` observation of call 1, `x1` its rejection, `e1` an error that names call 1 (by the id of the call, not of the action),
 * `c` a pause, which no model sees. `a1'` is another call with the same id as `a1`, and `r1'` is its observation.
 */

import { text } from '../src/event/content.ts';
import { type Draft, eventOf } from '../src/event/draft.ts';
import type { Event } from '../src/event/kinds.ts';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  SIGNED,
  wordsDraft,
} from './random-history.ts';

/** The events. Their ids are the words, without turn and signature (`a1`), and with a count if they are repeated (`u#2`). */
export function historyOf(line: string): Event[] {
  const clock = countingClock();
  const used = new Map<string, number>();
  return line
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const count = (used.get(word) ?? 0) + 1;
      used.set(word, count);
      const name = word.replace(/^t/, 'a').replace(/\..*/, '');
      return { ...eventOf(draftOf(word), null, clock), id: count === 1 ? name : `${name}#${count}` };
    });
}

/** The ids of events as a line. */
export function lineOf(events: readonly Event[]): string {
  return events.map(({ id }) => id).join(' ');
}

const WORDS: { readonly [word: string]: Draft } = {
  S: { source: 'agent', system_prompt: text('static'), tools: [], kind: 'SystemPromptEvent' },
  u: wordsDraft('user', 'words'),
  m: wordsDraft('agent', 'words'),
  s: { source: 'environment', summary: 'what was', kind: 'CondensationSummaryEvent' } as Draft,
  c: { source: 'user', kind: 'PauseEvent' },
};

function draftOf(word: string): Draft {
  const plain = WORDS[word];
  if (plain !== undefined) return plain;
  const [, letter, number, turn] = /^([atrxe])(\d+'*)(?:\.(\w+))?$/.exec(word) ?? [];
  if (letter === undefined || number === undefined) throw new Error(`"${word}" is no word of a history`);
  const callId = `call-${Number.parseInt(number, 10)}`;
  const action = `a${number}`;
  switch (letter) {
    case 'a':
    case 't': {
      const draft = callDraft(callId, `turn-${turn ?? number}`);
      return letter === 't' ? ({ ...draft, thinking_blocks: [SIGNED] } as Draft) : draft;
    }
    case 'r':
      return observationDraft(callId, action);
    case 'e':
      return errorDraft(callId);
    default:
      return {
        source: 'environment',
        tool_name: 'terminal',
        tool_call_id: callId,
        rejection_reason: 'not this',
        rejection_source: 'user',
        action_id: action,
        kind: 'UserRejectObservation',
      };
  }
}
