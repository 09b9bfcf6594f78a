import { posix, win32 } from 'node:path';
import { type Workspace, WorkspaceError } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import * as z from 'zod';
import { probeProgram } from './programs.ts';

export interface FoundPython {
  readonly executable: string;
  /** Whether ipykernel is installed for it. */
  readonly hasKernel: boolean;
  /** The interpreter that the project or the user intends, if it has no ipykernel. */
  readonly passedOver?: string;
}

export interface PythonSettings {
  /** By path or name. */
  readonly python?: string | undefined;
  /** The folder of the active virtual environment. */
  readonly virtualEnv?: string | undefined;
  /** Whether an interpreter with ipykernel is preferred to an earlier one without. */
  readonly wantsKernel: boolean;
}

interface Candidate {
  readonly name: string;
  /** Named by the user or part of the project, rather than merely installed. */
  readonly isMeant: boolean;
}

const answer = z.object({ executable: z.string(), hasKernel: z.boolean() });

/** A shim may look up versions over the network; an interpreter answers in 0.05 s. */
const PROBE_MS = 20_000;

/**
 * The first Python that has ipykernel, if that is wanted, else the first at all; null if there is none. In this order: the one that is set,
 * the active virtual environment, the project's, those on the PATH, those in the usual places. Each is asked once, and
 * none once one has it. Throws the signal's reason when it is aborted.
 */
export async function findPython(
  workspace: Workspace,
  settings: PythonSettings,
  signal: AbortSignal,
): Promise<FoundPython | null> {
  const asked = new Set<string>();
  let first: FoundPython | null = null;
  let passedOver: string | undefined;
  for (const { name, isMeant } of candidates(workspace, settings)) {
    if (asked.has(name)) continue;
    const found = await ask(workspace, name, signal);
    asked.add(name);
    if (found === null) continue;
    asked.add(found.executable);
    first ??= found;
    if (!settings.wantsKernel) return found;
    if (found.hasKernel) return passedOver === undefined ? found : { ...found, passedOver };
    if (isMeant) passedOver ??= found.executable;
  }
  return first;
}

function candidates({ root, platform }: Workspace, { python, virtualEnv }: PythonSettings): Candidate[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const inFolder = (folder: string) =>
    platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
  const meant = [
    ...(python === undefined ? [] : [python]),
    ...[virtualEnv, join(root, '.venv'), join(root, 'venv')]
      .filter((each) => each !== undefined)
      .map(inFolder),
  ];
  const others = ['python3', 'python', '/usr/bin/python3', '/usr/local/bin/python3'];
  return [
    ...meant.map((name) => ({ name, isMeant: true })),
    ...others.map((name) => ({ name, isMeant: false })),
  ];
}

/** Asks an interpreter what it is. Null if it does not exist or is not a Python. */
async function ask(workspace: Workspace, name: string, signal: AbortSignal): Promise<FoundPython | null> {
  const argv = [name, '-c', probeProgram()];
  const asked = await capture(workspace, argv, { timeoutMs: PROBE_MS, signal }).catch((error: unknown) => {
    if (error instanceof WorkspaceError) return null; // it does not exist: try the next one
    throw error;
  });
  const line = asked?.stdout.trim().split('\n').at(-1) ?? '';
  try {
    return answer.parse(JSON.parse(line));
  } catch {
    return null; // another program of that name
  }
}
