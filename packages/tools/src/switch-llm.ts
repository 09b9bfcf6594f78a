import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';
import { toolParams } from './tool-params.ts';

const input = z.object({
  profile_name: z.string().min(1).describe('The name of a stored model profile.'),
  reason: z.string().min(1).describe('Why another model is better for what comes next.'),
});

const params = {
  /** The names that the model is told of. */
  profiles: z.array(z.string().min(1)).optional(),
};

/** `switch_llm`: another model from the next turn on. */
export const switchLlmTool: ToolFactory = {
  name: 'switch_llm',
  create: (_, given) => {
    const { profiles } = toolParams('switch_llm', params, given);
    return [
      defineTool({
        name: 'switch_llm',
        kind: { tool: 'SwitchLLMTool', action: 'SwitchLLMAction', observation: 'SwitchLLMObservation' },
        description: `Has another model go on from the next turn, with all that was said so far.${
          profiles === undefined ? '' : ` There are: ${profiles.join(', ')}.`
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
          const said = text(`From the next turn on the model is ${model}.`);
          return { content: [said], is_error: false, profile_name, reason, active_model: model };
        },
      }),
    ];
  },
};
