/**
 * `results.jsonl`: one line for each instance that was run, on disk before anything else is started. The first keys are those
 * that SWE-bench's evaluation reads.
 */
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '@longhand/sdk/internal';
import { ownLine, SCHEMA_VERSION, type tokensOf } from '../view/own-lines.ts';

export interface Result {
  readonly instance_id: string;
  readonly model_name_or_path: string;
  /** A diff against the base commit; empty if nothing has changed. */
  readonly model_patch: string;
  readonly status: RunStatus;
  /** Null if none was started. */
  readonly conversation_id: string | null;
  readonly cost_usd: number;
  readonly tokens: ReturnType<typeof tokensOf>;
  /** The last run, if there were several. */
  readonly duration_ms: number;
  readonly exit_code: number;
  /** The agent's final message. */
  readonly message?: string | undefined;
  /** If something other than the agent ended the run. */
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
}

/** Statuses of runs that are not tried again. */
export const RUN_STATUSES = ['finished', 'stuck', 'limit', 'error', 'waiting'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export function isRunStatus(status: string): status is RunStatus {
  return RUN_STATUSES.some((each) => each === status);
}

export interface Results {
  readonly byId: ReadonlyMap<string, Result>;
  add(result: Result): void;
}

/**
 * Opens the file. Instances that ended with an error are tried again, so their lines are removed; so is a last line that was
 * being written when the power failed.
 */
export async function openResults(out: string): Promise<Results> {
  const path = join(out, 'results.jsonl');
  const { lines, isWhole } = stored(path);
  const kept = lines.filter(({ status }) => status !== 'error');
  if (!isWhole || kept.length < lines.length)
    await writeFileAtomic(path, kept.map(ownLine).join(''), 'power', { mode: statSync(path).mode & 0o777 });
  const byId = new Map(kept.map((result) => [result.instance_id, result]));
  return {
    byId,
    add: (result) => {
      byId.set(result.instance_id, result);
      appendDurably(path, ownLine(result));
    },
  };
}

function stored(path: string): { readonly lines: readonly Result[]; readonly isWhole: boolean } {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { lines: [], isWhole: true };
    throw error;
  }
  const last = source.lastIndexOf('\n') + 1;
  const lines = source
    .slice(0, last)
    .split('\n')
    .flatMap((line, i): Result[] => (line === '' ? [] : [parsed(line, `${path}:${i + 1}`)]));
  return { lines, isWhole: last === source.length };
}

function parsed(line: string, place: string): Result {
  try {
    const { schema_version: version, ...result } = JSON.parse(line) as Result & { schema_version?: unknown };
    if (version === SCHEMA_VERSION && typeof result.instance_id === 'string') return result;
  } catch {
    // reported below
  }
  throw new Error(
    `${place}: this line was not written by longhand batch; remove it, or choose another --out`,
  );
}

/** A single append: another program that reads the file sees the whole line or none of it. */
function appendDurably(path: string, line: string): void {
  const descriptor = openSync(path, 'a', 0o644);
  try {
    const data = Buffer.from(line);
    for (let at = 0; at < data.length; ) at += writeSync(descriptor, data, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
