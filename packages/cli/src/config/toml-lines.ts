/** Line numbers of sections and keys in TOML, for messages; unusual spellings are not found. */

const HEADER = /^\s*\[\s*(?:"([^"]*)"|'([^']*)'|([^\s"'[\]]+))\s*\]/;
const NAME = String.raw`\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*`;
const KEY = new RegExp(`^${NAME}[=.]`);
const DOTTED = new RegExp(`^${NAME}\\.${NAME}[=.]`);

/** `:LINE` of a key, or of its section; empty if neither is found. */
export type LineOf = (section: string, key?: string) => string;

/** Reads the text once, however many lines are looked up. */
export function linesIn(source: string): LineOf {
  const sections = new Map<string, number>();
  const keys = new Map<string, number>();
  const note = (lines: Map<string, number>, name: string, line: number) => {
    if (!lines.has(name)) lines.set(name, line);
  };
  let current: string | undefined = '';
  for (const [i, line] of source.split('\n').entries()) {
    if (/^\s*\[/.test(line)) {
      current = nameIn(HEADER.exec(line), 1);
      if (current !== undefined) note(sections, current, i + 1);
      continue;
    }
    const key = nameIn(KEY.exec(line), 1);
    if (key === undefined || current === undefined) continue;
    if (current !== '') note(keys, placeOf(current, key), i + 1);
    else {
      note(sections, key, i + 1);
      const inner = nameIn(DOTTED.exec(line), 4);
      if (inner !== undefined) note(keys, placeOf(key, inner), i + 1);
    }
  }
  return (section, key) => {
    const line = (key === undefined ? undefined : keys.get(placeOf(section, key))) ?? sections.get(section);
    return line === undefined ? '' : `:${line}`;
  };
}

function placeOf(section: string, key: string): string {
  return JSON.stringify([section, key]);
}

function nameIn(match: RegExpExecArray | null, from: number): string | undefined {
  return match?.slice(from, from + 3).find((name) => name !== undefined);
}
