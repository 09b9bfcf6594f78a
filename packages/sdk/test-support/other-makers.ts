/**
 * Tools in the shape that other frameworks give them, for frameworks that are too large to be installed for tests. Each was compared with
 * the package that it names; scripts/other-makers.ts compares them again.
 */

type Call = (...args: readonly never[]) => unknown;

interface Described {
  readonly description: string;
  readonly execute: (input: never, context: never) => unknown;
}

/** `createTool` of `@mastra/core` 1.71. */
export function mastraTool(
  options: Described & { readonly id: string; readonly [more: string]: unknown },
): object {
  const absent = { outputSchema: undefined, suspendSchema: undefined, needsApprovalFn: undefined };
  return { ...absent, requireApproval: undefined, ...options, [Symbol.for('mastra.core.tool.Tool')]: true };
}

interface AdkContext {
  readonly toolConfirmation?: { readonly confirmed: boolean };
  readonly actions: { skipSummarization?: boolean };
  requestConfirmation(about: { readonly hint: string }): void;
}

interface AdkOptions extends Described {
  readonly name: string;
  readonly parameters: { parse(args: unknown): unknown };
  readonly requireConfirmation?: boolean | Call;
}

/** `FunctionTool` of `@google/adk` 2.0: `runAsync` checks the arguments and the confirmation, and then calls the private `execute`. */
export class AdkFunctionTool {
  readonly name: string;
  readonly description: string;
  readonly isLongRunning = false;
  readonly execute: Described['execute'];
  readonly parameters: AdkOptions['parameters'];
  readonly requireConfirmation: boolean | Call;

  constructor({ name, description, execute, parameters, requireConfirmation = false }: AdkOptions) {
    this.name = name;
    this.description = description;
    this.execute = execute;
    this.parameters = parameters;
    this.requireConfirmation = requireConfirmation;
  }

  async runAsync({ args, toolContext }: { readonly args: unknown; readonly toolContext: AdkContext }) {
    const input = this.parameters.parse(args);
    const { requireConfirmation: gate } = this;
    const isGated = typeof gate === 'function' ? await gate(input as never, toolContext as never) : gate;
    if (isGated === true && toolContext.toolConfirmation === undefined) {
      toolContext.requestConfirmation({ hint: 'approve or reject' });
      toolContext.actions.skipSummarization = true;
      return { error: 'This call requires confirmation.' };
    }
    return await this.execute(input as never, toolContext as never);
  }

  async checkRequireConfirmation(): Promise<boolean> {
    return this.requireConfirmation !== false;
  }
}
