/** Where trajectories are saved to and replayed from: V0's keys of `[core]`, and its variables. */

import { defined } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import { isTable, optionalText } from './toml-values.ts';

export interface TrajectorySettings {
  /** `save_trajectory_path`: a file, or a folder that is there. */
  readonly save?: string;
  /** `save_screenshots_in_trajectory`. */
  readonly screenshots?: boolean;
  /** `replay_trajectory_path`. */
  readonly replay?: string;
}

export const TRAJECTORY_KEYS = [
  'save_trajectory_path',
  'save_screenshots_in_trajectory',
  'replay_trajectory_path',
];

/** Throws UsageError. */
export function trajectorySettings(core: unknown, place: string): TrajectorySettings | undefined {
  if (!isTable(core)) return undefined;
  const save = optionalText(core['save_trajectory_path'], `${place} save_trajectory_path`);
  const replay = optionalText(core['replay_trajectory_path'], `${place} replay_trajectory_path`);
  const { save_screenshots_in_trajectory: screenshots } = core;
  if (screenshots !== undefined && typeof screenshots !== 'boolean')
    throw new UsageError(`${place} save_screenshots_in_trajectory must be true or false`);
  if (save === undefined && replay === undefined && screenshots === undefined) return undefined;
  return defined({ save, replay, screenshots });
}

/** V0's variables. */
export function trajectoryVariables(env: {
  readonly [name: string]: string | undefined;
}): TrajectorySettings {
  const [save, replay, screenshots] = [
    'SAVE_TRAJECTORY_PATH',
    'REPLAY_TRAJECTORY_PATH',
    'SAVE_SCREENSHOTS_IN_TRAJECTORY',
  ].map((name) => env[name]?.trim() || undefined);
  return {
    ...defined({ save, replay }),
    ...(screenshots === undefined ? {} : { screenshots: /^(1|true)$/i.test(screenshots) }),
  };
}
