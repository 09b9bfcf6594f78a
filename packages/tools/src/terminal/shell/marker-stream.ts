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
  | { readonly kind: 'prompt' | 'lost'; readonly sequence: number };

/** Longer than any marker: user, host, and two paths. */
const LONGEST_MARKER = 16_384;

/**
 * Extracts markers from a shell's output. A marker that is cut off at the end of a chunk is held until the rest arrives.
 * An opening without an end, which a command can print, is removed alone: it hides neither output nor the next marker.
 */
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
      const cut = start === -1 ? this.#partialStart(text, from) : start;
      if (cut > from) onText(text.slice(from, cut));
      const content = start + this.#opening.length;
      const end = start === -1 ? -1 : text.indexOf('\x07', content);
      if (start !== -1 && this.#isBroken(text, content, end)) {
        from = content;
        continue;
      }
      if (end === -1) {
        this.#held = text.slice(cut);
        return;
      }
      const marker = markerOf(text.slice(content, end));
      if (marker !== null) onMarker(marker);
      from = end + 1;
    }
  }

  /** Whether what follows an opening is not a marker: `end` is its first BEL, or -1. */
  #isBroken(text: string, content: number, end: number): boolean {
    const next = text.indexOf(this.#opening, content);
    if (next !== -1 && (end === -1 || next < end)) return true;
    return (end === -1 ? text.length : end) - content > LONGEST_MARKER;
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
  if (kind === 'prompt' || kind === 'lost') return { kind, sequence: Number(sequence) };
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
