import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsDraft } from '../../../test-support/random-history.ts';
import { LLMError } from '../../llm/errors.ts';
import { begin, evolve, type Happening, type RunState } from './run-state.ts';

const after = (...happenings: readonly Happening[]): RunState => happenings.reduce(evolve, begin('m1'));
const said = wordsDraft('agent', 'done');
const ending: Happening = { kind: 'ending', events: [said], words: 'done', isSpeech: true };
const stored: Happening = { kind: 'stored', events: [said] };
const requested: Happening = {
  kind: 'stored',
  events: [{ source: 'agent', kind: 'CondensationRequest' }, said],
};
const prepared: Happening = { kind: 'prepared', at: 'e1', messages: [] };
const asked: Happening = { kind: 'asked', heard: 'm2' };
const checkedFor = (id: string): Happening => ({ kind: 'checked', approvals: new Map([[id, true]]) });
const START: RunState = {
  steps: 0,
  barren: 0,
  refused: null,
  heard: 'm1',
  toldAt: null,
  prompt: null,
  approvals: new Map(),
  ending: null,
};
const REFUSED = { bytes: 7, error: new LLMError('LLMContextWindowExceedError', 'too long') };
const ENDING = { events: [said], words: 'done', isSpeech: true, isUnanswered: false, verdict: null };

const table: readonly (readonly [about: string, run: RunState, change: Partial<RunState>])[] = [
  ['a run begins with nothing done', after(), {}],
  [
    'that the model was told is remembered with the step',
    after(asked, { kind: 'told' }),
    { steps: 1, heard: 'm2', toldAt: 1 },
  ],
  ['a prompt is kept until the model is asked', after(prepared), { prompt: { at: 'e1', messages: [] } }],
  [
    'what the tools say about approval replaces what they said before',
    after(checkedFor('e1'), checkedFor('e2')),
    { approvals: new Map([['e2', true]]) },
  ],
  [
    'asking is a step, with what the user had said by then',
    after(prepared, asked),
    { steps: 1, heard: 'm2' },
  ],
  ['a condensation is a step that brought no answer', after({ kind: 'condensed' }), { steps: 1, barren: 1 }],
  ['an answer ends a row of condensations', after({ kind: 'condensed' }, stored), { steps: 1 }],
  ['a request for one continues it', after({ kind: 'condensed' }, requested), { steps: 1, barren: 2 }],
  [
    'a request that was too long is remembered until there is an answer',
    after({ kind: 'stored', events: [], refused: REFUSED }),
    { refused: REFUSED },
  ],
  [
    'the answer after it ends that',
    after({ kind: 'stored', events: [], refused: REFUSED }, stored),
    { refused: null },
  ],
  ['an ending is kept with its events', after({ kind: 'condensed' }, ending), { steps: 1, ending: ENDING }],
  [
    'an ending without a reply has its events stored',
    after(ending, { kind: 'unanswered' }),
    { ending: { ...ENDING, events: [], isUnanswered: true } },
  ],
  [
    'the verdict of hooks belongs to the ending',
    after(ending, { kind: 'judged', verdict: { events: [], feedback: 'no' } }),
    { ending: { ...ENDING, verdict: { events: [], feedback: 'no' } } },
  ],
  ['a run that continues has no ending', after(ending, { kind: 'continued' }), {}],
  [
    'without an ending there is nothing to judge',
    after({ kind: 'unanswered' }, { kind: 'judged', verdict: { events: [] } }),
    {},
  ],
];

for (const [about, run, change] of table) test(about, () => assert.deepEqual(run, { ...START, ...change }));
