/**
 * Named models, one file each. Format: the reference's profile store (SDK 1.43): the configuration by its wire names,
 * without nulls, and `schema_version` 1.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../log/atomic-file.ts';
import { makeFolder } from '../../value/make-folder.ts';
import type { LlmConfig } from './llm-config.ts';
import { llmFromWire, llmToWire } from './wire-config.ts';

const SCHEMA_VERSION = 1;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Throws TypeError for an invalid name, such as one that looks like a path. */
export function profilePath(directory: string, name: string): string {
  if (!NAME.test(name))
    throw new TypeError(
      `"${name}" is not a valid profile name: use up to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first`,
    );
  return join(directory, `${name}.json`);
}

export function listProfiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json') && NAME.test(file.slice(0, -'.json'.length)))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** Undefined if there is none. Throws an Error that names the file if it is invalid. */
export function loadProfile(directory: string, name: string): LlmConfig | undefined {
  const path = profilePath(directory, name);
  if (!existsSync(path)) return undefined;
  try {
    const wire = JSON.parse(readFileSync(path, 'utf8')) as { readonly [key: string]: unknown };
    const version = wire['schema_version'] ?? SCHEMA_VERSION;
    if (version !== SCHEMA_VERSION) throw new TypeError(`schema_version ${version} is not supported`);
    return llmFromWire(wire);
  } catch (error) {
    throw new Error(`the profile ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Keys are left out unless `withSecrets` is set: then the file contains them in plain text, readable only by its owner. */
export async function saveProfile(
  directory: string,
  name: string,
  config: LlmConfig,
  options: { readonly withSecrets?: boolean } = {},
): Promise<string> {
  const path = profilePath(directory, name);
  makeFolder(directory, 0o700);
  const wire = llmToWire(config, (secret) => (options.withSecrets === true ? secret : undefined));
  const source = `${JSON.stringify({ ...wire, schema_version: SCHEMA_VERSION }, null, 2)}\n`;
  await writeFileAtomic(path, source, 'power');
  return path;
}

/** False if there was none. */
export function removeProfile(directory: string, name: string): boolean {
  const path = profilePath(directory, name);
  const existed = existsSync(path);
  rmSync(path, { force: true });
  return existed;
}
