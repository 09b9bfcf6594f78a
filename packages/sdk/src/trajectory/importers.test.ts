import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countingClock, wordsDraft } from '../../test-support/random-history.ts';
import { text } from '../event/content.ts';
import { eventOf } from '../event/draft.ts';
import type { Event } from '../event/kinds.ts';
import { parseTrajectory } from './formats.ts';
import { IMPORTERS } from './importers.ts';
import { toJsonl } from './jsonl.ts';
import { toOpenAi } from './openai.ts';
import { toV0 } from './v0/to-v0.ts';

const clock = countingClock();
const EVENTS: Event[] = [eventOf(wordsDraft('user', 'kind role action messages'), null, clock)];

const FILES = {
  v0: JSON.stringify(toV0(EVENTS), null, 2),
  openai: JSON.stringify({ messages: toOpenAi(EVENTS) }),
  jsonl: [...toJsonl(EVENTS)].join(''),
};

for (const [format, source] of Object.entries(FILES)) {
  test(`import: exactly one importer recognises a file in the format ${format}`, () => {
    const json = format === 'jsonl' ? undefined : JSON.parse(source);
    const found = Object.entries(IMPORTERS).filter(
      ([, importer]) => 'recognises' in importer && importer.recognises?.(source, json) === true,
    );
    assert.deepEqual(
      found.map(([name]) => name),
      [format],
    );
    const [message] = parseTrajectory(source).events;
    assert.deepEqual(message?.kind === 'MessageEvent' && message.llm_message.content, [
      text('kind role action messages'),
    ]);
  });
}

test('import: a text in an unknown format is refused with the list of formats', () => {
  assert.throws(
    () => parseTrajectory('{"a": 1}'),
    /unknown format; expected a trajectory of OpenHands V0 .*, a list of chat messages, or a file with one event per line$/,
  );
});
