import type { ToolFactory } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';

/**
 * The same tool under another name. It is not essential, and takes over no calls under further names: both are for the tool under
 * its own name.
 */
export function renamed(factory: ToolFactory, name: string): ToolFactory {
  return {
    name,
    ...defined({ delegates: factory.delegates }),
    create: async (environment, params) =>
      (await factory.create(environment, params)).map(({ adoptCall: _, ...tool }) => ({ ...tool, name })),
  };
}
