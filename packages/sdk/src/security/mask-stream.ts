import { HIDDEN, patternOf, secretForms } from './mask.ts';

/** Hides secrets in a text that arrives in pieces, even those that are split between two pieces. */
export interface MaskStream {
  /**
   * Returns what can be shown now. An end that may be the start of a secret is held until the next piece. `follows`: false if text before
   * this piece was left out; what may be the end of a secret is then removed from its start.
   */
  push(piece: string, follows?: boolean): string;
  /** Returns what is still held, which is no secret if nothing follows. */
  end(): string;
}

export function maskStream(secrets: Iterable<string | undefined>): MaskStream {
  const forms = secretForms(secrets);
  if (forms.length === 0) return { push: (piece) => piece, end: () => '' };
  const pattern = patternOf(forms);
  let held = '';
  return {
    push: (piece, follows = true) => {
      const text = follows ? held + piece : piece.slice(endOfSecret(piece, forms));
      let cut = startOfSecret(text, forms);
      let shown = '';
      let at = 0;
      for (const { 0: found, index } of text.matchAll(pattern)) {
        if (index >= cut) break;
        shown += text.slice(at, index) + HIDDEN;
        at = index + found.length;
        cut = Math.max(cut, at);
      }
      held = text.slice(cut);
      return shown + text.slice(at, cut);
    },
    end: () => {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** Where the longest end of the text starts with which a secret could begin; the length of the text if there is none. */
function startOfSecret(text: string, forms: readonly string[]): number {
  const longest = forms[0]?.length ?? 0;
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const end = text.slice(at);
    if (forms.some((form) => form.length > end.length && form.startsWith(end))) return at;
  }
  return text.length;
}

/** The length of the longest start of the text with which a secret could end; 0 if there is none. */
function endOfSecret(text: string, forms: readonly string[]): number {
  const longest = forms[0]?.length ?? 0;
  for (let length = Math.min(text.length, longest - 1); length > 0; length -= 1) {
    const start = text.slice(0, length);
    if (forms.some((form) => form.length > length && form.endsWith(start))) return length;
  }
  return 0;
}
