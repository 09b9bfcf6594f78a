import type { Observation, ResultEvent } from '../event/kinds.ts';

/** Whether a call failed: an error of the agent, a refusal, a result that is an error, or an exit code above 0. */
export function isFailure(result: ResultEvent): boolean {
  if (result.kind !== 'ObservationEvent') return true;
  const { is_error: isError, exit_code: code } = result.observation;
  return isError === true || (typeof code === 'number' && code > 0);
}

/** Whether a command was still running when its result was stored: it has no exit code yet, and was not refused. */
export function isStillRunning({ exit_code: code, is_error: isError }: Observation): boolean {
  return code === -1 && isError !== true;
}
