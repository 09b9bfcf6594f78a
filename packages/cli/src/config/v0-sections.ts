/** `[sandbox]` and what of `[core]` says where the work is done: OpenHands V0's keys, as they fit here. */
import { resolve } from 'node:path';
import { defined } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import type { SectionValues } from './read-sections.ts';

/** Where a new conversation works, if the command line does not say. */
export interface Place {
  /** As it stands in the file. */
  readonly directory?: string;
  readonly repo?: string;
  /** Variables for what the agent starts. */
  readonly env?: { readonly [name: string]: string };
}

/** `place` is where `volumes` stands, for messages. Throws UsageError. */
export function placeIn(
  core: SectionValues['core'],
  { volumes, selected_repo: repo, runtime_startup_env_vars: env }: SectionValues['sandbox'],
  place: string,
): Place {
  const mounted = volumes === undefined ? undefined : mountedWorkspace(volumes, place);
  return defined({ directory: mounted ?? core.workspace_base, repo, env });
}

/** `SANDBOX_ENV_X` is `X` for what the agent starts. */
export function sandboxVariables(env: { readonly [name: string]: string | undefined }): {
  readonly [name: string]: string;
} {
  const found = Object.entries(env).flatMap(([name, value]) => {
    const [, own] = /^SANDBOX_ENV_(.+)$/.exec(name) ?? [];
    return own === undefined || value === undefined ? [] : [[own, value]];
  });
  return Object.fromEntries(found);
}

/** The folder of this machine that V0 has as its workspace: `HOST:/workspace[:MODE]` among others, with commas between them. */
function mountedWorkspace(volumes: string, place: string): string | undefined {
  for (const volume of volumes.split(',')) {
    const [host = '', inside, mode, ...more] = volume.trim().split(':');
    if (host === '' || inside === undefined || more.length > 0)
      throw new UsageError(`${place}: "${volume.trim()}" is not HOST:CONTAINER or HOST:CONTAINER:MODE`);
    if (resolve('/', inside) !== '/workspace') continue;
    if (mode?.split(',').includes('ro'))
      throw new UsageError(
        `${place}: the workspace is to be read only, which this command cannot keep to yet`,
      );
    return host;
  }
  return undefined;
}
