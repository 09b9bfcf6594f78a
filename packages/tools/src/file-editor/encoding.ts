/**
 * Decodes a file to text that can be edited, and encodes it again. Lines end with `\n` in the text, whatever their ending in the file;
 * unchanged parts keep their bytes.
 */
export interface FileText {
  /** Without byte-order mark, lines ending with `\n`. */
  readonly text: string;
  /** The text with its original line endings. */
  readonly raw: string;
  /** The name that iconv-lite uses. */
  readonly encoding: string;
  readonly bom: boolean;
  /** False if it is only a guess, good enough for viewing but not for writing. */
  readonly isCertain: boolean;
}

const BOM = '\ufeff';
const MARKS: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ['utf8', 0xef, 0xbb, 0xbf],
  ['utf32le', 0xff, 0xfe, 0, 0],
  ['utf32be', 0, 0, 0xfe, 0xff],
  ['utf16le', 0xff, 0xfe],
  ['utf16be', 0xfe, 0xff],
];
/** How many bytes the detector reads. */
const SAMPLE_BYTES = 1024 * 1024;
/** The detector's confidence in percent: the minimum, and the minimum lead over the next encoding that decodes differently. */
const CONFIDENCE = 20;
const LEAD = 10;
/** iconv-lite also accepts `base64` and `hex`, which a file may mention. */
const CHARACTER_SET = /^(?:windows|cp|iso|latin|koi8|shift|sjis|euc|gb|big5|mac|tis)/i;

/**
 * Decodes bytes: by the byte-order mark, otherwise in the `known` encoding, otherwise as UTF-8 if valid, otherwise as the file declares
 * (`coding: cp1251`), otherwise as the detector is sure of, otherwise as Latin-1, which never fails. A certain result can be written
 * back byte for byte.
 */
export async function decode(bytes: Uint8Array, known?: string): Promise<FileText> {
  const mark = markOf(bytes);
  if (mark === 'utf8' || (mark === undefined && known === undefined)) {
    const read = decodeUtf8(bytes);
    if (read !== undefined) return read;
  }
  const { default: iconv } = await import('iconv-lite');
  const attempt = (encoding: string | undefined): FileText | undefined => {
    if (encoding === undefined || !iconv.encodingExists(encoding)) return undefined;
    const text = iconv.decode(bytes, encoding, { stripBOM: false });
    if (/\ufffd|[\x80-\x9f]/.test(text) || !iconv.encode(text, encoding).equals(bytes)) return undefined;
    return described(text, encoding);
  };
  return (
    attempt(mark ?? known) ??
    decodeUtf8(bytes) ??
    attempt(declared(bytes)) ??
    (await detected(bytes, attempt)) ?? {
      ...described(Buffer.from(bytes).toString('latin1'), 'latin1'),
      isCertain: false,
    }
  );
}

function markOf(bytes: Uint8Array): string | undefined {
  return MARKS.find(([, ...mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
}

function decodeUtf8(bytes: Uint8Array): FileText | undefined {
  try {
    return described(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), 'utf8');
  } catch {
    return undefined; // the next encoding is tried
  }
}

function described(decoded: string, encoding: string): FileText {
  const bom = decoded.startsWith(BOM);
  const raw = bom ? decoded.slice(1) : decoded;
  return { text: raw.replaceAll('\r\n', '\n'), raw, encoding, bom, isCertain: true };
}

/** The declarations that editors and parsers honour: `coding: x` in the first two lines, `encoding="x"`, `charset=x`. */
function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const line = /^(?:.*\n)?.*coding[:=][ \t]*([-\w.]+)/.exec(head);
  const name = (line ?? /(?:encoding|charset)=["']?([-\w]+)/.exec(head))?.[1];
  return name !== undefined && CHARACTER_SET.test(name) ? name : undefined;
}

async function detected(
  bytes: Uint8Array,
  attempt: (encoding: string) => FileText | undefined,
): Promise<FileText | undefined> {
  // By its default: a bundle has no other names of it.
  const { default: chardet } = await import('chardet');
  const [first, ...others] = chardet
    .analyse(bytes.subarray(0, SAMPLE_BYTES))
    .filter(({ confidence }) => confidence >= CONFIDENCE - LEAD)
    .flatMap(({ name, confidence }) => {
      const file = attempt(name);
      return file === undefined ? [] : [{ file, confidence }];
    });
  if (first === undefined || first.confidence < CONFIDENCE) return undefined;
  const rival = others.find(({ file }) => file.text !== first.file.text);
  return rival === undefined || first.confidence - rival.confidence >= LEAD ? first.file : undefined;
}

export interface Replaced {
  readonly file: FileText;
  readonly bytes: Uint8Array;
  /** Its encoding cannot represent the new text; the whole file is UTF-8 now. */
  readonly becameUtf8: boolean;
}

/** The characters `[from, to)` of a text and their replacement. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The file with one span of its text replaced. */
export function replaceSpan(file: FileText, from: number, to: number, text: string): Promise<Replaced> {
  return replaceSpans(file, [{ from, to, text }]);
}

/**
 * The file with ascending, non-overlapping spans of its text replaced. All other bytes are kept; new lines end like the lines that
 * they replace, or else like the lines around them.
 */
export async function replaceSpans(file: FileText, spans: readonly Span[]): Promise<Replaced> {
  const rawPlace = rawPlaces(file.raw);
  const rawSpans = spans.map(({ from, to, text }) => {
    const place = { from: rawPlace(from), to: rawPlace(to) };
    return { ...place, text: endsWithCrlf(file.raw, place) ? text.replace(/\r?\n/g, '\r\n') : text };
  });
  const raw = spliced(file.raw, rawSpans);
  const text = file.text === file.raw ? raw : spliced(file.text, spans);
  if (
    file.encoding !== 'utf8' &&
    !(await canHold(file.encoding, rawSpans.map((span) => span.text).join('')))
  ) {
    const utf8: FileText = { text, raw, encoding: 'utf8', bom: false, isCertain: true };
    return { file: utf8, bytes: Buffer.from(raw), becameUtf8: true };
  }
  const bytes = await encode(raw, file);
  return { file: { ...file, text, raw }, bytes, becameUtf8: false };
}

function spliced(content: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, text } of spans) {
    pieces.push(content.slice(at, from), text);
    at = to;
  }
  return pieces.join('') + content.slice(at);
}

/** Whether most of the lines that end in the span end with CRLF; if none does, whether the line before it does, or else the line after it. */
function endsWithCrlf(raw: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const replaced = raw.slice(from, to);
  const count = countOf(replaced, '\n');
  if (count > 0) return countOf(replaced, '\r\n') > count / 2;
  const before = from === 0 ? -1 : raw.lastIndexOf('\n', from - 1);
  const end = before === -1 ? raw.indexOf('\n', to) : before;
  return end > 0 && raw[end - 1] === '\r';
}

async function canHold(encoding: string, text: string): Promise<boolean> {
  const { default: iconv } = await import('iconv-lite');
  return iconv.decode(iconv.encode(text, encoding), encoding) === text;
}

async function encode(raw: string, { encoding, bom }: FileText): Promise<Uint8Array> {
  const whole = bom ? BOM + raw : raw;
  if (encoding === 'utf8') return Buffer.from(whole);
  const { default: iconv } = await import('iconv-lite');
  return iconv.encode(whole, encoding);
}

/** Maps ascending offsets of the text to offsets in the file's own text, which also contains carriage returns. */
function rawPlaces(raw: string): (place: number) => number {
  let seen = 0;
  let at = raw.indexOf('\r\n');
  return (place) => {
    while (at !== -1 && at - seen < place) {
      seen += 1;
      at = raw.indexOf('\r\n', at + 2);
    }
    return place + seen;
  };
}

export function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) count += 1;
  return count;
}

/** Whether the bytes contain NUL or more control characters than text does. Text with a byte-order mark is text. */
export function isBinary(bytes: Uint8Array): boolean {
  if (markOf(bytes) !== undefined) return false;
  const sample = bytes.subarray(0, 8_192);
  if (sample.includes(0)) return true;
  let odd = 0;
  let isAscii = true;
  for (const byte of sample) {
    if (byte < 7 || (byte > 13 && byte < 32 && byte !== 27)) odd += 1;
    if (byte > 127) isAscii = false;
  }
  return odd > sample.length * (isAscii ? 0.3 : 0.02);
}
