/** Models by name: a profile, a group of the config file, or the model's own name. */
import type { LlmConfig } from '@longhand/sdk';
import { listProfiles, loadProfile, mergeLlm, type Routing } from '@longhand/sdk/internal';
import { nearest } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import type { Layer } from './config-file.ts';
import { LOCAL_FILE, refuseForeignAddress } from './foreign-address.ts';
import { profileDirectories } from './home.ts';

/** Throws UsageError with the nearest name. */
export function namedLlm(name: string, base: Partial<LlmConfig>, layers: readonly Layer[]): LlmConfig {
  const known = profile(name) ?? group(name, base, layers);
  if (known !== undefined) return known;
  if (name.includes('/')) return { model: name };
  const names = [
    ...profileDirectories().flatMap(listProfiles),
    ...layers.flatMap(({ groups = {} }) => Object.keys(groups)),
  ];
  const near = nearest(name, names);
  const hint =
    near === undefined ? `create it with longhand profile save ${name} --model ...` : `did you mean ${near}?`;
  throw new UsageError(`there is no profile "${name}"; ${hint}`);
}

function profile(name: string): LlmConfig | undefined {
  try {
    for (const directory of profileDirectories()) {
      const found = loadProfile(directory, name);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined; // not a valid profile name; it may name something else
    throw new UsageError((error as Error).message);
  }
}

/** A group contains what differs from `[llm]`. */
function group(name: string, base: Partial<LlmConfig>, layers: readonly Layer[]): LlmConfig | undefined {
  const layer = layers.find(({ groups = {} }) => Object.hasOwn(groups, name));
  const own = layer?.groups?.[name];
  if (own === undefined) return undefined;
  const { baseUrl, apiKey } = own.endpoint ?? {};
  if (layer?.name === LOCAL_FILE && baseUrl !== undefined && apiKey === undefined)
    refuseForeignAddress(baseUrl);
  const model = own.model ?? base.model;
  if (model === undefined) throw new UsageError(`[llm.${name}] names no model, and neither does [llm]`);
  return { ...mergeLlm(own, base), model };
}

export interface OtherLlms {
  /** To be added to the agent's own model. */
  readonly own: Pick<LlmConfig, 'fallbacks' | 'routing'>;
  readonly purposes: { readonly [purpose: string]: LlmConfig };
}

export function otherLlms(base: Partial<LlmConfig>, layers: readonly Layer[]): OtherLlms {
  const find = (name: string) => namedLlm(name, base, layers);
  const others = layers.flatMap((layer) => layer.others ?? []);
  const fallbacks = others.find((each) => each.fallbacks !== undefined)?.fallbacks;
  const rules = others.find((each) => each.routing !== undefined)?.routing;
  const purposes = Object.assign({}, ...others.map((each) => each.purposes ?? {}).reverse()) as {
    [purpose: string]: string;
  };
  return {
    own: {
      fallbacks: fallbacks?.map(find),
      routing: rules && routing(rules, find),
    },
    purposes: Object.fromEntries(Object.entries(purposes).map(([purpose, name]) => [purpose, find(name)])),
  };
}

function routing(rules: Routing['rules'], find: (name: string) => LlmConfig): Routing {
  const names = new Set(rules.map(({ use }) => use).filter((name) => name !== 'primary'));
  return { rules, llms: Object.fromEntries([...names].map((name) => [name, find(name)])) };
}
