/** Text of a body, in the encoding that it says it has: by its header, its first bytes, its markup, or else UTF-8. */
const MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** Where a page must have said it. */
const HEAD_BYTES = 1_024;

/** Of bytes that were cut, a last character that lacks its end is left out. */
export function decodeText(bytes: Uint8Array, charset: string | undefined, isCut: boolean): string {
  const mark = MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
  const label = mark ?? charset ?? declaredIn(bytes);
  const decoder = label === undefined ? undefined : decoderFor(label);
  return decoder?.decode(bytes, { stream: isCut }) ?? undeclared(bytes, isCut);
}

/** Undefined for an encoding that nobody knows. */
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

/** Bytes that are no UTF-8 are taken for what browsers take them for. */
function undeclared(bytes: Uint8Array, isCut: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
