import type { ConversationFiles } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import { KeptOutput } from './kept-output.ts';

const HEAD_CHARACTERS = 1_000_000;
const TAIL_CHARACTERS = 4_000_000;
/** Dropped chunks are removed in groups: shifting a long array once per chunk is slow. */
const CUT_OFF_CHUNKS = 1_000;

/** The output since the last `take`. */
export interface Taken {
  /** The whole output, or its first million and last four million characters with a line about the gap between them. */
  readonly text: string;
  /** Length of the whole output. */
  readonly characters: number;
  /** The file with the whole output, if it exceeds `text` and there is a folder for it. */
  readonly file: string | null;
}

/**
 * The output of a shell between two calls. Memory stays bounded; beyond the bound the whole output is written to a file as
 * it arrives, if there is a folder.
 */
export class OutputBuffer {
  readonly #files: ConversationFiles | null;
  #head: string[] = [];
  #headLength = 0;
  #tail: string[] = [];
  #tailLength = 0;
  /** Chunks at the front of the tail that were dropped but not removed yet. */
  #droppedChunks = 0;
  #dropped = 0;
  #kept: KeptOutput | null = null;

  /** `files`: where large outputs are stored. */
  constructor(files: ConversationFiles | null = null) {
    this.#files = files;
  }

  push(text: string): void {
    const room = this.#tail.length > 0 ? 0 : HEAD_CHARACTERS - this.#headLength;
    let head = '';
    if (room > 0) {
      head = headOf(text, room);
      this.#head.push(head);
      this.#headLength += head.length;
    }
    const rest = text.slice(head.length);
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    this.#kept?.write(rest);
    if (this.#tailLength > TAIL_CHARACTERS) this.#dropOldest();
  }

  take(): Taken {
    const tail = this.#tail.slice(this.#droppedChunks).join('');
    const gap = this.#dropped === 0 ? '' : `\n[${this.#dropped} characters of output are left out here]\n`;
    const taken = {
      text: this.#head.join('') + gap + tail,
      characters: this.#headLength + this.#dropped + this.#tailLength,
      file: this.#kept?.close() ?? null,
    };
    this.#head = [];
    this.#headLength = 0;
    this.#tail = [];
    this.#tailLength = 0;
    this.#droppedChunks = 0;
    this.#dropped = 0;
    this.#kept = null;
    return taken;
  }

  /** Closes the file of a shell whose output was not taken. */
  close(): void {
    this.#kept?.close();
    this.#kept = null;
  }

  #dropOldest(): void {
    for (;;) {
      const oldest = this.#tail[this.#droppedChunks]?.length ?? 0;
      if (this.#droppedChunks + 1 >= this.#tail.length || this.#tailLength - oldest < TAIL_CHARACTERS) break;
      this.#keepAll();
      this.#tailLength -= oldest;
      this.#dropped += oldest;
      this.#tail[this.#droppedChunks] = '';
      this.#droppedChunks += 1;
    }
    if (this.#droppedChunks < CUT_OFF_CHUNKS) return;
    this.#tail = this.#tail.slice(this.#droppedChunks);
    this.#droppedChunks = 0;
  }

  /** Called before the first chunk is dropped. */
  #keepAll(): void {
    if (this.#kept !== null || this.#files === null) return;
    this.#kept = new KeptOutput(this.#files);
    for (const chunk of this.#head) this.#kept.write(chunk);
    for (const chunk of this.#tail) this.#kept.write(chunk);
  }
}
