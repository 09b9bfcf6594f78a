import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

/** `request_condensation`: the agent asks for space in its context window. Nothing is lost on disk. */
export const requestCondensationTool: ToolFactory = defineTool({
  name: 'request_condensation',
  kind: {
    tool: 'RequestCondensationTool',
    action: 'RequestCondensationAction',
    observation: 'RequestCondensationObservation',
  },
  description:
    'Condenses the conversation so far into a summary. Call it when much of it no longer matters and much work remains.',
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
