/** Conversations in every form that was released. They are replayed for ever: an old folder must always load and lead to the same. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goldenTools } from '../../../test-support/golden-run.ts';
import { SENDERS, senderOf } from '../../agent/sender.ts';
import { text } from '../../event/content.ts';
import type { Event, MessageEvent } from '../../event/kinds.ts';
import { type ReplaySource, replay } from './replay.ts';
import { storedReplaySource } from './replay-source.ts';

const golden = join(import.meta.dirname, 'fixtures');
const replayed = (source: ReplaySource) => replay(source, { tools: goldenTools, strict: true });
const senders = ({ events }: ReplaySource) =>
  new Set(events.flatMap((event) => (event.kind === 'MessageEvent' ? (senderOf(event) ?? []) : [])));

for (const name of readdirSync(golden)) {
  test(`the conversation of ${name} is replayed byte for byte`, async () => {
    const source = await storedReplaySource(join(golden, name));
    assert.deepEqual(await replayed(source), {
      reproduced: source.events.length,
      recorded: source.events.length,
    });
  });
}

test('messages of the engine are recognised by their sender, and in old folders by their words', async () => {
  // No run of these folders had a cut answer, or tools that changed.
  const { hook, cutAnswer: _, toolsChanged: __, ...others } = SENDERS;
  const old = await storedReplaySource(join(golden, '0.1-sentences'));
  assert.deepEqual(senders(old), new Set(Object.values(others)));
  const signed = await storedReplaySource(join(golden, '0.1-senders'));
  assert.deepEqual(senders(signed), new Set([hook, ...Object.values(others)]));
});

/** The conversation with every message of the engine changed. */
async function changed(change: (event: MessageEvent) => MessageEvent): Promise<ReplaySource> {
  const source = await storedReplaySource(join(golden, '0.1-senders'));
  const isOurs = (event: Event): event is MessageEvent =>
    event.kind === 'MessageEvent' && event.sender?.startsWith('longhand:') === true;
  return { ...source, events: source.events.map((event) => (isOurs(event) ? change(event) : event)) };
}

test('messages that are only worded differently are not a difference', async () => {
  const source = await changed((event) => ({
    ...event,
    llm_message: { ...event.llm_message, content: [text('Words of another version.')] },
  }));
  assert.equal((await replayed(source)).difference, undefined);
});

test('a message for another cause is a difference', async () => {
  const source = await changed((event) =>
    event.sender === SENDERS.emptyAnswer ? { ...event, sender: SENDERS.repeatedFailure } : event,
  );
  assert.equal((await replayed(source)).difference?.path, 'sender');
});
