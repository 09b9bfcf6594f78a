import { randomUUID } from 'node:crypto';
import type { ConversationFiles } from '@longhand/sdk';
import type { KeptFile } from '@longhand/sdk/internal';
import { OUTPUTS } from '@longhand/sdk/internal';
import { headOf } from '@longhand/sdk/value';

const BLOCK_CHARACTERS = 256 * 1_024;
/** A program that prints for ever must not fill the disk. */
export const MAX_KEPT_CHARACTERS = 100_000_000;

/**
 * A file in the conversation's folder that stores a whole output, block by block. If writing fails (a full
 * disk), the file is removed and its path is null.
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
      // Reported where it matters: the path is null.
    }
  }

  write(text: string): void {
    if (this.#file === null) return;
    const room = MAX_KEPT_CHARACTERS - this.#length;
    if (room <= 0) return;
    this.#length += text.length;
    this.#block.push(
      text.length <= room
        ? text
        : `${headOf(text, room)}\n[not stored beyond ${MAX_KEPT_CHARACTERS} characters]\n`,
    );
    this.#blockLength += text.length;
    if (this.#blockLength >= BLOCK_CHARACTERS) this.#writeBlock();
  }

  /** Completes the file and returns its path; null if it could not be written. */
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
      // The disk is full: the command continues, the result names no file, and the partial file must not keep the disk full.
      this.#file.close();
      this.#file = null;
      this.#files.remove(this.#name);
    }
  }
}
