import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({ thought: z.string().describe('What to think over.') });

/** `think`: a place for thoughts. They are logged; nothing happens. */
export const thinkTool: ToolFactory = defineTool({
  name: 'think',
  kind: { tool: 'ThinkTool', action: 'ThinkAction', observation: 'ThinkObservation' },
  description:
    'Writes a thought down, and does nothing else. Use it to weigh several ways of mending something, to work out why a test fails, or to plan a larger change before making it.',
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
