import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';
import { toolParams } from './tool-params.ts';

const input = z.object({
  profile_name: z.string().min(1).describe('The name of a stored model profile.'),
  reason: z.string().min(1).describe('Why another model is better for the next steps.'),
});

const params = {
  /** The names that the model may choose from. */
  profiles: z.array(z.string().min(1)).optional(),
};

/** `switch_llm`: switches to another model from the next turn on. */
export const switchLlmTool: ToolFactory = {
  name: 'switch_llm',
  create: (_, given) => {
    const { profiles } = toolParams('switch_llm', params, given);
    return [
      defineTool({
        name: 'switch_llm',
        kind: { tool: 'SwitchLLMTool', action: 'SwitchLLMAction', observation: 'SwitchLLMObservation' },
        description: `Switches to another model from the next turn on; it keeps the conversation.${
          profiles === undefined ? '' : ` Available: ${profiles.join(', ')}.`
        }`,
        input,
        annotations: {
          title: 'switch_llm',
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        run: async ({ profile_name, reason }: z.output<typeof input>, { conversation }) => {
          const model = await conversation.useModel(profile_name);
          const said = text(`The model is ${model} from the next turn on.`);
          return { content: [said], is_error: false, profile_name, reason, active_model: model };
        },
      }),
    ];
  },
};
