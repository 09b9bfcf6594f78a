import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The programs in `python/`, as text for `python -c`: Python may run where these files are not. Each is read when it is
 * first needed.
 */
export function probeProgram(): string {
  return source('probe');
}

/** The cell that `definingCell` completes. */
export function pluginsProgram(): string {
  return source('plugins');
}

export interface ProgramOptions {
  /** Whether cells find the functions of AgentSkills. Default: true. */
  readonly hasAgentSkills?: boolean;
}

/** Runs ipykernel. Argument: the path of its connection file. */
export function kernelProgram(options: ProgramOptions): string {
  return withModules('kernel', options);
}

/** Runs cells in plain Python. Argument: a secret. `python/plain.py` documents the protocol. */
export function plainProgram(options: ProgramOptions): string {
  return withModules('plain', options);
}

/** What the programs import, in an order in which each finds those that it imports itself. */
const AGENT_SKILLS = 'agentskills';
const MODULES = [AGENT_SKILLS, 'longhand_lifeline'];

function withModules(program: string, { hasAgentSkills = true }: ProgramOptions): string {
  const modules = MODULES.filter((name) => hasAgentSkills || name !== AGENT_SKILLS).map(
    // A string of JSON is a string of Python's.
    (name) => `define('${name}', ${JSON.stringify(source(name))})`,
  );
  return [source('bootstrap'), ...modules, source(program)].join('\n');
}

function source(name: string): string {
  return readFileSync(join(import.meta.dirname, 'python', `${name}.py`), 'utf8');
}
