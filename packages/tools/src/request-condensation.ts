import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

/** `request_condensation`: the agent asks for room in its window. Nothing is lost on disk. */
export const requestCondensationTool: ToolFactory = defineTool({
  name: 'request_condensation',
  kind: {
    tool: 'RequestCondensationTool',
    action: 'RequestCondensationAction',
    observation: 'RequestCondensationObservation',
  },
  description:
    'Has what was said and done so far condensed into a summary. Use it when much of it does not matter any more and there is still much to do.',
  input: z.object({}),
  annotations: {
    title: 'request_condensation',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  resources: () => [],
  run: async (_, { requestCondensation }) => {
    requestCondensation();
    return { content: [text('The history will be condensed before your next turn.')], is_error: false };
  },
});
