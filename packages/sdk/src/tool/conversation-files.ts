import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { makeFolder } from '../value/make-folder.ts';
import { OutputQuota } from './output-quota.ts';

/**
 * The files that tools keep beside a conversation: complete outputs, images, edits that can be undone, the task list. Names are
 * relative to the conversation's folder, with slashes. All calls are synchronous: files are small, or are written piece by piece; an
 * implementation that stores them remotely writes in the background. Errors of the storage, such as a full disk, are thrown.
 */
export interface ConversationFiles {
  /** The path by which a result names the file or folder. */
  pathOf(name: string): string;
  /** Undefined if there is no such file. */
  read(name: string): Uint8Array | undefined;
  /** Writes the file and makes its folders. */
  write(name: string, content: string | Uint8Array): void;
  /** The names in a folder, sorted; none if there is no such folder. */
  list(folder: string): readonly string[];
  /** Removes the file, if it is there. */
  remove(name: string): void;
  /** Creates a file that is written piece by piece. Throws if there is one of that name. */
  create(name: string): KeptFile;
}

/** A file that is being written. */
export interface KeptFile {
  write(content: Uint8Array): void;
  close(): void;
}

/** The folder for outputs that a result contains only in part. */
export const OUTPUTS = 'observations';

/**
 * The files in a folder of this machine; new ones are readable only for their owner. When the outputs exceed `maxOutputBytes` together, the
 * oldest are removed.
 */
export function localConversationFiles(directory: string, maxOutputBytes?: number): ConversationFiles {
  const pathOf = (name: string) => join(directory, name);
  const quota = new OutputQuota(pathOf(OUTPUTS), maxOutputBytes);
  const nameInOutputs = (name: string) => (dirname(name) === OUTPUTS ? basename(name) : null);
  return {
    pathOf,
    read: (name) => unlessMissing(() => readFileSync(pathOf(name))),
    write: (name, content) => {
      makeFolder(dirname(pathOf(name)), 0o700);
      const output = nameInOutputs(name);
      if (output !== null) quota.wrote(output, Buffer.byteLength(content));
      writeFileSync(pathOf(name), content, { mode: 0o600 });
    },
    list: (folder) => unlessMissing(() => readdirSync(pathOf(folder)).sort()) ?? [],
    remove: (name) => rmSync(pathOf(name), { force: true }),
    create: (name) => {
      makeFolder(dirname(pathOf(name)), 0o700);
      const file = openSync(pathOf(name), 'wx', 0o600);
      const output = nameInOutputs(name);
      return {
        write: (content) => {
          if (output !== null) quota.grew(output, content.length);
          for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
        },
        close: () => closeSync(file),
      };
    },
  };
}

function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
