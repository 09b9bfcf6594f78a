import { randomUUID } from 'node:crypto';
import type { ConversationFiles } from '@longhand/sdk';
import type { KeptFile } from '@longhand/sdk/internal';
import { OUTPUTS } from '../../kept-file.ts';

const BLOCK_CHARACTERS = 256 * 1_024;
/** A program that prints for ever must not fill the disk. */
const MOST_CHARACTERS = 2_000_000_000;

/**
 * A file in the conversation's folder that takes an output whole, block by block. What cannot be written (a full disk) ends
 * it: `path` is then null.
 */
export class KeptOutput {
  readonly #files: ConversationFiles;
  readonly #name = `${OUTPUTS}/terminal_output_${randomUUID().slice(0, 8)}.txt`;
  #file: KeptFile | null = null;
  #block: string[] = [];
  #blockLength = 0;
  #length = 0;

  constructor(files: ConversationFiles) {
    this.#files = files;
    try {
      this.#file = files.create(this.#name);
    } catch {
      // Said where it matters: there is no path.
    }
  }

  write(text: string): void {
    if (this.#file === null) return;
    const room = MOST_CHARACTERS - this.#length;
    if (room <= 0) return;
    this.#length += text.length;
    this.#block.push(
      text.length <= room
        ? text
        : `${text.slice(0, room)}\n[not kept beyond ${MOST_CHARACTERS} characters]\n`,
    );
    this.#blockLength += text.length;
    if (this.#blockLength >= BLOCK_CHARACTERS) this.#writeBlock();
  }

  /** The file, complete. Null if it could not be written. */
  close(): string | null {
    this.#writeBlock();
    if (this.#file === null) return null;
    this.#file.close();
    this.#file = null;
    return this.#files.pathOf(this.#name);
  }

  #writeBlock(): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(this.#block.join(''));
    this.#block = [];
    this.#blockLength = 0;
    try {
      this.#file.write(bytes);
    } catch {
      // A full disk: the command goes on, the answer names no file, and what was written must not keep the disk full.
      this.#file.close();
      this.#file = null;
      this.#files.remove(this.#name);
    }
  }
}
