import { resolve } from 'node:path';
import { defineTool } from '@longhand/sdk';
import * as z from 'zod';

export const wordCount = defineTool({
  name: 'word_count',
  description: 'Counts the words of a text file.',
  input: z.object({ path: z.string().describe('Path of the file, relative to the working folder.') }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  // Calls may run side by side; a tool that writes holds `file:<path>`.
  resources: () => [],
  run: async ({ path }, { workspace }) => {
    const bytes = await workspace.readFile(resolve(workspace.root, path));
    return `${Buffer.from(bytes).toString().split(/\s+/).filter(Boolean).length} words`;
  },
});
