/** `tool()` of Strands Agents (`@strands-agents/sdk` 1): `toolSpec` and `invoke(input, context)`. */
import { isRecord } from '../../../value/is-record.ts';
import { filledSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';

export const strandsFormat: Format = {
  label: 'a tool of Strands: {toolSpec: {name, description, inputSchema}, invoke}',
  matches: ({ toolSpec, invoke }) => isRecord(toolSpec) && isFunction(invoke),
  read: async (tool) => {
    const { toolSpec, invoke } = tool;
    const { name, description, inputSchema } = isRecord(toolSpec) ? toolSpec : {};
    return {
      name: stringOf(name),
      description: stringOf(description),
      schema: await filledSchema(inputSchema),
      // It checks and converts the arguments itself.
      call: (_, { id: toolUseId, args, signal }) => {
        const toolUse = { name: stringOf(name), toolUseId, input: args };
        const context = { toolUse, cancelSignal: signal, interrupt: refuseInterrupt };
        return isFunction(invoke) ? invoke.call(tool, args, context) : undefined;
      },
    };
  },
};

function refuseInterrupt(): never {
  throw new Error(
    'the tool interrupts to ask a person, which is not possible here: set the option needsApproval of its adapter',
  );
}
