import { posix } from 'node:path';
import { defineTool, ToolError, type ToolFactory, text } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import * as z from 'zod';
import { EncodingCache } from '../file-editor/encoding-cache.ts';
import { readText } from '../file-editor/reader.ts';
import { fileKey } from '../file-editor/tool.ts';
import { imageType, lineCount, viewPath } from '../file-editor/view.ts';
import { told } from '../workspace-errors.ts';

const LINES = 1_000;
/** Characters of a line that are shown; longer lines are cut. */
const LINE_LENGTH = 2_000;
/** Characters of one result. */
const LENGTH = 30_000;

const input = z.object({
  file_path: z.string().describe('Path of the file, absolute or relative to the workspace.'),
  offset: z.int().min(0).optional().describe('How many lines to skip; default 0.'),
  limit: z.int().min(1).optional().describe(`How many lines to read; default ${LINES}.`),
});
type Input = z.output<typeof input>;

/** `read_file`: reads lines of a file. */
export const readFileTool: ToolFactory = {
  name: 'read_file',
  create: ({ workspace, vision }) => {
    const reading = { workspace, vision, encodings: new EncodingCache() };
    return [
      defineTool({
        name: 'read_file',
        kind: { tool: 'ReadFileTool', action: 'ReadFileAction', observation: 'ReadFileObservation' },
        description: `Reads a text file with line numbers: ${LINES} lines unless limit is set, and at most ${LENGTH} characters. Pass offset to read the next lines.${vision ? ' Images are shown.' : ''}`,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'read_file',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: ({ file_path }: Input) => [fileKey(file_path, workspace)],
        run: ({ file_path, offset = 0, limit = LINES }: Input) =>
          told(async () => {
            const path = posix.resolve(workspace.root, file_path);
            const found = await workspace.stat(path);
            if (found === null) throw new ToolError(`${path} does not exist.`);
            if (found.type !== 'file')
              throw new ToolError(`${path} is not a file. Use list_directory for folders.`);
            if (imageType(path) !== undefined) {
              const content = await viewPath(path, undefined, reading);
              return { content, is_error: false, file_path, file_content: '', is_truncated: false };
            }
            const { file } = await readText(path, reading);
            const total = lineCount(file.text);
            if (offset > 0 && offset >= total)
              throw new ToolError(`offset ${offset} is past the end: ${path} has ${total} lines.`);
            const asked = file.text.split('\n').slice(offset, Math.min(total, offset + limit));
            const shown = numbered(asked, offset + 1);
            const lines = asked.slice(0, shown.length);
            const last = offset + lines.length;
            const isWhole = offset === 0 && last === total;
            const head = isWhole ? `${path}:\n` : `${path}, lines ${offset + 1} to ${last} of ${total}:\n`;
            const next = last < total ? `\nContinue with offset ${last}.` : '';
            return {
              content: [text(`${head}${shown.join('\n')}${next}`)],
              is_error: false,
              file_path,
              file_content: lines.join('\n'),
              is_truncated: !isWhole,
              ...(isWhole ? {} : { lines_shown: [offset + 1, last], total_lines: total }),
            };
          }),
      }),
    ];
  },
};

/** As many lines as fit into one result, and at least one. */
function numbered(lines: readonly string[], first: number): readonly string[] {
  const shown: string[] = [];
  let length = 0;
  for (const [i, line] of lines.entries()) {
    const cut =
      line.length > LINE_LENGTH
        ? `${headOf(line, LINE_LENGTH)}... (${line.length} characters in this line)`
        : line;
    length += cut.length + 9;
    if (length > LENGTH && shown.length > 0) break;
    shown.push(`${String(first + i).padStart(6)}  ${cut}`);
  }
  return shown;
}
