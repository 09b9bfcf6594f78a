/**
 * Function tools of `@openai/agents` (`type: 'function'`, `invoke`), and tools in the shape of the Python version (`on_invoke_tool`,
 * `params_json_schema`). They are called with a context and the arguments as JSON text; an `on_invoke_tool` with
 * one parameter is called with the arguments themselves.
 */
import { text } from '../../../event/content.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Foreign, type ForeignCall, type Format, isFunction, stringOf } from '../format.ts';
import { resultOf } from '../result-content.ts';
import { signatureOf } from './signature.ts';

export const openAiAgentsFormat: Format = {
  label:
    'a function tool of @openai/agents: {type: "function", name, parameters, invoke}, or {name, params_json_schema, on_invoke_tool}',
  gates: ['needsApproval', 'needs_approval', 'inputGuardrails', 'outputGuardrails'],
  matches: (tool) => invokeOf(tool) !== undefined && !('lc_namespace' in tool),
  read: async (tool, { context, signature }) => {
    refuseGuardrails(tool);
    const invoke = invokeOf(tool);
    const takes = signature ?? (isOfOne(invoke) ? 'params' : 'context-and-json');
    const { isEnabled } = tool;
    const gate = tool['needsApproval'] ?? tool['needs_approval'];
    return {
      name: stringOf(tool['name']),
      description: stringOf(tool['description']),
      schema: await foreignSchema(
        tool['parameters'] ?? tool['params_json_schema'] ?? tool['paramsJsonSchema'],
      ),
      call: (input, { id, args, signal }) => {
        if (takes === 'params') return invoke?.call(tool, input, { toolCallId: id, signal });
        const json = JSON.stringify(args);
        const name = stringOf(tool['name']);
        const toolCall = { type: 'function_call', callId: id, name, arguments: json, status: 'completed' };
        return invoke?.call(tool, context, json, { toolCall, signal });
      },
      result: (value) =>
        value === SWALLOWED ? { content: [text(HIDDEN)], is_error: true } : resultOf(value),
      ...(gate === undefined || gate === false
        ? {}
        : {
            needsApproval: async (input: unknown, { id }: ForeignCall) =>
              !isFunction(gate) || Boolean(await gate.call(tool, context, input, id)),
          }),
      ...(isFunction(isEnabled)
        ? { isEnabled: async () => (await isEnabled.call(tool, context, undefined)) !== false }
        : isEnabled === false
          ? { isEnabled: () => false }
          : {}),
    };
  },
};

/** `length` does not count a parameter with a default. */
function isOfOne(invoke: ReturnType<typeof invokeOf>): boolean {
  return invoke?.length === 1 && signatureOf(invoke) === 'params';
}

function invokeOf(tool: Foreign) {
  const { type, invoke, on_invoke_tool, onInvokeTool } = tool;
  return [type === 'function' ? invoke : undefined, on_invoke_tool, onInvokeTool].find(isFunction);
}

/** The package returns this for every failure, unless the tool was made with its own `errorFunction`. */
const SWALLOWED = 'An error occurred while running the tool. Please try again.';
const HIDDEN =
  'The tool failed and does not say why: it was made without "errorFunction: null", so its package hides the error.';

/** Guardrails are enforced by the package's own runner, which is not used here. */
function refuseGuardrails({ inputGuardrails, outputGuardrails }: Foreign): void {
  const guardrails = [inputGuardrails, outputGuardrails].flatMap((each) => (Array.isArray(each) ? each : []));
  if (guardrails.length > 0) {
    throw new Error(
      'it has guardrails, which only the runner of @openai/agents keeps: check inside of its execute',
    );
  }
}
