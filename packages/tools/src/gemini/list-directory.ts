import { posix } from 'node:path';
import { defineTool, ToolError, type ToolFactory, text, type Workspace } from '@longhand/sdk';
import * as z from 'zod';
import { told } from '../workspace-errors.ts';

const ENTRIES = 500;

const input = z.object({
  dir_path: z.string().default('.').describe('Path of the folder, absolute or relative to the workspace.'),
  recursive: z.boolean().default(false).describe('List two levels instead of one.'),
});
type Input = z.output<typeof input>;

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly is_directory: boolean;
  /** Bytes; 0 for folders. */
  readonly size: number;
  /** ISO 8601. */
  readonly modified_time: string;
}

/** `list_directory`: the entries of a folder. */
export const listDirectoryTool: ToolFactory = {
  name: 'list_directory',
  create: ({ workspace }) => [
    defineTool({
      name: 'list_directory',
      kind: {
        tool: 'ListDirectoryTool',
        action: 'ListDirectoryAction',
        observation: 'ListDirectoryObservation',
      },
      description: `Lists a folder, including hidden entries: folders first, then files with their sizes in bytes; at most ${ENTRIES} entries.`,
      input: input as z.ZodType<Input>,
      annotations: {
        title: 'list_directory',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      resources: () => [],
      run: ({ dir_path, recursive }: Input) =>
        told(async () => {
          const folder = posix.resolve(workspace.root, dir_path);
          const found = await workspace.stat(folder);
          if (found === null) throw new ToolError(`${folder} does not exist.`);
          if (found.type !== 'directory') throw new ToolError(`${folder} is not a folder.`);
          const all = await namesIn(folder, recursive ? 2 : 1, workspace);
          const entries = await Promise.all(all.slice(0, ENTRIES).map((each) => entryOf(each, workspace)));
          const isTruncated = all.length > ENTRIES;
          return {
            content: [text(listing(folder, entries, all.length))],
            is_error: false,
            dir_path,
            entries,
            total_count: all.length,
            is_truncated: isTruncated,
          };
        }),
    }),
  ],
};

interface Named {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders before files, each folder followed by its entries. */
async function namesIn(folder: string, levels: number, workspace: Workspace): Promise<readonly Named[]> {
  const entries = [...(await workspace.list(folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
  const named = entries.map(({ name, type }) => ({
    path: posix.join(folder, name),
    isFolder: type === 'directory',
  }));
  const folders = await Promise.all(
    named
      .filter(({ isFolder }) => isFolder)
      .map(async (each) => [
        each,
        // A folder that cannot be read is shown without its entries.
        ...(levels > 1 ? await namesIn(each.path, levels - 1, workspace).catch(() => []) : []),
      ]),
  );
  return [...folders.flat(), ...named.filter(({ isFolder }) => !isFolder)];
}

async function entryOf({ path, isFolder }: Named, workspace: Workspace): Promise<Entry> {
  const found = await workspace.stat(path).catch(() => null); // it may have been removed meanwhile
  return {
    name: posix.basename(path),
    path,
    is_directory: isFolder,
    size: isFolder ? 0 : (found?.sizeBytes ?? 0),
    modified_time: new Date(found?.modifiedMs ?? 0).toISOString(),
  };
}

function listing(folder: string, entries: readonly Entry[], total: number): string {
  if (total === 0) return `${folder} is empty.`;
  const lines = entries.map(({ path, is_directory, size }) => {
    const name = posix.relative(folder, path);
    return is_directory ? `${name}/` : `${name}  ${size}`;
  });
  const note = total > entries.length ? `\nShown: ${entries.length} of ${total} entries.` : '';
  return `${folder}/\n${lines.join('\n')}${note}`;
}
