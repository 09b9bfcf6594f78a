import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { conversationDirectory } from '../src/conversation/store/location.ts';
import type { Facts } from './folder-facts.ts';

/** A folder of a conversation in one file, with what the reference reads in it. */
export interface FrozenFolder {
  readonly id: string;
  readonly baseState: object;
  readonly events: readonly object[];
  readonly facts: Facts;
}

/** All that lie in a folder, by their names. */
export function frozenFolders(directory: string): [name: string, FrozenFolder][] {
  return readdirSync(directory).map((file) => [
    basename(file, '.json').replaceAll('-', ' '),
    JSON.parse(readFileSync(join(directory, file), 'utf8')) as FrozenFolder,
  ]);
}

/** Makes the folder again. */
export function thaw({ id, baseState, events }: FrozenFolder, conversations: string): void {
  const directory = conversationDirectory(conversations, id);
  mkdirSync(join(directory, 'events'), { recursive: true });
  writeFileSync(join(directory, 'base_state.json'), JSON.stringify(baseState));
  for (const [i, event] of events.entries()) {
    const name = `event-${String(i).padStart(5, '0')}-${(event as { readonly id: string }).id}.json`;
    writeFileSync(join(directory, 'events', name), JSON.stringify(event));
  }
}
