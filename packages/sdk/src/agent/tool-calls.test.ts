import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { completionOf } from '../../test-support/canned-llm.ts';
import { text } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { Message } from '../event/message.ts';
import { defineTool } from '../tool/define-tool.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { draftsOfCalls } from './tool-calls.ts';

const run = () => 'ok';
const tools = toolSetOf([
  defineTool({ name: 'note', description: 'd', input: z.object({ words: z.string().optional() }), run }),
  defineTool({
    name: 'look',
    description: 'd',
    input: z.object({}),
    run,
    annotations: { readOnlyHint: true },
  }),
  defineTool({
    name: 'own',
    description: 'd',
    input: z.object({ summary: z.string().optional(), security_risk: z.string().optional() }),
    run,
  }),
]);

const callOf = (name: string, args: object | string, id = 'c') => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  origin: 'completion' as const,
});

function draftsOf(calls: Message['tool_calls'], more: Partial<Message> = {}): readonly Draft[] {
  const message: Message = { role: 'assistant', content: [], ...(calls && { tool_calls: calls }), ...more };
  return draftsOfCalls({ ...completionOf(''), id: 'r', message }, tools);
}

/** The action of one call, and its error. */
function parsed(name: string, args: object | string) {
  const [action, error] = draftsOf([callOf(name, args)]);
  assert.ok(action?.kind === 'ActionEvent');
  return { action, error: error?.kind === 'AgentErrorEvent' ? error.error : undefined };
}

test('a valid call is an action with its risk and summary apart', () => {
  const { action, error } = parsed('note', { words: 'a', security_risk: 'HIGH', summary: 'notes a' });
  assert.deepEqual(action, {
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    action: { words: 'a', kind: 'NoteAction' },
    tool_name: 'note',
    tool_call_id: 'c',
    tool_call: callOf('note', '{"words": "a", "security_risk": "HIGH", "summary": "notes a"}'),
    llm_response_id: 'r',
    security_risk: 'HIGH',
    summary: 'notes a',
    kind: 'ActionEvent',
  });
  assert.equal(error, undefined);
});

test('a call without a summary is summed up by its arguments', () => {
  for (const summary of [undefined, '  ', 7])
    assert.equal(parsed('note', { words: 'a', summary }).action.summary, 'note: {"words": "a"}');
});

test('a risk is one of three words; without one, or with UNKNOWN, and for a tool that only reads, it is unknown', () => {
  assert.equal(parsed('note', { security_risk: 'LOW' }).action.security_risk, 'LOW');
  assert.equal(parsed('note', {}).action.security_risk, 'UNKNOWN');
  assert.equal(parsed('note', { security_risk: 'UNKNOWN' }).action.security_risk, 'UNKNOWN');
  assert.equal(parsed('look', { security_risk: 'HIGH' }).action.security_risk, 'UNKNOWN');
  const { action, error } = parsed('note', { security_risk: 'TERRIBLE' });
  assert.equal(action.action, undefined);
  assert.match(error ?? '', /security_risk of note must be LOW, MEDIUM or HIGH/);
});

test('a tool’s own parameters named like ours reach the tool', () => {
  const { action } = parsed('own', { summary: 'mine', security_risk: 'some' });
  assert.deepEqual(action.action, { summary: 'mine', security_risk: 'some', kind: 'OwnAction' });
  assert.equal(action.security_risk, 'UNKNOWN');
  assert.match(action.summary ?? '', /^own: /);
  assert.deepEqual(parsed('own', {}).action.action, { kind: 'OwnAction' });
});

test('nulls are left out', () => {
  assert.deepEqual(parsed('note', { words: null }).action.action, { kind: 'NoteAction' });
});

test('an unknown tool is answered with the nearest name and all that exist', () => {
  const { action, error } = parsed('nota', { words: null, a: 1 });
  assert.equal(error, 'There is no tool "nota". Did you mean note? Available tools: note, look, own.');
  assert.deepEqual(
    [action.action, action.summary, action.tool_call.arguments],
    [undefined, undefined, '{"a": 1}'],
  );
  assert.equal(
    parsed('zzzzzzzzz', {}).error,
    'There is no tool "zzzzzzzzz". Available tools: note, look, own.',
  );
});

test('arguments that are not JSON are stored as a mark, which is read back with its error', () => {
  const { action, error } = parsed('note', '{"words": "cut');
  assert.equal(action.action, undefined);
  const mark = JSON.parse(action.tool_call.arguments);
  assert.equal(mark._openhands_malformed_tool_call, true);
  assert.match(mark.error, /^The arguments of note are not valid JSON: /);
  assert.equal(error, `${mark.error}. Send the complete call again.`);
  const again = parsed('note', action.tool_call.arguments);
  assert.deepEqual([again.action.tool_call, again.error], [action.tool_call, error]);
});

test('only the whole mark is taken for a malformed call', () => {
  for (const args of [
    { _openhands_malformed_tool_call: true },
    { _openhands_malformed_tool_call: 'true', error: 'e' },
    { _openhands_malformed_tool_call: true, error: 7 },
  ])
    assert.doesNotMatch(parsed('look', args).error ?? '', /Send the complete call again/);
});

test('thought and reasoning are stored with the first call only; all errors come behind the actions', () => {
  const drafts = draftsOf([callOf('nota', {}, 'a'), callOf('note', {}, 'b'), callOf('nota', {}, 'c')], {
    content: [text('hm'), { type: 'image', image_urls: [], cache_prompt: false }],
    reasoning_content: 'because',
    thinking_blocks: [{ type: 'thinking', thinking: 't', signature: 's' }] as never,
    responses_reasoning_item: { id: 'i' } as never,
  });
  assert.deepEqual(
    drafts.map((draft) => [draft.kind, 'tool_call_id' in draft && draft.tool_call_id]),
    [
      ['ActionEvent', 'a'],
      ['ActionEvent', 'b'],
      ['ActionEvent', 'c'],
      ['AgentErrorEvent', 'a'],
      ['AgentErrorEvent', 'c'],
    ],
  );
  const [first, second] = drafts;
  assert.ok(first?.kind === 'ActionEvent' && second?.kind === 'ActionEvent');
  assert.deepEqual(
    [first.thought, first.reasoning_content, first.thinking_blocks?.length, first.responses_reasoning_item],
    [[text('hm')], 'because', 1, { id: 'i' }],
  );
  assert.deepEqual([second.thought, second.thinking_blocks], [[], []]);
  for (const key of ['reasoning_content', 'responses_reasoning_item']) assert.equal(key in second, false);
  assert.deepEqual(draftsOf(undefined), []);
});
