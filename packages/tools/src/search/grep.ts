import { posix } from 'node:path';
import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import * as z from 'zod';
import { told } from '../workspace-errors.ts';
import { globPattern, namesHidden } from './glob-pattern.ts';
import { createSearch, folderOf, foundText } from './search.ts';

const input = z.object({
  pattern: z.string().min(1).describe('Regular expression; case does not matter.'),
  path: z.string().optional().describe('Folder to search. Default: the workspace.'),
  include: z.string().optional().describe('Glob of the files to search, such as *.ts or *.{ts,tsx}.'),
});
type Input = z.output<typeof input>;

export const SEARCH_LIMIT = 100;

/** The tool `grep`: finds files by content. */
export const grepTool: ToolFactory = {
  name: 'grep',
  create: ({ workspace }) => {
    const search = createSearch(workspace);
    return [
      defineTool({
        name: 'grep',
        kind: { tool: 'GrepTool', action: 'GrepAction', observation: 'GrepObservation' },
        description: `Finds files with a line that matches a regular expression. Lists at most ${SEARCH_LIMIT}, newest first. Skips binary files, hidden folders and what .gitignore lists, and hidden files unless include starts with a dot.`,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'grep',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: () => [],
        run: ({ pattern, path, include: given }: Input, { signal }) =>
          told(async () => {
            const include = given?.trim() === '' ? undefined : given;
            const folder = await folderOf(path, workspace);
            const hasPath = include?.includes('/') === true;
            const wanted = include === undefined ? undefined : globPattern(rooted(include));
            const found = await search({
              folder,
              pattern,
              accepts: (file) => wanted?.test(hasPath ? file : posix.basename(file)) ?? true,
              ...(include === undefined || hasPath || include.includes(':') ? {} : { include }),
              hidden: { files: include !== undefined && namesHidden(include), folders: false },
              follows: false,
              limit: SEARCH_LIMIT,
              signal,
            });
            const none = `No file below ${folder}${include === undefined ? '' : ` that matches ${include}`} has a line that matches ${pattern}.`;
            return {
              content: [text(foundText(found, SEARCH_LIMIT, none))],
              is_error: false,
              matches: found.files,
              pattern,
              search_path: folder,
              ...defined({ include_pattern: include }),
              truncated: found.truncated,
            };
          }),
      }),
    ];
  },
};

function rooted(include: string): string {
  return include.replace(/^\.?\//, '');
}
