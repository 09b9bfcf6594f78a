/** The head of a Markdown file: YAML 1.2 between two lines of `---`. The YAML library is loaded with the first one that is not plain. */
import { plainHead } from './plain-head.ts';

/** Characters of a head. The YAML library takes seconds for a megabyte. */
const MOST_CHARACTERS = 64 * 1_024;

export interface Document {
  readonly attributes: { readonly [key: string]: unknown };
  readonly body: string;
  /** The line of a key in the file. */
  readonly lineOf: (key: string) => number;
}

/** Splits a Markdown file into its head and body. Throws a SyntaxError that names the line. */
export async function parseDocument(source: string): Promise<Document> {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  if (match === null) {
    if (UNENDED.test(text))
      throw new SyntaxError('line 1: the head that begins here is not closed by a line of ---');
    return { attributes: {}, body: text, lineOf: () => 1 };
  }
  const [whole, head = ''] = match;
  const attributes = plainHead(head) ?? (await yaml(head));
  const lineOf = (key: string) => 2 + head.split('\n').findIndex((line) => line.startsWith(`${key}:`));
  return { attributes, body: text.slice(whole.length), lineOf };
}

/** A line alone may be a rule; with a key below it is the beginning of a head. */
const UNENDED = /^---[ \t]*\n\s*[A-Za-z_][\w-]*:(?:[ \t\n]|$)/;

async function yaml(head: string): Promise<{ readonly [key: string]: unknown }> {
  if (head.length > MOST_CHARACTERS)
    throw new SyntaxError(
      `line 2: the head has ${head.length} characters; at most ${MOST_CHARACTERS} are allowed`,
    );
  const { default: yamlPackage } = await import('yaml');
  const document = yamlPackage.parseDocument(head, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = head.slice(0, error.pos[0]).split('\n').length + 1;
    throw new SyntaxError(`line ${line}: ${error.message}`);
  }
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new SyntaxError('line 2: the head is not a list of keys and values');
  return value as { readonly [key: string]: unknown };
}

/** A list of words, or words between commas; undefined for anything else. */
export function wordList(value: unknown): string[] | undefined {
  const list: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(list) || list.some((each) => typeof each === 'object' && each !== null))
    return undefined;
  return list.map((each) => String(each ?? '').trim()).filter((each) => each !== '');
}
