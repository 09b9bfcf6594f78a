/** Changes one key in the text of a TOML file; comments, order and everything else stay as they are. */

/**
 * The text with `line` (`key = value`, without an end) in place of the key of that section, or without the key if `line` is undefined. A key
 * that is new follows the header of the section, which is added at the end if there is none.
 */
export function withKey(source: string, section: string, key: string, line: string | undefined): string {
  const lines = source.split('\n');
  const header = lines.findIndex((each) => isHeader(each, section));
  if (header === -1) {
    if (line === undefined) return source;
    const before = source === '' || source.endsWith('\n\n') ? source : `${source.replace(/\n?$/, '\n')}\n`;
    return `${before}[${section}]\n${line}\n`;
  }
  const after = lines.findIndex((each, i) => i > header && /^\s*\[/.test(each));
  const end = after === -1 ? lines.length : after;
  const at = lines.findIndex((each, i) => i > header && i < end && isKey(each, key));
  const added = line === undefined ? [] : [line];
  if (at === -1) return lines.toSpliced(header + 1, 0, ...added).join('\n');
  return lines.toSpliced(at, 1, ...added).join('\n');
}

function isHeader(line: string, section: string): boolean {
  const [, found] = /^\s*\[\s*["']?([\w-]+)["']?\s*\]\s*(?:#.*)?$/.exec(line) ?? [];
  return found === section;
}

function isKey(line: string, key: string): boolean {
  const [, found] = /^\s*["']?([\w-]+)["']?\s*=/.exec(line) ?? [];
  return found === key;
}
