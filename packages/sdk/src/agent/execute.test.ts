import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from '../../test-support/history-notation.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { type Tool, type ToolContext, ToolError } from '../tool/tool.ts';
import { type ExecuteDeps, execute } from './execute.ts';
import { TimeIsUpError } from './results.ts';

const [call] = historyOf('a1') as [ActionEvent];
const ANSWER = { content: [{ type: 'text', text: 'done' }] };

/** The result of a call of a tool that does this. */
async function resultOf(
  run: (input: object, context: ToolContext) => unknown,
  more: Partial<ExecuteDeps> = {},
  event = call,
) {
  const tool = {
    name: 'terminal',
    kind: { action: 'TerminalAction', observation: 'TerminalObservation' },
    run: async (input: object, context: ToolContext) => run(input, context),
  } as unknown as Tool;
  const started: string[] = [];
  const result = await execute(event, {
    tools: { get: (name: string) => (name === 'terminal' ? tool : undefined) },
    signal: new AbortController().signal,
    isApproved: () => false,
    onStart: ({ id }: ActionEvent) => started.push(id),
    onProgress: () => undefined,
    ...more,
  } as unknown as ExecuteDeps);
  return { result, started };
}

const errorOf = async (...args: Parameters<typeof resultOf>) => {
  const { result } = await resultOf(...args);
  assert.ok(result.kind === 'AgentErrorEvent');
  return [result.error, result.classification?.kind];
};

test("a tool's answer becomes the observation of its kind, for the call that asked", async () => {
  const { result, started } = await resultOf(() => ANSWER);
  assert.deepEqual(result, {
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: 'call-1',
    observation: { ...ANSWER, kind: 'TerminalObservation' },
    action_id: 'a1',
    extended_content: [],
    kind: 'ObservationEvent',
  });
  assert.deepEqual(started, ['a1']);
});

test('a tool is given the fields of the action, in a copy that it may change', async () => {
  await resultOf((input) => {
    assert.deepEqual(input, { command: 'true' });
    (input as { command: string }).command = 'changed';
    return ANSWER;
  });
  assert.equal(call.action?.['command'], 'true');
});

test('a call that is not valid, or of no tool, is not started', async () => {
  const { action: _, ...notValid } = call;
  for (const event of [notValid, { ...call, tool_name: 'other' }]) {
    const { result, started } = await resultOf(() => assert.fail(), {}, event);
    assert.deepEqual([result.kind, started], ['AgentErrorEvent', []]);
    assert.match('error' in result ? String(result.error) : '', /not valid|no tool "other"/);
  }
});

test('a ToolError is reported as it is; any other error is reported with its name', async () => {
  const failing = (error: unknown) =>
    errorOf(() => {
      throw error;
    });
  assert.deepEqual(await failing(new ToolError('there is no such file')), [
    'there is no such file',
    'agent_action',
  ]);
  assert.deepEqual(await failing(new RangeError('too much')), ['RangeError: too much', 'internal']);
  assert.deepEqual(await failing('just words'), ['just words', 'internal']);
});

test('an answer of another shape is an error of the tool', async () => {
  const part = { type: 'sound' };
  const circle: { self?: object } = {};
  circle.self = circle;
  for (const [answer, fault] of [
    [undefined, /the tool terminal returned an invalid answer: a text, a list/],
    [{ content: 'text' }, /the tool terminal returned an invalid answer: a text, a list/],
    [{ ...ANSWER, is_error: 'yes' }, /the tool terminal returned an invalid answer: a text, a list/],
    [{ content: [part] }, /its content is not a list of texts and images/],
    [{ ...ANSWER, circle }, /circle\.self contains itself/],
  ] as const) {
    const [error, kind] = await errorOf(() => answer);
    assert.match(String(error), fault);
    assert.equal(kind, 'internal');
  }
});

test('an interrupted call is told why', async () => {
  const cutBy = (reason: unknown) =>
    errorOf(() => assert.fail('it was not to be started'), { signal: AbortSignal.abort(reason) });
  assert.match(String((await cutBy(new Error('enough')))[0]), /^The user interrupted this call/);
  assert.match(String((await cutBy(new TimeIsUpError()))[0]), /^The time limit of the run was reached/);
});

test('a tool that does not return after an interrupt is abandoned', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const abort = new AbortController();
  const result = errorOf(
    () => {
      setImmediate(() => {
        abort.abort();
        t.mock.timers.tick(5_000);
      });
      return new Promise(() => undefined);
    },
    { signal: abort.signal },
  );
  assert.match(String((await result)[0]), /^The user interrupted this call/);
});

test('an interrupted tool that is abandoned is not waited for', async () => {
  const [interrupt, abandon] = [new AbortController(), new AbortController()];
  const [error] = await errorOf(
    () => {
      setImmediate(() => interrupt.abort());
      setImmediate(() => abandon.abort());
      return new Promise(() => undefined);
    },
    { signal: interrupt.signal, abandoned: abandon.signal },
  );
  assert.match(String(error), /^The user interrupted this call/);
});

test('a tool that returns in time after an interrupt has its result', async () => {
  const abort = new AbortController();
  const { result } = await resultOf(
    () => {
      abort.abort();
      return ANSWER;
    },
    { signal: abort.signal },
  );
  assert.equal(result.kind, 'ObservationEvent');
});

test('what a call prints is passed on before its result, with secrets masked, and never after it', async () => {
  const printed: unknown[] = [];
  let printLate: ToolContext['onOutput'] = () => undefined;
  await resultOf(
    (_, { onOutput }) => {
      onOutput('my-password\r\n');
      printLate = onOutput;
      return ANSWER;
    },
    { onOutput: ({ id }, piece) => printed.push([id, piece]), secrets: ['my-password'] },
  );
  printLate('late');
  assert.deepEqual(printed, [['a1', { text: '<secret-hidden>\n', omitted: 0 }]]);
});
