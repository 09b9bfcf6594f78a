import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for everything of the user's, unless a flag says otherwise. */
export function homeDirectory(): string {
  return join(homedir(), '.longhand');
}

/** The config file of the user, for all folders. */
export function userConfigFile(): string {
  return join(homeDirectory(), 'config.toml');
}

/** The folders of our profiles and of the reference's. */
export function profileDirectories(): readonly [own: string, reference: string] {
  return [join(homeDirectory(), 'profiles'), join(homedir(), '.openhands', 'profiles')];
}
