import type { DirectoryEntry, Workspace } from '../workspace/workspace.ts';

/** Where files can be read; a workspace, or the user's own folder. */
export type Files = Pick<Workspace, 'readFile' | 'list' | 'stat' | 'realPath'>;

/** More would not fit in a prompt. */
const MAX_BYTES = 1024 * 1024;

/** Reads a file that was written for an agent. Throws an Error that states why it cannot be read. */
export async function readText(files: Files, path: string): Promise<string> {
  const found = await files.stat(path);
  // Reading a pipe could block forever.
  if (found?.type !== 'file') throw new Error(found === null ? 'it does not exist' : 'it is not a file');
  if (found.sizeBytes > MAX_BYTES) throw new Error(`it has ${found.sizeBytes} bytes, more than ${MAX_BYTES}`);
  return decodeText(await files.readFile(path));
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. Throws an Error for binary data. */
export function decodeText(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) throw new Error('it is not text');
  return text;
}

/** The content of a file; undefined, with a warning that names it, if it cannot be read. */
export async function contentOf(
  files: Files,
  path: string,
  warn: (text: string) => void,
): Promise<string | undefined> {
  try {
    return await readText(files, path);
  } catch (error) {
    warn(`${path} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/** The entries of a folder in the order of their names; none if it does not exist. */
export async function listed(files: Files, folder: string): Promise<readonly DirectoryEntry[]> {
  try {
    return (await files.list(folder)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
