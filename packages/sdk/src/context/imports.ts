/**
 * Imports of `CLAUDE.md`, as Claude Code reads them: `@path` in the text, but not in code, relative to the file, or beginning with `/` or
 * `~/`. An imported file may import others, five files deep. What is no file is only a word: `@someone`.
 */
import { homedir } from 'node:os';
import { posix } from 'node:path';
import { type Files, readText } from './read-text.ts';

const MAX_DEPTH = 5;
const MAX_FILES = 50;
const CODE = /^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm;
const IMPORT = /(?<=^|[\s(])@([^\s()<>[\]{}"'`,;]+)/gm;

export interface ImportOptions {
  readonly files: Files;
  /** Nothing outside of this folder is imported, links resolved. */
  readonly boundary: string;
  readonly warn: (text: string) => void;
}

/** The content followed by the files that it imports, each once. */
export async function withImports(path: string, content: string, options: ImportOptions): Promise<string> {
  const seen = new Set([await options.files.realPath(path)]);
  const imported = await importsOf(path, content, { ...options, seen, depth: 1 });
  return [content, ...imported].join('\n\n');
}

interface Importing extends ImportOptions {
  /** Real paths of the files that are in the result already. */
  readonly seen: Set<string>;
  readonly depth: number;
}

async function importsOf(path: string, content: string, importing: Importing): Promise<string[]> {
  if (importing.depth > MAX_DEPTH) return [];
  const texts: string[] = [];
  for (const [, word = ''] of content.replace(CODE, '').matchAll(IMPORT)) {
    const target = await targetOf(path, word, importing);
    if (target === null) continue;
    const own = await readText(importing.files, target).catch((error: Error) => {
      importing.warn(`${path} imports ${target}, which cannot be read: ${error.message}`);
      return '';
    });
    if (own.trim() === '') continue;
    texts.push(`[Imported from ${target}]\n${own.trim()}`);
    texts.push(...(await importsOf(target, own, { ...importing, depth: importing.depth + 1 })));
  }
  return texts;
}

/** The file that a word names; null if there is none, if it must not be read, or if it is in the result already. */
async function targetOf(
  path: string,
  word: string,
  { files, boundary, warn, seen }: Importing,
): Promise<string | null> {
  const [target] = await existing(files, placesOf(path, word));
  if (target === undefined) return null;
  const [real, inside] = await Promise.all([files.realPath(target), files.realPath(boundary)]);
  if (inside !== '/' && real !== inside && !real.startsWith(`${inside}/`)) {
    warn(`${path} imports ${target}, which is outside of ${boundary}; it is ignored`);
    return null;
  }
  if (seen.has(real) || seen.size > MAX_FILES) return null;
  seen.add(real);
  return target;
}

/** A full stop after a path belongs to the sentence. */
function placesOf(path: string, word: string): readonly string[] {
  return [word, word.replace(/[.:!?]+$/, '')].map((each) =>
    each.startsWith('~/') ? posix.join(homedir(), each.slice(2)) : posix.resolve(posix.dirname(path), each),
  );
}

async function existing(files: Files, places: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(places.map((place) => files.stat(place).catch(() => null)));
  return places.filter((_, i) => found[i]?.type === 'file');
}
