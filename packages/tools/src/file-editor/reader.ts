import { ToolError, type Workspace } from '@longhand/sdk';
import { decode, type FileText, isBinary } from './encoding.ts';
import type { EncodingCache } from './encoding-cache.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** What reading files requires. */
export interface Reading {
  readonly workspace: Workspace;
  readonly encodings: EncodingCache;
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly file: FileText;
}

export interface Bytes {
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
}

/** Reads a file. Throws ToolError if it is too large. */
export async function readBytes(path: string, workspace: Workspace): Promise<Bytes> {
  const { sizeBytes = 0, modifiedMs = 0 } = (await workspace.stat(path)) ?? {};
  if (sizeBytes > MAX_BYTES) {
    throw new ToolError(
      `${path} has ${(sizeBytes / 1024 / 1024).toFixed(1)} MB; files over 10 MB cannot be opened. Use head, tail or grep.`,
    );
  }
  return { bytes: await workspace.readFile(path), modifiedMs };
}

/** The text of a file. Throws ToolError for a binary file. */
export async function readText(path: string, { workspace, encodings }: Reading): Promise<ReadFile> {
  const { bytes, modifiedMs } = await readBytes(path, workspace);
  if (isBinary(bytes)) throw new ToolError(`${path} is a binary file and cannot be shown or edited as text.`);
  const file = await decode(bytes, encodings.get(path, modifiedMs));
  if (file.encoding !== 'utf8' && file.isCertain) encodings.set(path, modifiedMs, file.encoding);
  return { bytes, file };
}
