/**
 * Text of a file as it can be edited, and back to bytes. Lines end with `\n` in the text, whatever they end with in the
 * file; where nothing was changed, the bytes stay as they were.
 */
export interface FileText {
  /** Without byte-order mark, lines ending with `\n`. */
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le' | 'latin1';
  readonly bom: boolean;
  /** The line end of the file as it is, by line; lines of the text that are not in it take the usual one. */
  readonly crlf: 'none' | 'all' | 'mixed';
  /** The text with its own line ends. */
  readonly raw: string;
}

const BOM = '\ufeff';

/** Not UTF-8 is shown as Latin-1, which never fails, but is not written back. */
export function decode(bytes: Uint8Array): FileText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return describe(Buffer.from(bytes).toString('utf16le'), 'utf16le');
  try {
    return describe(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), 'utf8');
  } catch {
    return describe(Buffer.from(bytes).toString('latin1'), 'latin1');
  }
}

function describe(decoded: string, encoding: FileText['encoding']): FileText {
  const bom = decoded.startsWith(BOM);
  const raw = bom ? decoded.slice(1) : decoded;
  const ends = raw.match(/\r?\n/g) ?? [];
  const windows = ends.filter((end) => end === '\r\n').length;
  const crlf = windows === 0 ? 'none' : windows === ends.length ? 'all' : 'mixed';
  return { text: crlf === 'none' ? raw : raw.replaceAll('\r\n', '\n'), encoding, bom, crlf, raw };
}

/**
 * The file with the characters `[from, to)` of its text replaced. Outside of them every byte stays; new lines end as most
 * of the file's do.
 */
export function replaceSpan(file: FileText, from: number, to: number, replacement: string): Uint8Array {
  const at = rawPositions(file, [from, to]);
  const windows = (file.raw.match(/\r\n/g) ?? []).length;
  const usual =
    windows > (file.raw.match(/(?<!\r)\n/g) ?? []).length
      ? replacement.replace(/\r?\n/g, '\r\n')
      : replacement;
  const raw = file.raw.slice(0, at[0]) + usual + file.raw.slice(at[1]);
  return encode(raw, file);
}

export function encode(raw: string, { encoding, bom }: Pick<FileText, 'encoding' | 'bom'>): Uint8Array {
  return Buffer.from(bom ? BOM + raw : raw, encoding);
}

/** Where positions of the text lie in the file's own; they differ by the carriage returns before them. */
function rawPositions(file: FileText, positions: readonly [number, number]): readonly [number, number] {
  if (file.crlf === 'none') return positions;
  return [rawPosition(file.raw, positions[0]), rawPosition(file.raw, positions[1])];
}

function rawPosition(raw: string, position: number): number {
  let left = position;
  let at = 0;
  while (left > 0) {
    at += raw.startsWith('\r\n', at) ? 2 : 1;
    left -= 1;
  }
  return at;
}

/** NUL bytes, or mostly bytes that are no text. UTF-16 with its mark is text. */
export function isBinary(bytes: Uint8Array): boolean {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return false;
  const sample = bytes.subarray(0, 8_192);
  if (sample.includes(0)) return true;
  const odd = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length;
  return odd > sample.length * 0.1;
}
