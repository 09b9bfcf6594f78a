import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const HEX = /^[0-9a-f]{32}$/;

/** The hyphenated form of a UUID that is given with or without hyphens. Throws a TypeError if it is not a UUID. */
export function conversationId(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  if (!HEX.test(hex))
    throw new TypeError(`"${id}" is not a conversation's id: 32 hexadecimal digits are expected`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Folders are named by the id without hyphens. */
export function conversationDirectory(conversationsDir: string, id: string): string {
  return join(conversationsDir, conversationId(id).replaceAll('-', ''));
}

/** Ids of the conversations in a folder; none if there is no such folder. */
export function conversationIds(conversationsDir: string): string[] {
  try {
    return readdirSync(conversationsDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && HEX.test(entry.name))
      .map((entry) => conversationId(entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
