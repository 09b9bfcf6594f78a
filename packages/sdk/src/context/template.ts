/** Jinja templates, as the reference's users have them. The engine is loaded only for a text that has something to fill in. */
import { posix } from 'node:path';

export type Values = { readonly [name: string]: unknown };

/** A template that cannot be used: where, and why. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Throws TemplateError that names file and line. `read` gives the files that are included. */
export async function renderTemplate(
  source: string,
  path: string,
  values: Values,
  read: (path: string) => Promise<string> = () => Promise.reject(new Error('nothing can be included here')),
): Promise<string> {
  if (!/\{[{%#]/.test(source)) return source.trim();
  const whole = await included(source, path, read, [path]);
  const { Template } = await import('@huggingface/jinja');
  try {
    return new Template(whole).render({ ...values }).trim();
  } catch (error) {
    const line = await faultyLine(whole);
    throw new TemplateError(`${path}${line === undefined ? '' : `:${line}`}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const INCLUDE = /\{%-?\s*include\s+["']([^"']+)["']\s*-?%\}/g;

/** The engine knows no includes; they are put in before it sees the text. */
async function included(
  source: string,
  path: string,
  read: (path: string) => Promise<string>,
  stack: readonly string[],
): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const match of source.matchAll(INCLUDE)) {
    const wanted = posix.join(posix.dirname(path), match[1] ?? '');
    const line = source.slice(0, match.index).split('\n').length;
    if (stack.includes(wanted))
      throw new TemplateError(`${path}:${line}: ${[...stack, wanted].join(' includes ')}, which never ends`);
    let text: string;
    try {
      text = await read(wanted);
    } catch (error) {
      throw new TemplateError(`${path}:${line}: ${wanted} cannot be included: ${(error as Error).message}`);
    }
    parts.push(source.slice(at, match.index), await included(text, wanted, read, [...stack, wanted]));
    at = match.index + match[0].length;
  }
  return [...parts, source.slice(at)].join('');
}

/** What a tag needs around it to be a template by itself. */
const AROUND: readonly (readonly [RegExp, (tag: string) => string])[] = [
  [/^\{%-?\s*if\b/, (tag) => `${tag}{% endif %}`],
  [/^\{%-?\s*elif\b/, (tag) => `{% if true %}${tag}{% endif %}`],
  [/^\{%-?\s*for\b/, (tag) => `${tag}{% endfor %}`],
  [/^\{%-?\s*(else|end\w+)\b/, () => ''],
];

/** The engine does not say where a fault is: the first tag that is none by itself, else the last that is open. */
async function faultyLine(source: string): Promise<number | undefined> {
  const { Template } = await import('@huggingface/jinja');
  let last: number | undefined;
  for (const match of source.matchAll(/\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}|\{[%{][^\n]*/g)) {
    const [tag] = match;
    last = source.slice(0, match.index).split('\n').length;
    const alone = AROUND.find(([pattern]) => pattern.test(tag))?.[1](tag) ?? tag;
    try {
      new Template(alone);
    } catch {
      return last;
    }
  }
  return last;
}
