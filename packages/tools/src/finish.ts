import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({
  message: z.string().describe('What was done, what was checked, and what remains.'),
});

/** `finish`: ends the run. */
export const finishTool: ToolFactory = defineTool({
  name: 'finish',
  kind: { tool: 'FinishTool', action: 'FinishAction', observation: 'FinishObservation' },
  description:
    'Ends the run and gives the user the result. Call it when the task is done and checked, or when you cannot continue; then say what blocks you. Calls after it in the same turn are not executed.',
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
