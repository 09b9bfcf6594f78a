/** Where to save trajectories and replay them from: V0's keys of `[core]`, and its variables. */

import { defined } from '@longhand/sdk/value';
import type { SectionValues } from './read-sections.ts';

export interface TrajectorySettings {
  /** `save_trajectory_path`: a file, or an existing folder. */
  readonly save?: string;
  /** `save_screenshots_in_trajectory`. */
  readonly screenshots?: boolean;
  /** `replay_trajectory_path`. */
  readonly replay?: string;
}

export function trajectorySettings(core: SectionValues['core']): TrajectorySettings {
  return defined({
    save: core.save_trajectory_path,
    replay: core.replay_trajectory_path,
    screenshots: core.save_screenshots_in_trajectory,
  });
}

/** V0's variables for trajectories. */
export function trajectoryVariables(env: {
  readonly [name: string]: string | undefined;
}): TrajectorySettings {
  const [save, replay, screenshots] = [
    'SAVE_TRAJECTORY_PATH',
    'REPLAY_TRAJECTORY_PATH',
    'SAVE_SCREENSHOTS_IN_TRAJECTORY',
  ].map((name) => env[name]?.trim() || undefined);
  return defined({
    save,
    replay,
    screenshots: screenshots === undefined ? undefined : /^(1|true)$/i.test(screenshots),
  });
}
