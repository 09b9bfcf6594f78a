import { posix } from 'node:path';
import { defineTool, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';
import { told } from '../workspace-errors.ts';
import { globPattern, namesHidden } from './glob-pattern.ts';
import { SEARCH_LIMIT } from './grep.ts';
import { createSearch, folderOf, foundText } from './search.ts';

const input = z.object({
  pattern: z.string().describe('Glob, such as **/*.ts, src/**/test_*.py or *.{json,yaml}. Empty: all files.'),
  path: z.string().optional().describe('Folder to search. Default: the workspace.'),
});
type Input = z.output<typeof input>;

/** The tool `glob`: finds files by name. */
export const globTool: ToolFactory = {
  name: 'glob',
  create: ({ workspace }) => {
    const search = createSearch(workspace);
    return [
      defineTool({
        name: 'glob',
        kind: { tool: 'GlobTool', action: 'GlobAction', observation: 'GlobObservation' },
        description: `Finds files by name. Lists at most ${SEARCH_LIMIT} absolute paths, newest first. A pattern without ** matches at any depth. Hidden names match only a pattern that writes their dot; what .gitignore lists is skipped.`,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'glob',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: () => [],
        run: ({ pattern, path }: Input, { signal }) =>
          told(async () => {
            const { folder: start, glob } = split(pattern);
            const folder = await folderOf(start ?? path, workspace);
            const wanted = globPattern(glob);
            const hidden = namesHidden(glob);
            const found = await search({
              folder,
              accepts: (file) => wanted.test(file),
              hidden: { files: hidden, folders: hidden },
              follows: true,
              limit: SEARCH_LIMIT,
              signal,
            });
            return {
              content: [text(foundText(found, SEARCH_LIMIT, `No file below ${folder} matches ${glob}.`))],
              is_error: false,
              files: found.files,
              pattern,
              search_path: folder,
              truncated: found.truncated,
            };
          }),
      }),
    ];
  },
};

/** An absolute pattern is split before its first part with a wildcard; one without `**` matches at any depth. */
function split(pattern: string): { readonly folder?: string; readonly glob: string } {
  const bare = pattern.trim().replace(/^(?:\.\/)+/, '');
  if (!/^~?\//.test(bare)) return { glob: anyDepth(bare) };
  const parts = bare.split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  const cut = first === -1 ? parts.length - 1 : first;
  return { folder: parts.slice(0, cut).join('/') || '/', glob: anyDepth(parts.slice(cut).join('/')) };
}

function anyDepth(glob: string): string {
  if (glob === '') return '**';
  return glob.split('/').includes('**') ? glob : `**/${posix.normalize(glob)}`;
}
