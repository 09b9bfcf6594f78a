import type { ToolFactory } from '@longhand/sdk';

/** The same tool under another name, as the model is told of it. */
export function renamed(factory: ToolFactory, name: string): ToolFactory {
  return {
    name,
    create: async (environment, params) =>
      (await factory.create(environment, params)).map((tool) => ({ ...tool, name })),
  };
}
