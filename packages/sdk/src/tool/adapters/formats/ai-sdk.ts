/** `tool()` and `dynamicTool()` of the AI SDK, versions 5 to 7: `inputSchema`, `execute`, and no name. */

import { text } from '../../../event/content.ts';
import { isRecord } from '../../../value/is-record.ts';
import type { ObservationBody } from '../../tool.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Foreign, type ForeignCall, type Format, isFunction } from '../format.ts';
import { contentOf, resultOf } from '../result-content.ts';
import { takesOutputAlone } from './to-model-output.ts';

export const aiSdkFormat: Format = {
  label: 'a tool of the AI SDK: {inputSchema, execute}, named by its key in the set',
  gates: ['needsApproval'],
  matches: (tool) => 'inputSchema' in tool && !('name' in tool) && !('handler' in tool),
  read: async (tool, { context }) => {
    const { execute, needsApproval, toModelOutput } = tool;
    if (!isFunction(execute)) {
      throw new Error(
        'it has no execute: a tool of the client or of the provider cannot be carried out here',
      );
    }
    const optionsOf = ({ id, signal }: ForeignCall) => ({
      toolCallId: id,
      messages: [],
      abortSignal: signal,
      context,
      experimental_context: context,
    });
    return {
      description: descriptionOf(tool, context),
      schema: await foreignSchema(tool['inputSchema']),
      call: (input, call) => execute.call(tool, input, optionsOf(call)),
      ...(isFunction(toModelOutput)
        ? {
            result: async (output: unknown, input: unknown, { id }: ForeignCall) =>
              modelOutput(
                await toModelOutput.call(
                  tool,
                  takesOutputAlone(toModelOutput) ? output : { toolCallId: id, input, output },
                ),
              ),
          }
        : {}),
      ...(needsApproval === undefined || needsApproval === false
        ? {}
        : {
            needsApproval: async (input: unknown, call: ForeignCall) =>
              !isFunction(needsApproval) || Boolean(await needsApproval.call(tool, input, optionsOf(call))),
          }),
    };
  },
};

function descriptionOf({ description, title }: Foreign, context: unknown): string {
  const told = isFunction(description) ? description({ context }) : description;
  return String(told ?? title ?? '');
}

/** `ToolResultOutput` of the AI SDK. */
export function modelOutput(output: unknown): ObservationBody {
  if (!isRecord(output)) return resultOf(output);
  const { type, value, reason } = output;
  switch (type) {
    case 'error-text':
    case 'error-json':
      return { content: contentOf(value), is_error: true };
    case 'execution-denied':
      return { content: [text(`The call was denied. ${String(reason ?? '')}`.trim())], is_error: true };
    case 'text':
    case 'json':
    case 'content':
      return { content: contentOf(value), is_error: false };
    default:
      return resultOf(output);
  }
}
