/**
 * The disk as the log and its neighbours use it. Tests pass a disk that records the calls or loses power between them.
 *
 * Conversations hold source code and command outputs, so the files and folders that we create are readable only for their owner, as
 * the reference's files are. Existing ones keep their permissions.
 */
import {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { makeFolder } from '../value/make-folder.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Every method throws the error of the operating system (`code`: `ENOENT`, `ENOSPC`, ...). */
export interface Disk {
  /** Creates a private folder and its missing ancestors; true if the folder did not exist. */
  makeFolder(path: string): boolean;
  /** The names in a folder, in no particular order. */
  list(folder: string): string[];
  /** The text of a file in UTF-8. Reads a named pipe as empty instead of waiting for a writer. */
  read(path: string): string;
  /** Opens a file or folder for reading. Returns a descriptor. */
  open(path: string): number;
  /** Creates a file, or empties it, with these permissions if it is new. Returns a descriptor. */
  create(path: string, mode: number): number;
  /** Opens a file for writing at its end, and creates it with these permissions if it is missing. Returns a descriptor. */
  append(path: string, mode: number): number;
  /** Writes all of the data at the descriptor's position. */
  write(descriptor: number, data: Buffer): void;
  /** Returns when the content of the file, or the names in the folder, would survive a power cut. */
  sync(descriptor: number): void;
  /** The same in another thread. */
  syncInBackground(descriptor: number): Promise<void>;
  close(descriptor: number): void;
  /** Replaces `to` if it exists. */
  rename(from: string, to: string): void;
  /** Does nothing if there is no such file. */
  remove(path: string): void;
}

const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const nodeDisk: Disk = {
  makeFolder: (path) => makeFolder(path, PRIVATE_FOLDER),
  list: (folder) => readdirSync(folder),
  read: (path) => readFileSync(path, { encoding: 'utf8', flag: READ_WITHOUT_WAITING }),
  open: (path) => openSync(path, 'r'),
  create: (path, mode) => openSync(path, 'w', mode),
  append: (path, mode) => openSync(path, 'a', mode),
  write: (descriptor, data) => {
    for (let at = 0; at < data.length; ) at += writeSync(descriptor, data, at);
  },
  sync: fsyncSync,
  syncInBackground: promisify(fsync),
  close: closeSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
};
