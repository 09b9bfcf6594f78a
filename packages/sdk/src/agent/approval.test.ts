import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callDraft, countingClock } from '../../test-support/random-history.ts';
import { eventOf } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import type { Tool } from '../tool/tool.ts';
import { checkApproval } from './approval.ts';

/** The call of the tool `gated` with these words. */
function call(words: string, more: Partial<ActionEvent> = {}): ActionEvent {
  const draft = { ...callDraft('call-1', 'response'), tool_name: 'gated' };
  const event = eventOf(draft, null, countingClock()) as ActionEvent;
  return { ...event, id: words, action: { words, kind: 'GatedAction' }, ...more };
}

/** Whether a tool with this gate needs approval of the call. */
async function needs(
  needsApproval: Tool['needsApproval'] | undefined,
  event = call('x'),
  awaitsConsent = false,
): Promise<boolean | undefined> {
  const tool = (needsApproval === undefined ? {} : { needsApproval }) as Tool;
  const approvals = await checkApproval([event], {
    tools: { get: (name) => (name === 'gated' ? tool : undefined) },
    signal: new AbortController().signal,
    awaitsConsent: (name) => name === 'gated' && awaitsConsent,
  });
  return approvals.get(event.id);
}

const { action: _, ...invalid } = call('x');

test('the gate of the tool decides, with the input of the call and its id', async () => {
  const asked: unknown[] = [];
  const gate: Tool['needsApproval'] = (input, { callId, signal }) => {
    asked.push(input, callId, signal.aborted);
    return true;
  };
  assert.equal(await needs(gate), true);
  assert.deepEqual(asked, [{ words: 'x' }, 'call-1', false]);
  assert.equal(await needs(async () => false), false);
});

test('a gate that throws, or answers neither yes nor no, counts as yes', async () => {
  assert.equal(await needs(() => Promise.reject(new Error('nobody there'))), true);
  assert.equal(await needs(() => undefined as never), true);
});

test('a tool without a gate, a tool that does not exist and an invalid call need no approval', async () => {
  assert.equal(await needs(undefined), false);
  assert.equal(await needs(() => true, call('x', { tool_name: 'missing' })), false);
  assert.equal(await needs(() => true, invalid as ActionEvent), false);
});

test('a tool that changed and awaits consent needs approval of a valid call, whatever its gate says', async () => {
  assert.equal(await needs(() => false, call('x'), true), true);
  assert.equal(await needs(undefined, call('x'), true), true);
  assert.equal(await needs(undefined, invalid as ActionEvent, true), false);
});
