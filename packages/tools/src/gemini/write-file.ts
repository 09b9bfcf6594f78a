import { posix } from 'node:path';
import { defineTool, ToolError, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';
import { createFile } from '../create-file.ts';
import { replaceSpan } from '../file-editor/encoding.ts';
import { EncodingCache } from '../file-editor/encoding-cache.ts';
import { type ReadFile, type Reading, readText } from '../file-editor/reader.ts';
import { fileKey } from '../file-editor/tool.ts';
import { fileText } from '../file-text.ts';
import { told } from '../workspace-errors.ts';

const input = z.object({
  file_path: z.string().describe('Path of the file, absolute or relative to the workspace.'),
  content: fileText().describe('The complete content.'),
});
type Input = z.output<typeof input>;

/** `write_file`: creates a file, or replaces its whole content. */
export const writeFileTool: ToolFactory = {
  name: 'write_file',
  create: ({ workspace }) => {
    const reading: Reading = { workspace, encodings: new EncodingCache() };
    return [
      defineTool({
        name: 'write_file',
        kind: { tool: 'WriteFileTool', action: 'WriteFileAction', observation: 'WriteFileObservation' },
        description:
          'Writes a whole file, and creates its folders. It replaces the previous content; use edit to change a part. Line endings and encoding of an existing file are kept.',
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'write_file',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: ({ file_path }: Input) => [fileKey(file_path, workspace)],
        run: ({ file_path, content }: Input) =>
          told(async () => {
            const path = posix.resolve(workspace.root, file_path);
            const found = await workspace.stat(path);
            if (found !== null && found.type !== 'file') throw new ToolError(`${path} is not a file.`);
            const before = found === null ? undefined : await textThere(path, reading);
            const after = before === undefined ? undefined : await rewritten(before, content);
            const bytes = after?.bytes ?? Buffer.from(content);
            if (found === null) await createFile(path, bytes, workspace);
            else await workspace.writeFile(path, bytes);
            const utf8 =
              after?.becameUtf8 === true
                ? ` ${before?.file.encoding} cannot encode this text; the file is now UTF-8.`
                : '';
            return {
              content: [text(found === null ? `Created ${path}.` : `Wrote ${path}.${utf8}`)],
              is_error: false,
              file_path,
              is_new_file: found === null,
              ...(before === undefined ? {} : { old_content: before.file.text }),
              new_content: after?.file.text ?? content,
            };
          }),
      }),
    ];
  },
};

/** Undefined for a file that is not text, or whose encoding is unknown: it is replaced, not edited. */
async function textThere(path: string, reading: Reading): Promise<ReadFile | undefined> {
  try {
    const read = await readText(path, reading);
    return read.file.isCertain ? read : undefined;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function rewritten({ file }: ReadFile, content: string): ReturnType<typeof replaceSpan> {
  return replaceSpan(file, 0, file.text.length, content.replaceAll('\r\n', '\n'));
}
