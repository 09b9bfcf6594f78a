/** Decodes a body: by its byte-order mark, its header, its markup, or else as UTF-8. */
const MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** The declaration must be within these first bytes. */
const HEAD_BYTES = 1_024;

/** If the bytes were cut, an incomplete last character is omitted. */
export function decodeText(bytes: Uint8Array, charset: string | undefined, isCut: boolean): string {
  const mark = MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
  const label = mark ?? charset ?? declaredIn(bytes);
  const decoder = label === undefined ? undefined : decoderFor(label);
  return decoder?.decode(bytes, { stream: isCut }) ?? undeclared(bytes, isCut);
}

/** Undefined for an unknown encoding. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  return (
    /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1]
  );
}

/** Bytes that are not valid UTF-8 are read as Windows-1252, as browsers do. */
function undeclared(bytes: Uint8Array, isCut: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
