import type { RoutingRule } from '../config/llm-config.ts';
import type { LLM, Prompt } from '../llm.ts';
import { BYTES_PER_TOKEN, promptBytes } from '../tokens/size.ts';
import { dearest } from './fallback.ts';

/** Chooses the model for a prompt: a name in `llms`; undefined for the first model. */
export type Route = (prompt: Prompt) => string | undefined;

/** The name of the first model in a rule. */
const PRIMARY = 'primary';

/** Asks one of several models; `route` chooses it for each prompt. `routeByRules` makes a route from a configuration's rules. */
export function withRouter(first: LLM, llms: { readonly [name: string]: LLM }, route: Route): LLM {
  const all = [first, ...Object.values(llms)];
  return {
    ...first,
    model: {
      ...first.model,
      name: `router(${all.map(({ model }) => model.name).join(',')})`,
      vision: all.some(({ model }) => model.vision),
    },
    pricing: async () => dearest(await Promise.all(all.map((llm) => llm.pricing?.() ?? null))),
    complete: async (prompt, options) => {
      const name = route(prompt);
      const chosen = name === undefined || name === PRIMARY ? first : llms[name];
      if (chosen === undefined)
        throw new Error(`the router chose "${name}", but there are only ${Object.keys(llms).join(', ')}`);
      return { model: chosen.model.name, ...(await chosen.complete(prompt, options)) };
    },
  };
}

/** A route by rules: the model of the first rule that matches the prompt, or else the first model. */
export function routeByRules(rules: readonly RoutingRule[]): Route {
  return (prompt) => rules.find((rule) => fits(rule, prompt))?.use;
}

function fits({ hasImage, isFirstTurn, minPromptTokens }: RoutingRule, prompt: Prompt): boolean {
  const { messages } = prompt;
  const shows = () => messages.some(({ content }) => content.some(({ type }) => type === 'image'));
  const isFirst = () => !messages.some(({ role }) => role === 'assistant');
  return (
    (hasImage === undefined || hasImage === shows()) &&
    (isFirstTurn === undefined || isFirstTurn === isFirst()) &&
    (minPromptTokens === undefined || promptBytes(prompt) / BYTES_PER_TOKEN >= minPromptTokens)
  );
}
