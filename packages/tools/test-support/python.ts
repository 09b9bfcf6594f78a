import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalWorkspace } from '@longhand/sdk';
import { type ToolResult, type TriedTools, type TryOptions, tryTools } from '@longhand/sdk/testing';
import { findPython } from '../src/ipython/find-python.ts';
import { loadZeromq } from '../src/ipython/kernel/wire.ts';
import { ipythonTool } from '../src/ipython/tool.ts';

/** A picture of one red dot, in base64. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

export interface TriedPython {
  readonly tried: TriedTools;
  readonly run: (code: string, seconds?: number) => Promise<ToolResult>;
  readonly folder: string;
}

/** Folders for tests of the tool, and the Python that they use; removed by `close`. */
export interface PythonPlace {
  readonly root: string;
  /** Has ipykernel, and we can talk with it; null if there is none. */
  readonly withKernel: string | null;
  /** Any; null if there is none. */
  readonly any: string | null;
  /** In a new folder; what the tool keeps is beside it. */
  open(options?: Partial<TryOptions>): Promise<TriedPython>;
  close(): void;
}

export async function openPythonPlace(): Promise<PythonPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-ipython-')));
  const workspace = openLocalWorkspace(root);
  const settings = { virtualEnv: process.env['VIRTUAL_ENV'], wantsKernel: true };
  const found = await findPython(workspace, settings, new AbortController().signal);
  await workspace.close();
  const zeromq = await loadZeromq();
  let folders = 0;
  return {
    root,
    withKernel: found?.hasKernel === true && zeromq !== null ? found.executable : null,
    any: found?.executable ?? null,
    open: async (options) => {
      folders += 1;
      const folder = join(root, `work-${folders}`);
      mkdirSync(folder);
      const tried = await tryTools(ipythonTool, {
        folder,
        directory: join(root, `kept-${folders}`),
        ...options,
      });
      return { tried, folder, run: (code, timeout = 60) => tried.call({ code, timeout }) };
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // there is none of that id
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux'; // gone meanwhile, or a system that does not tell
  }
}

const WAIT_MS = 20_000;

export async function until(holds: () => boolean): Promise<void> {
  for (const began = Date.now(); !holds(); await sleep(20)) {
    if (Date.now() - began > WAIT_MS) throw new Error(`waited in vain for ${holds}`);
  }
}
