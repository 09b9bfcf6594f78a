import { posix } from 'node:path';
import { defineTool, ToolError, type ToolFactory, text, type Workspace } from '@longhand/sdk';
import * as z from 'zod';
import { createFile } from '../create-file.ts';
import { readEditable } from '../file-editor/edit.ts';
import { replaceSpans } from '../file-editor/encoding.ts';
import { EncodingCache } from '../file-editor/encoding-cache.ts';
import { linesOf, placesOf } from '../file-editor/places.ts';
import type { Reading } from '../file-editor/reader.ts';
import { fileKey } from '../file-editor/tool.ts';
import { fileText } from '../file-text.ts';
import { told } from '../workspace-errors.ts';

const input = z.object({
  file_path: z.string().describe('Path of the file, absolute or relative to the workspace.'),
  old_string: z.string().describe('The text to replace, exactly as in the file. Empty: create a new file.'),
  new_string: fileText().describe('The replacement.'),
  expected_replacements: z
    .int()
    .min(0)
    .default(1)
    .describe('How often old_string occurs in the file; every occurrence is replaced.'),
});
type Input = z.output<typeof input>;

/** `edit`: replaces a text that occurs as often as the model expects. */
export const editTool: ToolFactory = {
  name: 'edit',
  create: ({ workspace }) => {
    const reading: Reading = { workspace, encodings: new EncodingCache() };
    return [
      defineTool({
        name: 'edit',
        kind: { tool: 'EditTool', action: 'EditAction', observation: 'EditObservation' },
        description:
          'Replaces old_string with new_string in a file. old_string must match the file exactly, including white space, and occur exactly expected_replacements times (default 1): include enough surrounding lines to make it unique. Read a file before you edit it. An empty old_string creates a new file with the content new_string.',
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'edit',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        resources: ({ file_path }: Input) => [fileKey(file_path, workspace)],
        run: (call: Input) =>
          told(async () => {
            const path = posix.resolve(workspace.root, call.file_path);
            if (call.old_string === call.new_string)
              throw new ToolError('new_string and old_string are identical: nothing would change.');
            return call.old_string === ''
              ? await create(path, call, workspace)
              : await replace(path, call, reading);
          }),
      }),
    ];
  },
};

async function create(path: string, { file_path, new_string }: Input, workspace: Workspace) {
  if ((await workspace.stat(path)) !== null)
    throw new ToolError(`${path} already exists. An empty old_string only creates new files.`);
  await createFile(path, Buffer.from(new_string), workspace);
  return {
    content: [text(`Created ${path}.`)],
    is_error: false,
    file_path,
    is_new_file: true,
    replacements_made: 1,
    new_content: new_string,
  };
}

async function replace(path: string, call: Input, reading: Reading) {
  const { workspace } = reading;
  const found = await workspace.stat(path);
  if (found === null) throw new ToolError(`${path} does not exist. To create it, pass an empty old_string.`);
  if (found.type !== 'file') throw new ToolError(`${path} is not a file.`);
  const { file } = await readEditable(path, reading);
  const wanted = call.old_string.replaceAll('\r\n', '\n');
  const put = call.new_string.replaceAll('\r\n', '\n');
  const places = placesOf(file.text, wanted);
  if (places.length === 0)
    throw new ToolError(`old_string does not occur in ${path}; nothing was changed. Read the file again.`);
  if (places.length !== call.expected_replacements) {
    throw new ToolError(
      `old_string occurs ${places.length} times in ${path}, in lines [${linesOf(file.text, places)}], not ${call.expected_replacements} times; nothing was changed. Include more surrounding lines, or set expected_replacements to ${places.length}.`,
    );
  }
  const spans = places.map((at) => ({ from: at, to: at + wanted.length, text: put }));
  const after = await replaceSpans(file, spans);
  await workspace.writeFile(path, after.bytes);
  const utf8 = after.becameUtf8 ? ` ${file.encoding} cannot encode this text; the file is now UTF-8.` : '';
  return {
    content: [text(`Replaced ${places.length} occurrence(s) in ${path}.${utf8}`)],
    is_error: false,
    file_path: call.file_path,
    is_new_file: false,
    replacements_made: places.length,
    old_content: file.text,
    new_content: after.file.text,
  };
}
