import * as z from 'zod';

/** The schema of text that is written to a file. Half of a surrogate pair is refused: it would silently become another character. */
export function fileText() {
  return z
    .string()
    .refine(
      (text) => text.isWellFormed(),
      'contains half of a surrogate pair (\\ud800 to \\udfff alone), which a file cannot hold. Nothing was written; send the whole character.',
    );
}
