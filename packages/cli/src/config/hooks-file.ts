/** Hooks: the user's, and those that the user names. A project's own are not run automatically, since they are programs. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type HookConfig, parseHookConfig } from '@longhand/sdk';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { configDirectory } from './home.ts';

const PLACES = ['.longhand/hooks.json', '.openhands/hooks.json'];

/** Undefined if there are none. Throws UsageError that names the file. */
export function readHooks(
  given: string | undefined,
  workingDir: string,
  warn: (text: string) => void,
): HookConfig | undefined {
  if (given !== undefined) return parse(given);
  const ofProject = PLACES.find((place) => existsSync(join(workingDir, place)));
  if (ofProject !== undefined) warn(`the hooks of this folder are not run: --hooks ${ofProject} runs them`);
  const places = [join(configDirectory(), 'hooks.json'), join(homedir(), '.openhands/hooks.json')];
  const own = places.find((path) => existsSync(path));
  return own === undefined ? undefined : parse(own);
}

function parse(path: string): HookConfig {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the hooks in ${path} cannot be read: ${fileFault(error)}`);
  }
  try {
    return parseHookConfig(JSON.parse(source));
  } catch (error) {
    throw new UsageError(`the hooks in ${path} cannot be used: ${(error as Error).message}`);
  }
}
