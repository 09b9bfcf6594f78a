import type { EventLog, Outcome } from '@longhand/sdk';
import { TEST_COMMAND } from './script.ts';

/** A script says that the tests pass whatever happened; the log knows whether they did. */
export function verdict(outcome: Outcome, log: Pick<EventLog, 'read'>): Outcome {
  if (outcome.kind !== 'finished') return outcome;
  let last: unknown;
  for (const [, event] of log.read()) {
    if (event.kind !== 'ObservationEvent' || event.observation.kind !== 'TerminalObservation') continue;
    if (String(event.observation['command']).includes(TEST_COMMAND)) last = event.observation['exit_code'];
  }
  if (last === 0) return outcome;
  return {
    kind: 'error',
    code: 'DemoFailed',
    detail: `the script ended, but its last test run failed here (exit code ${String(last)})`,
    remedy: 'See the output above, or longhand show for all of it.',
  };
}
