/** Jinja templates, as in the reference. The engine is loaded only for texts with tags. */
import { posix } from 'node:path';

export type Values = { readonly [name: string]: unknown };

/** A template that cannot be rendered. The message has the place and the reason. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Renders a template. Throws a TemplateError that names file and line. `read` returns included files. */
export async function renderTemplate(
  source: string,
  path: string,
  values: Values,
  read: (path: string) => Promise<string> = () =>
    Promise.reject(new Error('includes are not available here')),
): Promise<string> {
  if (!/\{[{%#]/.test(source)) return source.trim();
  const pieces = await included(source, path, read, [path]);
  const whole = pieces.map(({ text }) => text).join('');
  const { Template } = await import('@huggingface/jinja');
  try {
    return new Template(whole).render({ ...values }).trim();
  } catch (error) {
    const { faultIn } = await import('./template-fault.ts');
    const { offset, why = (error as Error).message } = await faultIn(whole, values);
    throw new TemplateError(`${offset === undefined ? path : placeOf(pieces, offset)}: ${why}`, {
      cause: error,
    });
  }
}

/** A contiguous part of one file. */
interface Piece {
  readonly path: string;
  /** The line of the file on which it starts. */
  readonly line: number;
  readonly text: string;
}

function placeOf(pieces: readonly Piece[], offset: number): string {
  let before = 0;
  for (const { path, line, text } of pieces) {
    if (offset < before + text.length) return `${path}:${line + linesIn(text.slice(0, offset - before))}`;
    before += text.length;
  }
  return pieces.at(-1)?.path ?? '';
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

const INCLUDE = /\{%-?\s*include\s+["']([^"']+)["']\s*-?%\}/g;

/** Resolves includes, which the engine does not support. */
async function included(
  source: string,
  path: string,
  read: (path: string) => Promise<string>,
  stack: readonly string[],
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let at = 0;
  const own = (to: number) => {
    pieces.push({ path, line: 1 + linesIn(source.slice(0, at)), text: source.slice(at, to) });
  };
  for (const match of source.matchAll(INCLUDE)) {
    const wanted = posix.join(posix.dirname(path), match[1] ?? '');
    const line = 1 + linesIn(source.slice(0, match.index));
    if (stack.includes(wanted))
      throw new TemplateError(`${path}:${line}: ${[...stack, wanted].join(' includes ')}, which never ends`);
    let text: string;
    try {
      text = await read(wanted);
    } catch (error) {
      throw new TemplateError(`${path}:${line}: ${wanted} cannot be included: ${(error as Error).message}`);
    }
    own(match.index);
    pieces.push(...(await included(text, wanted, read, [...stack, wanted])));
    at = match.index + match[0].length;
  }
  own(source.length);
  return pieces;
}
