import { stripVTControlCharacters } from 'node:util';
import { headOf } from '@longhand/sdk/value';
import { OutputBuffer } from '../terminal/output/output-buffer.ts';
import { overstruck } from '../terminal/output/overstrike.ts';

export interface CellImage {
  readonly mediaType: string;
  readonly base64: string;
}

export interface CellResult {
  readonly text: string;
  /** Whether the text is complete. */
  readonly isWhole: boolean;
  /** Numbered from 1 in the text. */
  readonly images: readonly CellImage[];
}

/** Data by media type, as Jupyter displays it. */
export type Bundle = { readonly [mediaType: string]: unknown };

const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** What says more than the name of a class does. */
const TEXTS = ['text/markdown', 'text/latex', 'text/html', 'application/json', 'image/svg+xml'];
const ONLY_A_NAME = /^<IPython\.core\.display\.\w+ object>$/;
/** More than anyone will look at; each is below the providers' limit of five megabytes. */
const MAX_IMAGES = 10;
const MAX_BASE64 = 5_000_000;
const PIECE_CHARACTERS = 65_536;

/** The output of a cell: all text in order, and the images. Its memory is bounded, whatever the cell does. */
export class CellOutput {
  readonly #buffer = new OutputBuffer();
  /** Small chunks, joined before they are kept one by one. */
  #piece = '';
  #written = 0;
  #images: CellImage[] = [];
  #leftOut = 0;
  /** By their ids, the displays that were changed in place; only their last state counts. */
  readonly #updates = new Map<string, Bundle>();
  #atLineStart = true;
  #clearNext = false;
  /** Called with text as it is written. */
  onOutput: (text: string) => void = () => undefined;

  /** Text as a program prints it. */
  write(text: string): void {
    if (text === '') return;
    if (this.#clearNext) this.clear(false);
    this.#piece += text;
    this.#written += text.length;
    this.onOutput(text);
    this.#atLineStart = text.endsWith('\n');
    if (this.#piece.length >= PIECE_CHARACTERS) this.#keep();
  }

  /** Text that has lines of its own. */
  writeLine(text: string): void {
    if (this.#clearNext) this.clear(false); // before the line begins
    this.write(`${this.#atLineStart ? '' : '\n'}${text}\n`);
  }

  display(bundle: Bundle): void {
    if (this.#clearNext) this.clear(false); // before images are counted
    const text = textOfBundle(bundle);
    const mediaType = IMAGES.find((type) => typeof bundle[type] === 'string');
    if (mediaType === undefined) this.writeLine(text);
    else this.#displayImage(mediaType, bundle[mediaType] as string, text === '' ? '' : `: ${text}`);
  }

  #displayImage(mediaType: string, encoded: string, caption: string): void {
    const base64 = encoded.replace(/\s/g, '');
    if (this.#images.length >= MAX_IMAGES) {
      this.#leftOut += 1;
    } else if (base64.length > MAX_BASE64) {
      this.writeLine(
        `[an image of ${megabytes(base64)} MB is too large to show; save a smaller one${caption}]`,
      );
    } else {
      this.#images.push({ mediaType, base64 });
      this.writeLine(`[image ${this.#images.length}${caption}]`);
    }
  }

  /** A display that was shown before is to show something else. */
  update(id: string, bundle: Bundle): void {
    this.#updates.set(id, bundle);
  }

  /** Discards the output so far, or with `wait` as soon as new output arrives. */
  clear(wait: boolean): void {
    this.#clearNext = wait;
    if (!wait) this.#drain();
  }

  /** All output since the last call, without colours, with lines as a terminal would show them. */
  take(): CellResult {
    for (const bundle of this.#updates.values()) this.display(bundle);
    if (this.#leftOut > 0) this.writeLine(`[${this.#leftOut} more image(s) are omitted]`);
    this.#clearNext = false;
    const images = this.#images;
    const written = this.#written;
    const kept = this.#drain();
    const text = overstruck(stripVTControlCharacters(kept)).replace(/\n+$/, '');
    return { text, isWhole: kept.length === written, images };
  }

  #keep(): void {
    // In pieces, since what is let go of a flood goes by the piece.
    let rest = this.#piece;
    while (rest !== '') {
      const piece = headOf(rest, PIECE_CHARACTERS);
      this.#buffer.push(piece);
      rest = rest.slice(piece.length);
    }
    this.#piece = '';
  }

  #drain(): string {
    this.#keep();
    this.#written = 0;
    this.#images = [];
    this.#leftOut = 0;
    this.#updates.clear();
    this.#atLineStart = true;
    return this.#buffer.take().text;
  }
}

function textOfBundle(bundle: Bundle): string {
  const plain = bundle['text/plain'];
  if (typeof plain === 'string' && !ONLY_A_NAME.test(plain)) return plain;
  const type = TEXTS.find((each) => bundle[each] !== undefined);
  const isImage = IMAGES.some((each) => bundle[each] !== undefined);
  if (type === undefined || isImage) return isImage || typeof plain !== 'string' ? '' : plain;
  const value = bundle[type];
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function megabytes(base64: string): string {
  return ((base64.length * 3) / 4 / 1_000_000).toFixed(1);
}
