import type { ToolFactory } from '@longhand/sdk';

/** The same tool under another name. Calls under a third name are not taken over: that is for the tool under its own name. */
export function renamed(factory: ToolFactory, name: string): ToolFactory {
  return {
    ...factory,
    name,
    create: async (environment, params) =>
      (await factory.create(environment, params)).map(({ adoptCall: _, ...tool }) => ({ ...tool, name })),
  };
}
