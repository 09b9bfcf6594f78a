import { ToolError, type Workspace } from '@longhand/sdk';
import { type FoundPython, findPython } from './find-python.ts';
import { startKernel } from './kernel/kernel.ts';
import { loadZeromq } from './kernel/wire.ts';
import { startPlainPython } from './plain-python.ts';
import type { ProgramOptions } from './programs.ts';
import type { Session } from './session.ts';

export interface Started {
  readonly session: Session;
  /** What the model must know about it; empty if nothing. */
  readonly notice: string;
}

export interface SessionOptions extends ProgramOptions {
  /** The preferred interpreter. */
  readonly python?: string | undefined;
  /** Plain Python even if ipykernel is installed. */
  readonly plain?: boolean;
}

/**
 * Starts the best available Python. Each new session looks again for what was missing. Throws a ToolError if there is no
 * Python, and the signal's reason if the user interrupts.
 */
export async function startSession(
  workspace: Workspace,
  { python: wanted, plain = false, ...program }: SessionOptions,
  signal: AbortSignal,
): Promise<Started> {
  const zeromq = plain ? null : await loadZeromq();
  const settings = {
    python: wanted,
    virtualEnv: process.env['VIRTUAL_ENV'],
    wantsKernel: zeromq !== null,
  };
  const python = await findPython(workspace, settings, signal);
  if (python === null) throw new ToolError(NO_PYTHON);
  const { executable } = python;
  const without = async (why: string): Promise<Started> => ({
    session: await startPlainPython(workspace, executable, program),
    notice: plainText(executable, why),
  });
  if (plain) return await without('as configured');
  if (zeromq === null) return await without('because the npm package zeromq cannot be loaded');
  if (!python.hasKernel) return await without(`because it has no ipykernel. ${howToInstall(executable)}`);
  try {
    const session = await startKernel(workspace, executable, { ...program, zeromq, signal });
    return { session, notice: passedOverText(python) };
  } catch (error) {
    signal.throwIfAborted();
    return await without(`because ipykernel cannot be used: ${(error as Error).message}`);
  }
}

const NO_PYTHON = `Python is not installed, so the cell was not run.
Install it together with ipykernel, for example with the terminal: \`apt-get install python3-ipykernel\` (Debian, Ubuntu), \`dnf install python3-ipykernel\` (Fedora), \`brew install python\` and then \`python3 -m pip install ipykernel\` (macOS). Then call again.`;

function howToInstall(python: string): string {
  return `To get it: \`${python} -m pip install ipykernel\`, or \`apt-get install python3-ipykernel\` for the system's own Python; then run exit(), and the next cell uses it`;
}

function plainText(executable: string, why: string): string {
  return `[Cells run in plain Python (${executable}), ${why}. State is kept, but magics, !commands and images are not available.]`;
}

function passedOverText({ executable, passedOver }: FoundPython): string {
  if (passedOver === undefined) return '';
  return `[Cells run in ${executable}, because ${passedOver} has no ipykernel; packages installed there cannot be imported. ${howToInstall(passedOver)}.]`;
}
