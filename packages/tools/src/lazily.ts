import type { ToolFactory } from '@longhand/sdk';

/** A tool whose code is loaded when an agent names it: most agents do not use it, and start-up should not pay for it. */
export function lazily(
  name: string,
  load: () => Promise<ToolFactory>,
  traits: Pick<ToolFactory, 'delegates' | 'isEssential'> = {},
): ToolFactory {
  return {
    ...traits,
    name,
    create: async (environment, params) => await (await load()).create(environment, params),
  };
}
