/**
 * `FunctionTool` and other tools of Google's Agent Development Kit (`@google/adk` 2): `runAsync({args, toolContext})`. It is the public way
 * in: `execute` is private, and would bypass `requireConfirmation`.
 */
import { defined } from '../../../value/defined.ts';
import { isRecord } from '../../../value/is-record.ts';
import { type ForeignSchema, foreignSchema } from '../foreign-schema.ts';
import { type Foreign, type ForeignCall, type Format, isFunction, stringOf } from '../format.ts';

export const adkFormat: Format = {
  label: "a tool of Google's ADK: {name, description, runAsync}",
  gates: ['requireConfirmation'],
  matches: (tool) => isFunction(tool['runAsync']) && 'name' in tool,
  read: async (tool) => {
    const { runAsync, requireConfirmation: gate } = tool;
    return {
      name: stringOf(tool['name']),
      description: stringOf(tool['description']),
      schema: await schemaOf(tool),
      // It checks the arguments itself, so it gets them as the model wrote them.
      call: (_, call) =>
        isFunction(runAsync)
          ? runAsync.call(tool, { args: call.args, toolContext: toolContextOf(call) })
          : undefined,
      ...(gate === undefined || gate === false
        ? {}
        : {
            needsApproval: async (input, call) =>
              !isFunction(gate) || Boolean(await gate.call(tool, input, toolContextOf(call))),
          }),
    };
  },
};

/** What tools use of ADK's `Context`: a call that a person has approved counts as confirmed. */
function toolContextOf({ id, signal, isApproved }: ForeignCall): object {
  return {
    functionCallId: id,
    abortSignal: signal,
    actions: {},
    ...(isApproved ? { toolConfirmation: { hint: '', confirmed: true } } : {}),
    requestConfirmation: () => {
      throw new Error('the call needs the approval of a person: set the option needsApproval of its adapter');
    },
  };
}

/** Zod where the tool has it, else the declaration for Gemini, whose types are in capitals. */
async function schemaOf(tool: Foreign): Promise<ForeignSchema> {
  const { parameters, _getDeclaration: declare } = tool;
  if (isRecord(parameters) && ('_zod' in parameters || '_def' in parameters))
    return await foreignSchema(parameters);
  const declared = isFunction(declare) ? declare.call(tool) : undefined;
  if (!isRecord(declared))
    throw new Error('it declares no function: a tool that is built into Gemini cannot be executed here');
  return await foreignSchema(declared['parametersJsonSchema'] ?? fromGemini(declared['parameters']));
}

const COUNTS = ['maxItems', 'minItems', 'maxLength', 'minLength', 'maxProperties', 'minProperties'];

/** `Schema` of `@google/genai` as JSON Schema: it has types in capitals, counts as text, and `nullable`. */
function fromGemini(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  const { type, nullable, items, anyOf, properties, propertyOrdering: _, example: __, ...rest } = schema;
  const own = typeof type === 'string' ? type.toLowerCase() : undefined;
  const counts = COUNTS.flatMap((key) => (key in rest ? [[key, Number(rest[key])]] : []));
  const members = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, fromGemini(each)]))
    : undefined;
  return defined({
    ...rest,
    ...Object.fromEntries(counts),
    type: nullable === true && own !== undefined ? [own, 'null'] : own,
    items: fromGemini(items),
    anyOf: Array.isArray(anyOf) ? anyOf.map(fromGemini) : undefined,
    properties: members,
  });
}
