/**
 * Settings: what each holds, how it is read from a file or a variable, and how it is described. A table of settings is plain
 * data, so that nothing has to be loaded to read it: types, reading, JSON Schema and documentation are made from it.
 */

/** What a setting holds. A list: one of these words. Seconds are milliseconds in the program. */
export type Kind =
  | 'text'
  | 'secret'
  | 'switch'
  | 'number'
  | 'whole number'
  | 'whole number above 0'
  | 'number of seconds'
  | 'list of texts'
  | 'table'
  | 'table of texts'
  | 'table of switches'
  | readonly string[];

export interface Setting {
  readonly kind: Kind;
  /** For documentation: what it does, as a phrase in Markdown. */
  readonly means: string;
  /** For documentation: what applies when it is unset. */
  readonly byDefault?: string;
}

/** The type of a setting's value in the program. */
export type ValueOf<K extends Kind> = K extends readonly (infer Word)[]
  ? Word
  : K extends 'text' | 'secret'
    ? string
    : K extends 'list of texts'
      ? readonly string[]
      : K extends 'switch'
        ? boolean
        : K extends 'table'
          ? { readonly [name: string]: unknown }
          : K extends 'table of texts'
            ? { readonly [name: string]: string }
            : K extends 'table of switches'
              ? { readonly [name: string]: boolean }
              : number;

/**
 * The value as the program holds it; undefined for an empty text, which leaves a setting unset. Throws TypeError that says
 * what the value must be; the message never contains a text that was given as a secret.
 */
export function readSetting(kind: Kind, value: unknown): unknown {
  const wrong = (found: string) => new TypeError(`must be ${expected(kind)}, not ${found}`);
  if (typeof kind !== 'string') {
    if (typeof value !== 'string') throw wrong(typeName(value));
    if (value !== '' && !kind.includes(value)) throw wrong(`"${value}"`);
    return value || undefined;
  }
  switch (kind) {
    case 'text':
    case 'secret':
      if (typeof value !== 'string') throw wrong(typeName(value));
      return value || undefined;
    case 'switch':
      if (typeof value !== 'boolean') throw wrong(typeName(value));
      return value;
    case 'list of texts':
      if (!Array.isArray(value) || !value.every((each) => typeof each === 'string' && each !== ''))
        throw wrong(Array.isArray(value) ? 'one with other values' : typeName(value));
      return value;
    case 'table':
    case 'table of texts':
    case 'table of switches':
      if (!isTable(value)) throw wrong(typeName(value));
      if (!Object.values(value).every(MEMBERS[kind])) throw wrong('one with other values');
      return value;
    default:
      if (typeof value !== 'number') throw wrong(typeName(value));
      if (!isInRange(kind, value)) throw wrong(String(value));
      return kind === 'number of seconds' ? value * 1_000 : value;
  }
}

function isInRange(kind: Kind, value: number): boolean {
  if (kind === 'whole number above 0') return Number.isInteger(value) && value > 0;
  return value >= 0 && (kind !== 'whole number' || Number.isInteger(value));
}

const MEMBERS: { readonly [kind in Kind & `table${string}`]: (value: unknown) => boolean } = {
  table: () => true,
  'table of texts': (value) => typeof value === 'string',
  'table of switches': (value) => typeof value === 'boolean',
};

const SWITCHES: { readonly [word: string]: boolean } = {
  true: true,
  1: true,
  yes: true,
  on: true,
  false: false,
  0: false,
  no: false,
  off: false,
};

/** The same for an environment variable. Tables and lists are JSON. Throws TypeError. */
export function readVariable(kind: Kind, text: string): unknown {
  switch (kind) {
    case 'switch':
      return readSetting(kind, SWITCHES[text.toLowerCase()] ?? text);
    case 'number':
    case 'whole number':
    case 'whole number above 0':
    case 'number of seconds':
      return readSetting(kind, Number.isNaN(Number(text)) ? text : Number(text));
    case 'list of texts':
    case 'table':
    case 'table of texts':
    case 'table of switches':
      return readSetting(kind, parsedOr(text));
    default:
      return readSetting(kind, text);
  }
}

/** The opposite of `readSetting`. */
export function writeSetting(kind: Kind, value: unknown): unknown {
  return kind === 'number of seconds' ? (value as number) / 1_000 : value;
}

/** JSON Schema of a setting as files write it. */
export function settingSchema({ kind, means, byDefault }: Setting): { readonly [key: string]: unknown } {
  const text = byDefault === undefined ? means : `${means}; default: ${byDefault}`;
  const description = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'); // links lead somewhere in a document only
  return { description, ...schemaOf(kind) };
}

function schemaOf(kind: Kind): object {
  if (typeof kind !== 'string') return { enum: ['', ...kind] };
  switch (kind) {
    case 'text':
    case 'secret':
      return { type: 'string' };
    case 'switch':
      return { type: 'boolean' };
    case 'list of texts':
      return { type: 'array', items: { type: 'string', minLength: 1 } };
    case 'whole number above 0':
      return { type: 'integer', minimum: 1 };
    case 'table':
      return { type: 'object' };
    case 'table of texts':
      return { type: 'object', additionalProperties: { type: 'string' } };
    case 'table of switches':
      return { type: 'object', additionalProperties: { type: 'boolean' } };
    default:
      return { type: kind === 'whole number' ? 'integer' : 'number', minimum: 0 };
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function expected(kind: Kind): string {
  if (typeof kind !== 'string') return `one of ${kind.join(', ')}`;
  if (kind === 'text' || kind === 'secret') return 'text in quotes';
  if (kind === 'table of switches') return 'a table of true and false';
  return kind === 'switch' ? 'true or false' : `a ${kind}`;
}

function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'a table or date';
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
