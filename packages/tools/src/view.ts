import { posix } from 'node:path';
import { defineTool, ToolError, type ToolFactory } from '@longhand/sdk';
import * as z from 'zod';
import { EncodingCache } from './file-editor/encoding-cache.ts';
import { fileKey } from './file-editor/tool.ts';
import { viewPath } from './file-editor/view.ts';
import { told } from './workspace-errors.ts';

const input = z.object({
  path: z.string().describe('The file or folder; relative paths start at the workspace.'),
  view_range: z
    .array(z.int())
    .optional()
    .describe('For a file: first and last line, -1 for the end, such as [10, 40].'),
});
type Input = z.output<typeof input>;

/** `view`: shows a file or a folder; it cannot change anything. */
export const viewTool: ToolFactory = {
  name: 'view',
  create: ({ workspace, vision }) => {
    const options = { workspace, vision, encodings: new EncodingCache() };
    return [
      defineTool({
        name: 'view',
        kind: { tool: 'ViewTool', action: 'ViewAction', observation: 'ViewObservation' },
        description: `Shows a file with line numbers (view_range for a part), or a folder two levels deep.${vision ? ' Images (png, jpg, gif, webp, bmp) are shown.' : ''} Changes nothing. The workspace is ${workspace.root}.`,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'view',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: ({ path }: Input) => [fileKey(path, workspace)],
        run: ({ path, view_range }: Input) =>
          told(async () => {
            const full = posix.resolve(workspace.root, path);
            const found = await workspace.stat(full);
            if (found === null) throw new ToolError(`There is nothing at ${full}.`);
            if (found.type === 'other') throw new ToolError(`${full} is neither a file nor a folder.`);
            return { content: await viewPath(full, view_range, options), is_error: false, path };
          }),
      }),
    ];
  },
};
