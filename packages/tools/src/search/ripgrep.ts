import { posix } from 'node:path';
import { ToolError, type Workspace } from '@longhand/sdk';
import type { Found, Search } from './search.ts';

/** The ripgrep of the workspace, else that of the package if the workspace sees the same path. Null if there is none. */
export async function findRipgrep(workspace: Workspace): Promise<string | null> {
  if ((await workspace.which(['rg'])).length > 0) return 'rg';
  if (workspace.platform !== process.platform) return null;
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return (await workspace.stat(rgPath))?.type === 'file' ? rgPath : null;
  } catch {
    return null; // the package has no binary for this machine, so files are read one by one
  }
}

/** Only `.gitignore` files count, inside and outside a repository, so that both ways of searching find the same files. */
const RULES = [
  '--no-config',
  '--no-require-git',
  '--no-ignore-dot',
  '--no-ignore-global',
  '--no-ignore-exclude',
];

/** Throws a ToolError with ripgrep's message if the pattern is not valid. */
export async function searchByRipgrep(program: string, search: Search): Promise<Found> {
  const { workspace, folder, limit, accepts, signal } = search;
  const argv = [program, ...RULES, ...choices(search), '--', folder];
  const files: string[] = [];
  const { promise: enough, resolve: stop } = Promise.withResolvers<void>();
  const running = await workspace.spawn(argv, { cwd: folder });
  running.end();
  let rest = Buffer.alloc(0);
  const errors: Uint8Array[] = [];
  running.onOutput((bytes, stream) => {
    if (stream === 'stderr') {
      errors.push(bytes);
      return;
    }
    const whole = Buffer.concat([rest, bytes]);
    const end = whole.lastIndexOf(0);
    rest = whole.subarray(end + 1);
    const names = end === -1 ? [] : whole.subarray(0, end).toString().split('\0');
    files.push(...names.filter((name) => accepts(posix.relative(folder, name))));
    if (files.length > limit) stop();
  });
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([running.exited, enough]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await running.terminate();
  }
  const { code } = await running.exited;
  const said = Buffer.concat(errors).toString().trim();
  // ripgrep also exits with 2 if a file could not be read; the search did not fail then.
  if (code === 2 && files.length === 0 && said !== '') throw new ToolError(`The search failed. ${said}`);
  return { files: files.slice(0, limit), truncated: files.length > limit };
}

function choices({ pattern, include, hidden, follows }: Search): string[] {
  return [
    '--null',
    '--no-messages',
    '--sortr=modified',
    ...(follows ? ['--follow'] : []),
    ...(hidden.files || hidden.folders ? ['--hidden'] : []),
    ...(hidden.files && !hidden.folders ? ['--glob=!.*/'] : []),
    // As a type, because a glob would include ignored files again.
    ...(include === undefined ? [] : [`--type-add=wanted:${include}`, '--type=wanted']),
    ...(pattern === undefined
      ? ['--files']
      : ['--files-with-matches', '--ignore-case', '--engine=auto', `--regexp=${pattern}`]),
  ];
}
