/** `batch.json`: the settings and tasks that a batch was started with, so that the results of different ones are not mixed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';
import { SCHEMA_VERSION } from '../view/own-lines.ts';
import type { Instance } from './instance.ts';

const FILE = 'batch.json';
const OF_A_LOCK = ['.writer.lock', 'writer.json'];

/** What a result depends on. */
export type BatchSettings = { readonly [key: string]: unknown };

interface Manifest {
  readonly schema_version: number;
  readonly settings: BatchSettings;
  /** Digests by id. */
  readonly instances: { readonly [id: string]: string };
}

/** Throws UsageError if the folder contains something else. Call it before anything is written there. */
export function refuseForeignFolder(out: string): void {
  if (!existsSync(out) || existsSync(join(out, FILE))) return;
  if (!statSync(out).isDirectory())
    throw new UsageError(`${out} is not a folder; choose another one with --out`);
  if (readdirSync(out).every((name) => OF_A_LOCK.includes(name))) return;
  throw new UsageError(
    `${out} is not empty, and no batch was started there; choose another folder with --out`,
  );
}

/** Adds what is new. Throws UsageError that says what differs from before. */
export async function agreeWithManifest(
  out: string,
  settings: BatchSettings,
  instances: readonly Instance[],
): Promise<void> {
  const before = stored(join(out, FILE));
  const faults =
    before === undefined
      ? []
      : [...settingFaults(before.settings, settings), ...taskFaults(before, instances)];
  if (faults.length > 0) {
    const some = faults.slice(0, 5).join('\n  ');
    throw new UsageError(
      `${out} was started with other settings or tasks; choose another --out, or use the same settings and tasks\n  ${some}`,
    );
  }
  const digests = Object.fromEntries(instances.map(({ id, digest }) => [id, digest]));
  const manifest: Manifest = {
    schema_version: SCHEMA_VERSION,
    settings,
    instances: { ...before?.instances, ...digests },
  };
  await writeFileAtomic(join(out, FILE), `${JSON.stringify(manifest, null, 2)}\n`, 'power', { mode: 0o644 });
}

function stored(path: string): Manifest | undefined {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const manifest = JSON.parse(source) as Manifest;
    if (manifest.schema_version === SCHEMA_VERSION) return manifest;
  } catch {
    // reported below
  }
  throw new UsageError(`${path} was not written by this version of longhand; choose another --out`);
}

function settingFaults(before: BatchSettings, now: BatchSettings): string[] {
  const known = JSON.parse(JSON.stringify(now)) as BatchSettings;
  const keys = new Set([...Object.keys(before), ...Object.keys(known)]);
  return [...keys]
    .filter((key) => comparable(before[key]) !== comparable(known[key]))
    .map((key) => `${key}: was ${shown(before[key])}, is now ${shown(known[key])}`);
}

/** The order of different flags does not matter and may change between versions. */
function comparable(value: unknown): string | undefined {
  const nameOf = (flag: unknown) => String(flag).replace(/=.*/s, '');
  const ordered = Array.isArray(value) ? value.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))) : value;
  return JSON.stringify(ordered);
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

function taskFaults(before: Manifest, instances: readonly Instance[]): string[] {
  return instances
    .filter(({ id, digest }) => Object.hasOwn(before.instances, id) && before.instances[id] !== digest)
    .map(({ id }) => `the task "${id}" has changed since`);
}
