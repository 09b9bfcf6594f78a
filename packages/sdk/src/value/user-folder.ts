import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const VARIABLES = { config: 'XDG_CONFIG_HOME', data: 'XDG_DATA_HOME' } as const;

/**
 * The user's folder of settings (`config`) or of what is stored (`data`): `~/.longhand`, or `longhand` in the folder of XDG's variable if
 * that is set (XDG Base Directory Specification 0.8: a relative path is ignored). A `~/.longhand` that exists is used until there is a
 * folder in the other place.
 */
export function userFolder(kind: keyof typeof VARIABLES): string {
  const usual = join(homedir(), '.longhand');
  const base = process.env[VARIABLES[kind]];
  if (base === undefined || !isAbsolute(base)) return usual;
  const own = join(base, 'longhand');
  return existsSync(usual) && !existsSync(own) ? usual : own;
}
