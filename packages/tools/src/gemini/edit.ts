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
import { told } from '../workspace-errors.ts';

const input = z.object({
  file_path: z.string().describe('The file; relative paths begin at the workspace.'),
  old_string: z
    .string()
    .describe('The text to replace, exactly as it stands in the file. Empty: a new file is made.'),
  new_string: z.string().describe('What to put there.'),
  expected_replacements: z
    .int()
    .min(0)
    .default(1)
    .describe('In how many places old_string stands; all of them are replaced.'),
});
type Input = z.output<typeof input>;

/** `edit`: replaces a text in all the places where it is expected. */
export const editTool: ToolFactory = {
  name: 'edit',
  create: ({ workspace }) => {
    const reading: Reading = { workspace, encodings: new EncodingCache() };
    return [
      defineTool({
        name: 'edit',
        kind: { tool: 'EditTool', action: 'EditAction', observation: 'EditObservation' },
        description:
          'Replaces old_string by new_string in a file. old_string must stand there exactly so, blanks included, and just as often as expected_replacements says (once by default): take in enough lines around the place. Read a file before you edit it. An empty old_string makes a new file of new_string.',
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
              throw new ToolError('new_string is the same as old_string: nothing would change.');
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
    throw new ToolError(`${path} exists already: an empty old_string is for new files.`);
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
  if (found === null)
    throw new ToolError(`There is no file ${path}. An empty old_string would make a new one.`);
  if (found.type !== 'file') throw new ToolError(`${path} is no file.`);
  const { file } = await readEditable(path, reading);
  const wanted = call.old_string.replaceAll('\r\n', '\n');
  const put = call.new_string.replaceAll('\r\n', '\n');
  const places = placesOf(file.text, wanted);
  if (places.length === 0)
    throw new ToolError(
      `old_string does not stand in ${path} as it was given; nothing was changed. Read the file again.`,
    );
  if (places.length !== call.expected_replacements) {
    throw new ToolError(
      `old_string stands in ${places.length} places of ${path}, in lines [${linesOf(file.text, places)}], not in ${call.expected_replacements}; nothing was changed. Take in more of what is around the place you mean, or expect ${places.length}.`,
    );
  }
  const spans = places.map((at) => ({ from: at, to: at + wanted.length, text: put }));
  const after = await replaceSpans(file, spans);
  await workspace.writeFile(path, after.bytes);
  const utf8 = after.becameUtf8 ? ` ${file.encoding} has no signs for this text; the file is UTF-8 now.` : '';
  return {
    content: [text(`${path} was edited in ${places.length} place(s).${utf8}`)],
    is_error: false,
    file_path: call.file_path,
    is_new_file: false,
    replacements_made: places.length,
    old_content: file.text,
    new_content: after.file.text,
  };
}
