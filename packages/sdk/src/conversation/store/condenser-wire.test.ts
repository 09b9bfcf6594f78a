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
