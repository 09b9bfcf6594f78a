/**
 * The head of a Markdown file between two lines of `---`: YAML. Nearly all of them are plain keys with words or lists of
 * words, which are read here; the YAML library is loaded for the others, since it takes longer than reading 200 skills.
 */

export interface Document {
  readonly attributes: { readonly [key: string]: unknown };
  readonly body: string;
  /** Where a key stands in the file. */
  readonly lineOf: (key: string) => number;
}

/** Throws SyntaxError that names the line. */
export async function parseDocument(source: string): Promise<Document> {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  if (match === null) {
    if (UNENDED.test(text))
      throw new SyntaxError('line 1: the head that begins here has no line of --- at its end');
    return { attributes: {}, body: text, lineOf: () => 1 };
  }
  const [whole, head = ''] = match;
  const attributes = plainYaml(head) ?? (await yaml(head));
  const lineOf = (key: string) => 2 + head.split('\n').findIndex((line) => line.startsWith(`${key}:`));
  return { attributes, body: text.slice(whole.length), lineOf };
}

/** A line alone may be a rule; with a key below it is the beginning of a head. */
const UNENDED = /^---[ \t]*\n\s*[A-Za-z_][\w-]*:(?:[ \t\n]|$)/;

const KEY = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*))?$/;
/** Words that YAML reads as what they say. */
const PLAIN = /^[A-Za-z0-9./$<(@][^:#{}[\]&*!|>'"%`\n]*(?::(?=\S)[^:#{}[\]&*!|>'"%`\n]*)*$/;
const TYPED = /^(true|false|yes|no|on|off|null|~|[-+.\d][\d._eExXoO+-]*)$/i;

/** Undefined if it is more than keys with words or lists of words. */
function plainYaml(head: string): { readonly [key: string]: unknown } | undefined {
  const attributes: { [key: string]: unknown } = {};
  let list: unknown[] | null = null;
  for (const line of head.split('\n')) {
    if (line.trim() === '') continue;
    const item = /^[ \t]*-[ \t]+(.*)$/.exec(line);
    const [, key, value = ''] = KEY.exec(line) ?? [];
    if (item !== null && list !== null) {
      const word = scalar(item[1] ?? '');
      if (word === undefined) return undefined;
      list.push(word);
    } else if (key !== undefined && !(key in attributes)) {
      list = value.trim() === '' ? [] : null;
      const word = list ?? scalar(value);
      if (word === undefined) return undefined;
      attributes[key] = word;
    } else return undefined;
  }
  // A key with nothing behind it is null, not a list.
  return Object.values(attributes).some((value) => Array.isArray(value) && value.length === 0)
    ? undefined
    : attributes;
}

function scalar(text: string): string | undefined {
  const word = text.trim();
  const quoted = /^"([^"\\]*)"$|^'([^']*)'$/.exec(word);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  return PLAIN.test(word) && !TYPED.test(word) ? word : undefined;
}

async function yaml(head: string): Promise<{ readonly [key: string]: unknown }> {
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
    throw new SyntaxError('line 2: the head is no list of keys and values');
  return value as { readonly [key: string]: unknown };
}

/** A list of words, or words between commas; undefined for anything else. */
export function wordList(value: unknown): string[] | undefined {
  const list: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(list) || list.some((each) => typeof each === 'object' && each !== null))
    return undefined;
  return list.map((each) => String(each ?? '').trim()).filter((each) => each !== '');
}
