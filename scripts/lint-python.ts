/**
 * Checks the Python files of the repository with Ruff, compiled to WebAssembly so that no Python has to be installed:
 * `node scripts/lint-python.ts`, with `--write` to format them.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PositionEncoding, Workspace } from '@astral-sh/ruff-wasm-nodejs';

interface Diagnostic {
  readonly code: string | null;
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

const SETTINGS = {
  'line-length': 120,
  'target-version': 'py38', // the oldest that cells run in
  format: { 'quote-style': 'single' },
  lint: {
    select: ['A', 'B', 'E', 'F', 'PLE', 'PLW', 'UP', 'W'],
    ignore: [
      'A001', // what cells see takes the place of builtins on purpose
      'E402', // some imports have to wait
      'UP031', // the format operator is shorter for one number
    ],
  },
};

/** What is wrong with each file, one line each; empty if all is well. */
export function pythonFaults(root: string, write: boolean): string[] {
  const ruff = new Workspace(SETTINGS, PositionEncoding.Utf16);
  return globSync('{packages,scripts,bench,examples}/**/*.py', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const formatted = ruff.format(text);
    if (write) writeFileSync(join(root, path), formatted);
    const diagnostics = ruff.check(write ? formatted : text) as readonly Diagnostic[];
    const faults = diagnostics.map(
      ({ code, message, start_location: { row, column } }) =>
        `${path}:${row}:${column} ${code ?? ''} ${message}`,
    );
    return write || formatted === text ? faults : [...faults, `${path} is not formatted: npm run format`];
  });
}

if (import.meta.main) {
  const faults = pythonFaults(resolve(import.meta.dirname, '..'), process.argv.includes('--write'));
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
