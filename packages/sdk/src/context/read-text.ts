import type { Workspace } from '../workspace/workspace.ts';

/** Where files can be read; a workspace, or the user's own folder. */
export type Files = Pick<Workspace, 'readFile' | 'list' | 'stat' | 'realPath'>;

/** No prompt has room for more. */
const MAX_BYTES = 1024 * 1024;

/** A file that people have written for an agent. Throws Error that says why it cannot be read. */
export async function readText(files: Files, path: string): Promise<string> {
  const found = await files.stat(path);
  // To read a pipe would be to wait for ever.
  if (found?.type !== 'file') throw new Error(found === null ? 'it is not there' : 'it is no file');
  if (found.sizeBytes > MAX_BYTES) throw new Error(`${found.sizeBytes} bytes are too many`);
  return decodeText(await files.readFile(path));
}

/** UTF-8, or what the first two bytes say. Throws Error. */
export function decodeText(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) throw new Error('it is no text');
  return text;
}
