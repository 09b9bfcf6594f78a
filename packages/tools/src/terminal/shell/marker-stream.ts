/** What a marker reports (see start-script.ts). */
export type Marker =
  | {
      readonly kind: 'end';
      readonly sequence: number;
      readonly exitCode: number;
      readonly backgroundPid: number;
      readonly user: string;
      readonly host: string;
      readonly interpreter: string;
      /** Empty if the name contains control characters. */
      readonly folder: string;
    }
  | { readonly kind: 'prompt'; readonly sequence: number };

/** Extracts markers from a shell's output. A marker that is cut off at the end of a chunk is held until the rest arrives. */
export class MarkerStream {
  readonly #opening: string;
  #held = '';

  constructor(nonce: string) {
    this.#opening = `\x1b]697;${nonce};`;
  }

  /** Calls back with the texts and markers of the chunk, in order. */
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

  /** Where a marker may start at the end of the text. */
  #partialStart(text: string, from: number): number {
    const at = text.lastIndexOf('\x1b');
    return at >= from && this.#opening.startsWith(text.slice(at)) ? at : text.length;
  }
}

/** Parses the fields of a marker; null if they are not valid. */
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
