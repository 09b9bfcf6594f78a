import { homedir } from 'node:os';
import { join } from 'node:path';
import { userFolder } from '@longhand/sdk/internal';

/** The folder of the user's settings. */
export function configDirectory(): string {
  return userFolder('config');
}

/** The folder of what is stored: conversations, clones, plugins. */
export function dataDirectory(): string {
  return userFolder('data');
}

/** The config file of the user, for all folders. */
export function userConfigFile(): string {
  return join(configDirectory(), 'config.toml');
}

/** The folders of our profiles and of the reference's. */
export function profileDirectories(): readonly [own: string, reference: string] {
  return [join(configDirectory(), 'profiles'), join(homedir(), '.openhands', 'profiles')];
}
