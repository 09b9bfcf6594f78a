import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where everything of a user's lies, unless something else is said. */
export function homeDirectory(): string {
  return join(homedir(), '.longhand');
}

/** Where profiles are kept, and where those of the reference are found. */
export function profileDirectories(): readonly [own: string, reference: string] {
  return [join(homeDirectory(), 'profiles'), join(homedir(), '.openhands', 'profiles')];
}
