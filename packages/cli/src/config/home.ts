import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for everything of the user's, unless a flag says otherwise. */
export function homeDirectory(): string {
  return join(homedir(), '.longhand');
}

/** The folders of our profiles and of the reference's. */
export function profileDirectories(): readonly [own: string, reference: string] {
  return [join(homeDirectory(), 'profiles'), join(homedir(), '.openhands', 'profiles')];
}
