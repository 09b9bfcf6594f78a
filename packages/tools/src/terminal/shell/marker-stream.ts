/** What a shell's markers tell (see start-script.ts). */
export type Marker =
  | {
      readonly kind: 'end';
      readonly sequence: number;
      readonly exitCode: number;
      readonly backgroundPid: number;
      readonly user: string;
      readonly host: string;
      readonly interpreter: string;
      /** Empty if its name holds control characters. */
      readonly folder: string;
    }
  | { readonly kind: 'prompt'; readonly sequence: number };

/** Takes the markers out of what a shell prints. One that is cut by the end of a chunk is kept until the rest comes. */
export class MarkerStream {
  readonly #opening: string;
  #held = '';

  constructor(nonce: string) {
    this.#opening = `\x1b]697;${nonce};`;
  }

  /** Tells what is in the chunk, in order. */
  push(chunk: string, onText: (text: string) => void, onMarker: (marker: Marker) => void): void {
    const text = this.#held + chunk;
    let from = 0;
    for (;;) {
      const start = text.indexOf(this.#opening, from);
      const end = start === -1 ? -1 : text.indexOf('\x07', start);
      const cut = start === -1 ? this.#partialStart(text, from) : start;
      if (cut > from) onText(text.slice(from, cut));
      if (end === -1) {
        this.#held = text.slice(cut);
        return;
      }
      const marker = markerOf(text.slice(start + this.#opening.length, end));
      if (marker !== null) onMarker(marker);
      from = end + 1;
    }
  }

  /** Where a marker may begin at the very end. */
  #partialStart(text: string, from: number): number {
    const at = text.lastIndexOf('\x1b');
    return at >= from && this.#opening.startsWith(text.slice(at)) ? at : text.length;
  }
}

/** Null for what is no marker. */
export function markerOf(fields: string): Marker | null {
  const [kind, sequence = '', exitCode = '', pid = '', user = '', host = '', interpreter = '', ...folder] =
    fields.split(';');
  if (!/^\d+$/.test(sequence)) return null;
  if (kind === 'prompt') return { kind, sequence: Number(sequence) };
  if (kind !== 'end' || !/^\d+$/.test(exitCode)) return null;
  return {
    kind,
    sequence: Number(sequence),
    exitCode: Number(exitCode),
    backgroundPid: pid === '' ? -1 : Number(pid),
    user,
    host,
    interpreter,
    folder: folder.join(';'),
  };
}
