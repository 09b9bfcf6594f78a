import { ToolError, type Workspace } from '@longhand/sdk';
import { type FoundPython, findPython } from './find-python.ts';
import { startKernel } from './kernel/kernel.ts';
import { loadZeromq } from './kernel/wire.ts';
import { startPlainPython } from './plain-python.ts';
import type { Session } from './session.ts';

export interface Started {
  readonly session: Session;
  /** What the model has to know of it; empty if all is as it should be. */
  readonly notice: string;
}

/**
 * The best Python that is to be had. What is missing is looked for again by each new session. Throws a ToolError if there
 * is none, and the signal's reason if the user interrupts.
 */
export async function startSession(
  workspace: Workspace,
  { python: wanted, plain = false }: { readonly python?: string | undefined; readonly plain?: boolean },
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
    session: await startPlainPython(workspace, executable),
    notice: plainText(executable, why),
  });
  if (plain) return await without('as it is set');
  if (zeromq === null) return await without('since the npm package zeromq cannot be loaded');
  if (!python.hasKernel) return await without(`since it has no ipykernel. ${howToInstall(executable)}`);
  try {
    const session = await startKernel(workspace, executable, { zeromq, signal });
    return { session, notice: passedOverText(python) };
  } catch (error) {
    signal.throwIfAborted();
    return await without(`since ipykernel cannot be used: ${(error as Error).message}`);
  }
}

const NO_PYTHON = `There is no Python here, so the cell was not run.
Install it together with ipykernel, for example with the terminal: \`apt-get install python3-ipykernel\` (Debian, Ubuntu), \`dnf install python3-ipykernel\` (Fedora), \`brew install python\` and then \`python3 -m pip install ipykernel\` (macOS). Then call again.`;

function howToInstall(python: string): string {
  return `To get it: \`${python} -m pip install ipykernel\`, or \`apt-get install python3-ipykernel\` for the system's own Python; then run exit(), and the next cell uses it`;
}

function plainText(executable: string, why: string): string {
  return `[Cells run in plain Python (${executable}), ${why}. State is kept, but there are no magics, no !commands and no images.]`;
}

function passedOverText({ executable, passedOver }: FoundPython): string {
  if (passedOver === undefined) return '';
  return `[Cells run in ${executable}, since ${passedOver} has no ipykernel; what is installed for that one cannot be imported. ${howToInstall(passedOver)}.]`;
}
