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
  question: z.string().min(1).describe('What to find out about it.'),
  profile_name: z.string().optional().describe('A stored profile of a model that sees.'),
});
type Input = z.output<typeof input>;

const PURPOSE = 'vision';

/** `inspect_image_with_vision`: a model that sees answers a question about an image, for one that does not. */
export const inspectImageTool: ToolFactory = defineTool({
  name: 'inspect_image_with_vision',
  kind: {
    tool: 'InspectImageWithVisionTool',
    action: 'InspectImageWithVisionAction',
    observation: 'InspectImageWithVisionObservation',
  },
  description:
    'Asks a model that sees about an image that the user sent. Ask for what you need to know: it sees the image and the question, and nothing else.',
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
        `${llm.model.name} does not see images. Name the profile of a model that does in profile_name.`,
      );
    const { message } = await llm.complete(
      {
        messages: [{ role: 'user', content: [text(question), { type: 'image', image_urls: [image] }] }],
        tools: [],
      },
      { signal },
    );
    const answer = textOf(message.content).trim();
    if (answer === '') throw new ToolError(`${llm.model.name} gave no answer. Ask in other words.`);
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
