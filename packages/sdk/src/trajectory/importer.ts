import type { Imported } from './imported.ts';

/** A format that is read as a conversation: one text, or a folder of files. */
export interface Importer {
  /** A short description for the help. */
  readonly about: string;
  /** Whether a text has this format. `json` is its value as JSON; undefined if it is something else. */
  recognises?(source: string, json: unknown): boolean;
  /** Reads a text of this format. Throws TrajectoryError that names the line. */
  text?(source: string): Imported;
  /** Reads a folder. Throws TrajectoryError that names the file. */
  folder?(directory: string): Imported;
}
