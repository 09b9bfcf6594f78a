/** The errors that a linter of its language reports for a file: definite errors only, no style. */
import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';

/** How many errors are reported. */
export const SHOWN_FAULTS = 5;

const PARSE_PYTHON = `import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except SyntaxError as error:
    print(f"line {error.lineno}: {error.msg}")`;

/** By language; the first one that the workspace has is used. Each reads standard input and prints one error per line. */
const LINTERS: { readonly [extension: string]: readonly (readonly [string, ...string[]])[] } = {
  '.py': [
    ['flake8', '--isolated', '--select=E112,E113,E902,E999,F821,F822,F831', '-'],
    ['python3', '-W', 'ignore', '-c', PARSE_PYTHON],
    ['python', '-W', 'ignore', '-c', PARSE_PYTHON],
  ],
  '.sh': [['bash', '-n']],
  '.bash': [['bash', '-n']],
};

const TIMEOUT_MS = 20_000;

/** Empty for a language without a linter, and for a file that takes too long. */
export async function faultsOf(
  path: string,
  content: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  const linters = LINTERS[posix.extname(path)] ?? [];
  const there = await workspace.which(linters.map(([program]) => program));
  const linter = linters.find(([program]) => there.includes(program));
  if (linter === undefined) return [];
  const { exit, output } = await capture(workspace, linter, {
    input: content,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  return exit === null ? [] : output.split('\n').filter((line) => line.trim() !== '');
}

/** The errors that were not there before, regardless of their lines. */
export function newFaults(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before.map(withoutNumbers));
  return after.filter((fault) => !known.has(withoutNumbers(fault)));
}

function withoutNumbers(fault: string): string {
  return fault.replace(/\d+/g, '');
}
