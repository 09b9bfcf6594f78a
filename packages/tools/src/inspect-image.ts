import { defineTool, ToolError, type ToolFactory, text, textOf } from '@longhand/sdk';
import type { ToolConversation } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import * as z from 'zod';

const input = z.object({
  image_index: z
    .number()
    .int()
    .min(0)
    .describe("Which image of the user's latest message with images; the first is 0."),
  question: z.string().min(1).describe('The question about the image.'),
  profile_name: z.string().optional().describe('A stored profile of a model that can see images.'),
});
type Input = z.output<typeof input>;

const PURPOSE = 'vision';

/** `inspect_image_with_vision`: lets a model with vision answer a question about an image, for a model without. */
export const inspectImageTool: ToolFactory = defineTool({
  name: 'inspect_image_with_vision',
  kind: {
    tool: 'InspectImageWithVisionTool',
    action: 'InspectImageWithVisionAction',
    observation: 'InspectImageWithVisionObservation',
  },
  description:
    'Asks a model with vision about an image that the user sent. It gets only the image and your question, so ask for everything that you need to know.',
  input: input as z.ZodType<Input>,
  annotations: {
    title: 'inspect_image_with_vision',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  resources: () => [],
  run: async ({ image_index, question, profile_name }: Input, { conversation, signal }) => {
    const image = imageAt(image_index, conversation);
    const usageId = profile_name === undefined ? PURPOSE : `vision-profile:${profile_name}`;
    const llm = await conversation.llm(usageId, profile_name);
    if (!llm.model.vision)
      throw new ToolError(
        `${llm.model.name} cannot see images. Pass the profile of a model that can in profile_name.`,
      );
    const { message } = await llm.complete(
      {
        messages: [{ role: 'user', content: [text(question), { type: 'image', image_urls: [image] }] }],
        tools: [],
      },
      { signal },
    );
    const answer = textOf(message.content).trim();
    if (answer === '') throw new ToolError(`${llm.model.name} gave no answer. Rephrase the question.`);
    return {
      content: [text(answer)],
      is_error: false,
      image_index,
      question,
      ...defined({ profile_name }),
      model: llm.model.name,
      answer,
    };
  },
});

function imageAt(index: number, { images }: ToolConversation): string {
  const all = images();
  const image = all[index];
  if (image !== undefined) return image;
  throw new ToolError(
    all.length === 0
      ? 'The user has sent no image.'
      : `image_index must be 0 to ${all.length - 1}: the message has ${all.length} image(s).`,
  );
}
