/** `createTool()` of Mastra, version 1: `id` instead of a name, and `execute(input, context)`. */

import { text } from '../../../event/content.ts';
import { defined } from '../../../value/defined.ts';
import { isRecord } from '../../../value/is-record.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';
import { resultOf } from '../result-content.ts';
import { modelOutput } from './ai-sdk.ts';

export const mastraFormat: Format = {
  label: 'a tool of Mastra: {id, inputSchema, execute}',
  gates: ['requireApproval', 'needsApprovalFn'],
  matches: (tool) =>
    Symbol.for('mastra.core.tool.Tool') in tool ||
    (typeof tool['id'] === 'string' && isFunction(tool['execute']) && !('name' in tool) && !('type' in tool)),
  read: async (tool, { context }) => {
    const { id, title, description, inputSchema, execute, toModelOutput } = tool;
    if (!isFunction(execute))
      throw new Error('it has no execute: a tool of the client cannot be executed here');
    const gates = [tool['requireApproval'], tool['needsApprovalFn']];
    const shared = defined({ requestContext: context });
    return {
      name: stringOf(id),
      description: stringOf(description),
      schema: await foreignSchema(inputSchema),
      ...(typeof title === 'string' ? { annotations: { title } } : {}),
      call: (input, { id: toolCallId, signal }) =>
        execute.call(tool, input, { toolCallId, abortSignal: signal, ...shared }),
      result: async (output) => {
        if (isInvalid(output)) return { content: [text(stringOf(output['message']))], is_error: true };
        return isFunction(toModelOutput)
          ? modelOutput(await toModelOutput.call(tool, output))
          : resultOf(output);
      },
      ...(gates.some((gate) => gate !== undefined && gate !== false)
        ? {
            needsApproval: async (input) => {
              const asked = gates.map((gate) => (isFunction(gate) ? gate.call(tool, input, shared) : gate));
              return (await Promise.all(asked)).some(Boolean);
            },
          }
        : {}),
    };
  },
};

/** What `execute` returns, rather than throws, when it refuses the input or the context. */
function isInvalid(output: unknown): output is { readonly [key: string]: unknown } {
  return isRecord(output) && output['error'] === true && 'validationErrors' in output;
}
