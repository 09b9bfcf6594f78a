/**
 * Exact counts for OpenAI's models, whose vocabularies are public. Other vocabularies are not, or differ in what surrounds the text.
 * A vocabulary takes about 80 MB of memory, so it is loaded only when an estimate is not enough.
 */

export type TokenizerName = 'o200k_base' | 'cl100k_base';

export type CountText = (text: string) => number;

/** Names as in `features.ts`; the first match applies. Source: OpenAI's tiktoken. */
const TOKENIZERS: readonly (readonly [RegExp, TokenizerName])[] = [
  [/gpt-(4o|4\.1|4\.5|[5-9]|oss)|\bo[134](-|$)|codex-mini/, 'o200k_base'],
  [/gpt-(4|3\.5)/, 'cl100k_base'],
];

export function tokenizerOf(ruleName: string): TokenizerName | undefined {
  return TOKENIZERS.find(([pattern]) => pattern.test(ruleName))?.[1];
}

export async function loadTokenizer(name: TokenizerName): Promise<CountText> {
  const { countTokens } =
    name === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Text that looks like a special token is ordinary text.
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let tokens = 0;
    for (const piece of pieces(text)) tokens += countTokens(piece, asText);
    return tokens;
  };
}

/** Merging takes quadratic time in a word's length, and a word may be a whole file. Each cut costs at most one token. */
const LONG_WORD = /\S{500}|\s{500}/g;

function* pieces(text: string): Generator<string> {
  let from = 0;
  for (const { 0: word, index } of text.matchAll(LONG_WORD)) {
    yield text.slice(from, index + word.length);
    from = index + word.length;
  }
  yield text.slice(from);
}
