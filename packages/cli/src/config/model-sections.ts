/** Which other models a config file names, and for what: `[llms]`, `[model_routing]`, `fallback_llms`, `llm_config` of `[condenser]`. */
import type { RoutingRule } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import { isTable, optionalText, type Table } from './toml-values.ts';

/** Models by their names: of a profile, a group, or `provider/model`. */
export interface OtherModels {
  /** `[llm] fallback_llms`. */
  readonly fallbacks?: readonly string[] | undefined;
  /** `[llms]`, and `[condenser] llm_config`: by purpose. */
  readonly purposes?: { readonly [purpose: string]: string } | undefined;
  readonly routing?: readonly RoutingRule[] | undefined;
}

/** Throws UsageError. */
export function otherModels(
  table: Table,
  fallbacks: readonly string[] | undefined,
  shown: string,
): OtherModels | undefined {
  const section = (name: string): Table => {
    const content = table[name];
    return isTable(content) ? content : {};
  };
  const condenser = optionalText(section('condenser')['llm_config'], `${shown}: [condenser] llm_config`);
  const named = Object.entries(section('llms')).map(([purpose, name]) => [
    purpose,
    optionalText(name, `${shown}: [llms] ${purpose}`) ?? '',
  ]);
  const purposes = { ...defined({ condenser }), ...Object.fromEntries(named) };
  const others = defined({
    fallbacks,
    purposes: Object.keys(purposes).length === 0 ? undefined : purposes,
    routing: routingRules(section('model_routing'), shown),
  });
  return Object.keys(others).length === 0 ? undefined : others;
}

const ROUTING_KEYS = ['router_name', 'rules'];

/** Keys of `[model_routing]` without effect. */
export function ignoredRouting(section: unknown): string[] {
  if (!isTable(section)) return [];
  return Object.keys(section).flatMap((name) =>
    ROUTING_KEYS.includes(name) ? [] : [`[model_routing] ${name}`],
  );
}

/** V0's `multimodal_router`: the primary model for images, else `[llm.secondary_model]`. */
const MULTIMODAL: readonly RoutingRule[] = [{ hasImage: true, use: 'primary' }, { use: 'secondary_model' }];

function routingRules(section: Table, shown: string): readonly RoutingRule[] | undefined {
  const { router_name: router, rules } = section;
  if (rules !== undefined) return readRules(rules, `${shown}: [model_routing] rules`);
  if (router === undefined || router === 'noop_router') return undefined;
  if (router === 'multimodal_router') return MULTIMODAL;
  throw new UsageError(
    `${shown}: [model_routing] router_name is noop_router or multimodal_router; or give rules`,
  );
}

function readRules(rules: unknown, place: string): readonly RoutingRule[] {
  const wrong = `${place} must be a list of tables with use, and any of has_image, first_turn (true or false), min_prompt_tokens (a number)`;
  if (!Array.isArray(rules)) throw new UsageError(wrong);
  return rules.map((rule: unknown) => {
    if (!isTable(rule)) throw new UsageError(wrong);
    const {
      use,
      has_image: hasImage,
      first_turn: isFirstTurn,
      min_prompt_tokens: minPromptTokens,
      ...rest
    } = rule;
    if (
      typeof use !== 'string' ||
      !isOptional('boolean', hasImage) ||
      !isOptional('boolean', isFirstTurn) ||
      !isOptional('number', minPromptTokens) ||
      Object.keys(rest).length > 0
    )
      throw new UsageError(wrong);
    return { use, hasImage, isFirstTurn, minPromptTokens };
  });
}

function isOptional<T extends 'boolean' | 'number'>(
  type: T,
  value: unknown,
): value is (T extends 'boolean' ? boolean : number) | undefined {
  return value === undefined || typeof value === type;
}
