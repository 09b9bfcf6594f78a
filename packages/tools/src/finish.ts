import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({
  message: z.string().describe('What was done, what was checked, and what is left.'),
});

/** `finish`: ends the run. */
export const finishTool: ToolFactory = defineTool({
  name: 'finish',
  kind: { tool: 'FinishTool', action: 'FinishAction', observation: 'FinishObservation' },
  description:
    'Ends the work and gives the user its result. Call it when the task is done and checked, or when nothing more can be done; then say what stands in the way. Calls behind it in the same turn are not carried out.',
  input,
  annotations: {
    title: 'finish',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  endsRun: true,
  isEssential: true,
  resources: () => [],
  run: async ({ message }: z.output<typeof input>) => ({ content: [text(message)], is_error: false }),
});
