import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The programs in `python/`, as text for `python -c`: Python may run where these files are not. Each is read when it is
 * first needed.
 */
export function probeProgram(): string {
  return source('probe');
}

/** Runs ipykernel. Argument: the path of its connection file. */
export function kernelProgram(): string {
  return withModules('kernel');
}

/** Runs cells in plain Python. Argument: a secret. `python/plain.py` documents the protocol. */
export function plainProgram(): string {
  return withModules('plain');
}

/** What the programs import, in an order in which each finds those that it imports itself. */
const MODULES = ['agentskills', 'longhand_lifeline'];

function withModules(program: string): string {
  // A string of JSON is a string of Python's.
  const modules = MODULES.map((name) => `define('${name}', ${JSON.stringify(source(name))})`);
  return [source('bootstrap'), ...modules, source(program)].join('\n');
}

function source(name: string): string {
  return readFileSync(join(import.meta.dirname, 'python', `${name}.py`), 'utf8');
}
