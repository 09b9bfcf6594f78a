import type { AgentContext } from '@longhand/sdk';
import { isModelKey, isSecretName } from '@longhand/sdk/internal';
import { type Place, sandboxVariables } from '../config/v0-sections.ts';

/**
 * The names, never the values, of the variables that the prompt lists: those that the user sets for the agent's programs, and secrets in
 * the environment. Keys of models are listed only if the user sets them for the programs.
 */
export function toldVariables(
  env: { readonly [name: string]: string | undefined },
  place: Place,
): Pick<AgentContext, 'variables' | 'secrets'> {
  const set = Object.keys({ ...place.env, ...sandboxVariables(env) });
  const inherited = Object.keys(env).filter(
    (name) => isSecretName(name) && !isModelKey(name) && !OURS.test(name) && env[name]?.trim() !== '',
  );
  const secrets = [...new Set([...set.filter(isSecretName), ...inherited])].toSorted();
  const variables = set.filter((name) => !isSecretName(name)).toSorted();
  return {
    ...(variables.length === 0 ? {} : { variables }),
    ...(secrets.length === 0 ? {} : { secrets }),
  };
}

/** For this program, not for the agent's. */
const OURS = /^(LONGHAND|LLM|SANDBOX_ENV|OPENHANDS|OH)_/;
