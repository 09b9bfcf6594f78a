/** What the text behind a flag stands for: how it is read, and how help, messages and shells describe it. */

export interface Value<T> {
  /** In help: `N`, `FILE`. */
  readonly placeholder: string;
  /** Completes the sentence "--flag must be ...". */
  readonly expects: string;
  /** Undefined if the text is no such value. */
  readonly parse: (text: string) => T | undefined;
  readonly completion?: Completion;
}

/** What a shell proposes. */
export type Completion = 'file' | 'directory' | 'conversation' | readonly string[];

/** Any text. */
export function text(placeholder: string, completion?: Completion): Value<string> {
  return {
    placeholder,
    expects: 'text',
    parse: (words) => (words === '' ? undefined : words),
    ...(completion === undefined ? {} : { completion }),
  };
}

export const file = text('FILE', 'file');
export const directory = text('DIR', 'directory');

/** As a sentence lists things: `a, b or c`. */
export function listed(things: readonly string[]): string {
  return `${things.slice(0, -1).join(', ')} or ${things.at(-1)}`;
}

export function oneOf<const Word extends string>(placeholder: string, words: readonly Word[]): Value<Word> {
  return {
    placeholder,
    expects: `one of ${words.join(', ')}`,
    parse: (given) => words.find((word) => word === given),
    completion: words,
  };
}

export function wholeNumber(least: number): Value<number> {
  return {
    placeholder: 'N',
    expects: `a whole number of at least ${least}`,
    parse: (digits) => {
      const number = Number(digits);
      return /^\d+$/.test(digits) && Number.isSafeInteger(number) && number >= least ? number : undefined;
    },
  };
}

/** US dollars. */
export const amount: Value<number> = {
  placeholder: 'USD',
  expects: 'an amount in US dollars above 0',
  parse: (digits) => (Number(digits) > 0 && Number.isFinite(Number(digits)) ? Number(digits) : undefined),
};

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `15m`, `2h`; in milliseconds. */
export const duration: Value<number> = {
  placeholder: 'TIME',
  expects: 'a time such as 90s, 15m or 2h',
  parse: (words) => {
    const [, digits = '', unit = 's'] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(words) ?? [];
    const ms = Number(digits) * (UNITS[unit] ?? 0);
    return ms > 0 ? ms : undefined;
  },
};

export const uuid: Value<string> = {
  placeholder: 'UUID',
  expects: 'a UUID',
  parse: (words) => (/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(words) ? words : undefined),
};

/** The name of a conversation. */
export const conversationName: Value<string> = {
  placeholder: 'NAME',
  expects: 'one line of at most 256 characters',
  parse: (words) => (/^\P{Cc}{1,256}$/u.test(words) ? words : undefined),
  completion: 'conversation',
};

/** The id or name of a conversation; an empty text stands for the latest, like no value at all. */
export const conversationOrLatest: Value<string | true> = {
  placeholder: 'ID',
  expects: 'the id or name of a conversation',
  parse: (words) => (words === '' ? true : words),
  completion: 'conversation',
};
