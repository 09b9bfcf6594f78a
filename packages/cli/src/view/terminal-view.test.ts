import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Notice } from '@longhand/sdk';
import { plainView, type View } from './plain-view.ts';
import { PLAIN } from './style.ts';
import { TerminalView } from './terminal-view.ts';

const call = (id: string, command: string, thought = '') =>
  ({
    id,
    thought: thought === '' ? [] : [{ type: 'text', text: thought }],
    action: { command, kind: 'TerminalAction' },
    tool_name: 'terminal',
    tool_call_id: `call-${id}`,
    llm_response_id: 'r',
    kind: 'ActionEvent',
  }) as unknown as Event;
const result = (id: string, output: string) =>
  ({
    tool_call_id: `call-${id}`,
    observation: { content: [{ type: 'text', text: output }], exit_code: 0, kind: 'TerminalObservation' },
    kind: 'ObservationEvent',
  }) as unknown as Event;
const delta = (text: string): Notice => ({ type: 'delta', delta: { type: 'text', text } });
const toolInput: Notice = {
  type: 'delta',
  delta: { type: 'tool-input', toolCallId: 'c', toolName: 'terminal', text: '{"co' },
};
const start = (actionId: string): Notice => ({ type: 'tool-start', toolName: 'terminal', actionId });
const retry: Notice = {
  type: 'retry',
  retry: { attempt: 1, maxAttempts: 3, waitMs: 8000, error: new Error('overloaded') },
};

/** What stands there in the end; the spinner is too slow to show itself here. */
function shown(
  make: (out: { write(text: string): void }) => View,
  ...happenings: readonly (Event | Notice)[]
): string {
  let written = '';
  const view = make({
    write: (text) => {
      written += text;
    },
  });
  for (const each of happenings) {
    if ('type' in each) view.onNotice(each);
    else view.onEvent(each, 0);
  }
  view.close();
  return written;
}

const live = (out: { write(text: string): void }) =>
  new TerminalView(out, { style: PLAIN, maxLines: 20, figures: () => '', now: () => 0 });
const plain = (out: { write(text: string): void }) => plainView(out, { style: PLAIN, maxLines: 20 });

const TURN: readonly (Event | Notice)[] = [
  { type: 'model-start' },
  delta('\nTwo '),
  delta('calls.'),
  toolInput,
  { type: 'model-end' },
  call('a', 'ls', 'Two calls.'),
  call('b', 'pwd'),
  start('a'),
  result('a', 'x'),
  start('b'),
  result('b', '/'),
];

test('every call is shown above its result, live and in a pipe; streamed text is not repeated', () => {
  const expected = 'Two calls.\n\n$ ls\n  x\n\n$ pwd\n  /\n';
  assert.equal(shown(live, ...TURN), expected);
  assert.equal(shown(plain, ...TURN), expected);
});

test('a failed attempt stays visible, and the reply of the next one is shown in full', () => {
  const happenings = [
    { type: 'model-start' } as const,
    delta('Half a'),
    retry,
    delta('Whole.'),
    { type: 'model-end' } as const,
    call('a', 'ls', 'Whole.'),
    start('a'),
  ];
  assert.equal(
    shown(live, ...happenings),
    'Half a\nattempt 1 of 3 failed: overloaded; retrying in 8 s\n\nWhole.\n\n$ ls\n',
  );
});

test('streamed escape sequences do not reach the terminal', () => {
  assert.equal(
    shown(live, { type: 'model-start' }, delta('a\x1b]0;x\x07'), delta('b\x1b'), delta('[2Jc')),
    'ab␛[2Jc\n',
  );
});

test('calls that were never run are shown at the end', () => {
  assert.equal(shown(plain, call('a', 'rm -r /')), '$ rm -r /\n');
});

test('a running call shows its latest lines above the spinner; its result replaces them', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let written = '';
  const out = {
    columns: 20,
    rows: 24,
    write: (text: string) => {
      written += text;
    },
  };
  const view = live(out);
  const output = (text: string, actionId = 'a'): Notice => ({
    type: 'tool-output',
    toolName: 'terminal',
    actionId,
    text,
    omitted: 0,
  });
  /** What a tick draws. */
  const drawn = () => {
    written = '';
    t.mock.timers.tick(100);
    return written;
  };
  view.onEvent(call('a', 'make'));
  view.onNotice(start('a'));
  view.onNotice(output('one\x1b[2J\n10 %\r'));
  assert.equal(drawn(), '\r\x1b[2K\x1b[?7l  one\n  10 %\n⠋ running terminal\x1b[?7h');
  view.onNotice(output('20 %\r\n'));
  assert.equal(drawn(), '\r\x1b[2A\x1b[J\x1b[?7l  one\n  20 %\n⠙ running terminal\x1b[?7h');
  view.onNotice(output(Array.from({ length: 20 }, (_, i) => `line ${i} ${'x'.repeat(30)}\n`).join('')));
  const lines = drawn().split('\n');
  assert.deepEqual([lines.length, lines[7]], [9, '  line 19 xxxxxxxxxx']);
  view.onNotice(output('other', 'b'));
  assert.equal(drawn(), '\r\x1b[8A\x1b[J\x1b[?7l  other\n⠸ running terminal\x1b[?7h');
  view.onNotice(output('again'));
  written = '';
  view.onEvent({ ...result('a', 'done'), action_id: 'a' } as Event);
  assert.equal(written, '\r\x1b[1A\x1b[J  done\n');
  assert.equal(drawn(), '\r\x1b[2K⠼ running terminal');
  view.close();
});

test('while it waits to retry, the spinner shows for how long, and thinking only after that', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  let written = '';
  const out = {
    write: (text: string) => {
      written += text;
    },
  };
  const view = new TerminalView(out, { style: PLAIN, maxLines: 20, figures: () => '', now: () => now });
  const drawnAt = (ms: number) => {
    now = ms;
    written = '';
    t.mock.timers.tick(100);
    return written.slice('\r\x1b[2K⠋ '.length);
  };
  view.onNotice({ type: 'model-start' });
  assert.equal(drawnAt(500), 'thinking');
  view.onNotice(retry);
  assert.equal(drawnAt(600), 'retrying in 8 s');
  assert.equal(drawnAt(8_000), 'retrying in 1 s');
  assert.equal(drawnAt(8_500), 'thinking');
  assert.equal(drawnAt(10_500), 'thinking · 2 s');
  view.interrupting();
  assert.equal(drawnAt(10_600), 'interrupting');
  view.close();
});
