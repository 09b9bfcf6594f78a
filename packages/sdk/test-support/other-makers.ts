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

interface Checked extends Described {
  readonly name: string;
  readonly schema: { parse(args: unknown): unknown };
  /** The JSON Schema of `schema`, as its framework makes it. */
  readonly jsonSchema: object;
}

/** `betaZodTool` of `@anthropic-ai/sdk` 1.12. */
export function anthropicTool({ name, description, schema, jsonSchema, execute }: Checked): object {
  const parse = (args: unknown) => schema.parse(args);
  return { type: 'custom', name, input_schema: jsonSchema, description, run: execute, parse };
}

/** `tool` of `@llamaindex/core` 0.6: `call` fills in defaults, and passes on what does not fit its schema. */
export class LlamaIndexTool {
  readonly #options: Checked;
  readonly call = (input: unknown) => {
    const { schema, execute } = this.#options;
    return execute(schema.parse(input) as never, undefined as never);
  };
  readonly bind = () => this;

  constructor(options: Checked) {
    this.#options = options;
  }

  get metadata(): object {
    const { name, description, jsonSchema } = this.#options;
    return { name, description, parameters: jsonSchema };
  }
}

/** `tool` of `@strands-agents/sdk` 1.16. */
export class StrandsTool {
  readonly _callback: Described['execute'];
  readonly _inputSchema: Checked['schema'];
  readonly #spec: object;

  constructor({ name, description, schema, jsonSchema, execute }: Checked) {
    this._callback = execute;
    this._inputSchema = schema;
    this.#spec = { name, description, inputSchema: jsonSchema };
  }

  get toolSpec(): object {
    return this.#spec;
  }

  async invoke(input: unknown, context: unknown): Promise<unknown> {
    return await this._callback(this._inputSchema.parse(input) as never, context as never);
  }
}

/** `defineTool` of `genkit` 1.42. */
export function genkitTool({ name, description, schema, execute }: Checked): object {
  const action = { key: `/tool/${name}`, name, description, inputSchema: schema, actionType: 'tool' };
  const call = async (input: unknown, options: unknown) => await execute(input as never, options as never);
  const more = { run: async () => undefined, respond: () => undefined, restart: () => undefined };
  return Object.assign(call, { __action: { ...action, inputJsonSchema: undefined }, ...more });
}

/** `createAIFunction` of `@agentic/core` 8.4: called as a function it takes the whole message of the model. */
export function agenticFunction({ name, description, schema, jsonSchema, execute }: Checked): object {
  const call = () => {
    throw new Error('Missing required function_call.arguments');
  };
  const spec = { name, description, parameters: jsonSchema, type: 'function', strict: true };
  return Object.assign(call, {
    inputSchema: schema,
    parseInput: schema.parse,
    execute,
    tags: undefined,
    spec,
  });
}
