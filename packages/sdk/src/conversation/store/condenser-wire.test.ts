import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CondenserSpec } from '../../view/condensers/spec.ts';
import { condenserFromWire, condenserToWire } from './condenser-wire.ts';
import type { Wire } from './wire-values.ts';

const MODEL = { model: 'openai/x' };
const written = (spec: CondenserSpec | undefined, before?: Wire) => condenserToWire(spec, MODEL, before);

test('the default condenser of a new conversation is the reference’s summarizing one, with our sizes', () => {
  assert.deepEqual(written(undefined), {
    llm: { model: 'openai/x', usage_id: 'condenser' },
    keep_first: 4,
    kind: 'LLMSummarizingCondenser',
  });
});

const EXPRESSIBLE: readonly CondenserSpec[] = [
  { type: 'llm' },
  { type: 'llm', maxSize: 20, keepFirst: 1, maxTokens: 9_000, minimumProgress: 0.2, maxEventLength: 500 },
  { type: 'noop' },
  { type: 'pipeline', condensers: [{ type: 'noop' }, { type: 'llm', maxSize: 30 }] },
];
const OURS_ALONE: readonly CondenserSpec[] = [
  { type: 'recent', maxEvents: 5 },
  { type: 'pipeline', condensers: [{ type: 'observation_masking' }, { type: 'llm' }] },
];

test('a specification is read back whole, also after the reference filled in its defaults', () => {
  const filled = { max_size: 240, minimum_progress: 0.1, hard_context_reset_max_retries: 5 };
  for (const spec of EXPRESSIBLE) {
    const wire = written(spec);
    assert.deepEqual(condenserFromWire(wire, spec), spec);
    assert.deepEqual(condenserFromWire({ ...filled, ...wire }, spec), spec);
  }
  for (const spec of OURS_ALONE) {
    assert.equal(written(spec), undefined);
    assert.deepEqual(condenserFromWire(undefined, spec), spec);
  }
});

test('a condenser that was changed in the reference replaces ours', () => {
  const wire = { ...written({ type: 'llm', maxSize: 20 }), max_size: 60 };
  const changed = { type: 'llm', maxSize: 60, keepFirst: 4, minimumProgress: 0.1 };
  assert.deepEqual(condenserFromWire(wire, { type: 'llm', maxSize: 20 }), changed);
  assert.deepEqual(condenserFromWire(wire, undefined), changed);
});

test('a folder of the reference without a condenser, or with one that we do not have, is left as it is', () => {
  assert.equal(written(undefined, {}), undefined);
  const own = { kind: 'TheirCondenser', size: 3 };
  assert.equal(written(undefined, { condenser: own }), undefined);
  assert.equal(condenserFromWire(own, undefined), undefined);
  assert.equal(condenserFromWire({ kind: 'LLMSummarizingCondenser', max_size: 2 }, undefined), undefined);
});

test('sizes that the reference would refuse, with the whole folder, are not written', () => {
  const { max_size: size } = written({ type: 'llm', keepFirst: 200 }) ?? {};
  assert.equal(size, 404);
  const { minimum_progress: progress } = written({ type: 'llm', minimumProgress: 0 }) ?? {};
  assert.equal(progress, undefined);
});

const SUMMARIZING = { llm: { model: 'openai/x', usage_id: 'condenser' }, kind: 'LLMSummarizingCondenser' };
const READ = { type: 'llm', maxSize: 240, keepFirst: 2, minimumProgress: 0.1 };

test('each kind that the reference has is written in its form, and the others are not', () => {
  const whole = { type: 'llm', maxSize: 20, keepFirst: 1, maxTokens: 9, minimumProgress: 0.2 } as const;
  const cases: readonly (readonly [CondenserSpec, object | undefined])[] = [
    [{ type: 'noop' }, { kind: 'NoOpCondenser' }],
    [whole, { ...SUMMARIZING, max_size: 20, max_tokens: 9, keep_first: 1, minimum_progress: 0.2 }],
    [
      { type: 'pipeline', condensers: [{ type: 'noop' }, { type: 'llm' }] },
      {
        kind: 'PipelineCondenser',
        condensers: [{ kind: 'NoOpCondenser' }, { ...SUMMARIZING, keep_first: 4 }],
      },
    ],
    [{ type: 'pipeline', condensers: [{ type: 'noop' }, { type: 'discard_all' }] }, undefined],
    [{ type: 'discard_all' }, undefined],
    [
      { type: 'llm', keepFirst: 118, minimumProgress: 1 },
      { ...SUMMARIZING, keep_first: 118 },
    ],
    [
      { type: 'llm', keepFirst: 119 },
      { ...SUMMARIZING, keep_first: 119, max_size: 242 },
    ],
  ];
  for (const [spec, wire] of cases) assert.deepEqual(written(spec), wire);
});

test('members that only the reference has stay in a summarizing condenser, and do not reach one of another kind', () => {
  const stored = { ...SUMMARIZING, llm: { ...SUMMARIZING.llm, theirs: 1 }, max_size: 90, retries: 5 };
  assert.deepEqual(written({ type: 'llm' }, { condenser: stored }), { ...stored, keep_first: 4 });
  assert.deepEqual(written({ type: 'noop' }, { condenser: stored }), { kind: 'NoOpCondenser' });
  for (const condenser of [{ ...stored, kind: 'TheirCondenser' }, 'damaged', undefined])
    assert.deepEqual(written({ type: 'llm' }, { condenser }), { ...SUMMARIZING, keep_first: 4 });
});

test('an agent that names no condenser has our default renewed, and another one left alone', () => {
  const condenser = { ...SUMMARIZING, llm: { model: 'openai/old' }, keep_first: 4 };
  assert.deepEqual(written(undefined, { condenser }), { ...SUMMARIZING, keep_first: 4 });
  assert.equal(written(undefined, { condenser: { ...condenser, keep_first: 3 } }), undefined);
});

test('the form of the reference is read with its defaults', () => {
  const own: CondenserSpec = { type: 'recent', maxEvents: 5 };
  const noop = { kind: 'NoOpCondenser' };
  const cases: readonly (readonly [unknown, object | undefined])[] = [
    [SUMMARIZING, READ],
    [
      { ...SUMMARIZING, max_tokens: 9, minimum_progress: 0.2 },
      { ...READ, maxTokens: 9, minimumProgress: 0.2 },
    ],
    [{ ...SUMMARIZING, max_size: 'many', keep_first: null, max_tokens: null }, READ],
    [noop, { type: 'noop' }],
    [
      { kind: 'PipelineCondenser', condensers: [noop, SUMMARIZING] },
      { type: 'pipeline', condensers: [{ type: 'noop' }, READ] },
    ],
    [{ kind: 'PipelineCondenser', condensers: [noop, { kind: 'TheirCondenser' }] }, undefined],
    [{ ...SUMMARIZING, max_size: 1 }, undefined],
    ['damaged', undefined],
    [undefined, undefined],
  ];
  for (const [wire, spec] of cases) {
    assert.deepEqual(condenserFromWire(wire, undefined), spec);
    // Ours has no form in the reference, so nothing there can contradict it.
    assert.deepEqual(condenserFromWire(wire, own), own);
  }
});
