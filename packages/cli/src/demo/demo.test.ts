import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Outcome } from '@longhand/sdk';
import { DEMO_FILES } from './repository.ts';
import { demoScript, TEST_COMMAND } from './script.ts';
import { verdict } from './verdict.ts';

const FINISHED: Outcome = { kind: 'finished', message: 'all tests pass' };

function logOf(...runs: readonly [command: string, exitCode: number][]) {
  const events = runs.map(([command, exit_code]) => ({
    kind: 'ObservationEvent',
    observation: { kind: 'TerminalObservation', command, exit_code, content: [] },
  }));
  return { read: () => events.map((event, i) => [i, event as unknown as Event] as const) };
}

test('the demo is believed only if its last test run passed', () => {
  assert.deepEqual(
    verdict(FINISHED, logOf([TEST_COMMAND, 1], [`git status && ${TEST_COMMAND}`, 0], ['false', 1])),
    FINISHED,
  );
  assert.equal(verdict(FINISHED, logOf([TEST_COMMAND, 1], [TEST_COMMAND, 127])).kind, 'error');
  assert.equal(verdict(FINISHED, logOf()).kind, 'error');
});

test('every edit of the script fits the repository, with absolute paths', () => {
  const files = new Map(Object.entries(DEMO_FILES).map(([path, content]) => [`/r/${path}`, content]));
  const calls = demoScript('/r', true).turns.flatMap((turn) => turn.tool_calls ?? []);
  const edits = calls
    .filter(({ name }) => name === 'file_editor')
    .map((call) => call.arguments as { command: string; path: string; old_str?: string });
  const fits = edits.map(({ command, path, old_str }) => {
    const content = files.get(path);
    return command === 'create' ? content === undefined : content?.split(old_str ?? content).length === 2;
  });
  assert.deepEqual(fits, [true, true, true, true]);
});
