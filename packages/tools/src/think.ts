import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({ thought: z.string().describe('The thought.') });

/** `think`: logs a thought; nothing else happens. */
export const thinkTool: ToolFactory = defineTool({
  name: 'think',
  kind: { tool: 'ThinkTool', action: 'ThinkAction', observation: 'ThinkObservation' },
  description:
    'Records a thought and does nothing else. Use it to compare several fixes, to work out why a test fails, or to plan a larger change before making it.',
  input,
  annotations: {
    title: 'think',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  isEssential: true,
  resources: () => [],
  run: async () => ({ content: [text('Noted.')], is_error: false }),
});
