/** Every event, action and observation of the OpenHands SDK 1.57, as it writes them; made with the SDK itself. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEvent, serializeEvent } from './codec.ts';
import { textOf } from './content.ts';
import { renderContent } from './kinds/result.ts';
import type { Observation } from './kinds.ts';
import { isBuiltInKind, isResult, showEvent } from './kinds.ts';
import { messagesOf } from './projection.ts';

const FILE = join(import.meta.dirname, 'fixtures/reference-1.57/kinds.jsonl');

interface Recorded {
  readonly event: string;
  /** What the SDK sends to the model for it, where a tool of ours does not say it in other words. */
  readonly content?: readonly unknown[];
}

const RECORDED = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

test('every kind of the OpenHands SDK is known and written back with the same bytes', () => {
  for (const { event: source } of RECORDED) {
    const event = parseEvent(source, { strict: true });
    assert.ok(isBuiltInKind(event.kind));
    assert.equal(serializeEvent(event), source);
  }
  const kinds = new Set(RECORDED.map(({ event }) => parseEvent(event).kind));
  assert.ok(kinds.has('SecurityAnalysisEvent'));
});

test('observations of the OpenHands SDK are in the prompt as it sends them', () => {
  for (const { event: source, content } of RECORDED) {
    const event = parseEvent(source);
    if (event.kind !== 'ObservationEvent' || content === undefined) continue;
    assert.deepEqual(
      [event.observation.kind, renderContent(event.observation)],
      [event.observation.kind, content],
    );
  }
});

test('a security analysis is not part of the prompt', () => {
  const analyses = RECORDED.map(({ event }) => parseEvent(event)).filter(
    ({ kind }) => kind === 'SecurityAnalysisEvent',
  );
  assert.equal(analyses.length, 2);
  assert.deepEqual(messagesOf(analyses as never), []);
});

test('an observation that keeps its words in fields is in the prompt with them', () => {
  const said = (fields: object) =>
    textOf(renderContent({ content: [], is_error: false, ...fields } as unknown as Observation));
  assert.equal(
    said({ kind: 'ConsultTomObservation', suggestions: 'Ask.', reasoning: 'It is vague.', confidence: 0.75 }),
    'Ask.\n\nReasoning: It is vague.\n\nConfidence: 75%',
  );
  assert.equal(said({ kind: 'ConsultTomObservation', suggestions: '' }), 'No suggestion was made.');
  assert.equal(
    said({ kind: 'SleeptimeComputeObservation', message: 'Done.', sessions_processed: 2 }),
    '2 conversations indexed.\nDone.',
  );
});

test('every kind of the OpenHands SDK that is not a call or a result is shown in words', () => {
  const events = RECORDED.map(({ event }) => parseEvent(event)).filter(
    (event) => event.kind !== 'ActionEvent' && !isResult(event),
  );
  const silent = events.filter((event) => (showEvent(event) ?? event.kind) === event.kind);
  assert.deepEqual(
    silent.map(({ kind }) => kind),
    [],
  );
});
