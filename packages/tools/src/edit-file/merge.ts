/** The request that asks the other model to merge a draft, and how its answer is read. */
import { type LLM, ToolError, text, textOf } from '@longhand/sdk';
import { linesOf } from './lines.ts';
import { SHOWN_FAULTS } from './lint.ts';

const TRIES = 3;

const INSTRUCTIONS = `Below are lines of a file and the draft of a change to them. Apply the change and write the resulting lines.
- Follow the draft. Where a comment in it represents unchanged lines, write these lines verbatim.
- Do not change anything else: no indentation, no comments, no blank lines.
- Write all resulting lines between <updated_code> and </updated_code>, without a code fence.`;

/** The old lines with the draft merged by a model. Throws ToolError if the model returns no lines. */
export async function merged(
  old: readonly string[],
  draft: string,
  faults: readonly string[],
  llm: LLM,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wrong =
    faults.length === 0
      ? ''
      : `\n\nA previous attempt produced these lines. A linter reports for the whole file:\n${faults.slice(0, SHOWN_FAULTS).join('\n')}\nFix these errors.`;
  const request = `${INSTRUCTIONS}${wrong}\n\n<original_code>\n${old.join('\n')}\n</original_code>\n\n<update_snippet>\n${draft.replace(/\n$/, '')}\n</update_snippet>`;
  for (let i = 0; i < TRIES; i += 1) {
    const { message, finish } = await llm.complete(
      { messages: [{ role: 'user', content: [text(request)] }], tools: [] },
      { signal },
    );
    const answer = /<updated_code>\n?(.*)<\/updated_code>/s.exec(textOf(message.content))?.[1];
    if (answer !== undefined && finish.reason !== 'length')
      return linesOf(answer.replace(/^#EDIT:.*(?:\n|$)/, ''));
  }
  throw new ToolError(
    `${llm.model.name} returned no lines between <updated_code> and </updated_code> in ${TRIES} attempts; nothing was changed. Use a smaller range, or another editor.`,
  );
}
