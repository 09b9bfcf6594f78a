/** How the other model is asked to carry a draft out, and what counts as its answer. */
import { type LLM, ToolError, text, textOf } from '@longhand/sdk';
import { linesOf } from './lines.ts';
import { SHOWN_FAULTS } from './lint.ts';

const TRIES = 3;

const INSTRUCTIONS = `You are given lines of a file and the draft of a change to them. Write the lines as they are when the change is made.
- What the draft says counts. Where a comment in it stands for lines that stay, put these lines, word for word.
- Change nothing else: no indentation, no comments, no blank lines.
- Answer with all of the lines between <updated_code> and </updated_code>, without a fence around them.`;

/** The old lines with the draft worked in, as a model sees it. Throws ToolError if it gives no such lines. */
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
      : `\n\nThe change was tried already, and these lines came of it. A linter finds in the whole file:\n${faults.slice(0, SHOWN_FAULTS).join('\n')}\nPut that right.`;
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
    `${llm.model.name} gave no lines between <updated_code> and </updated_code> in ${TRIES} tries; nothing was changed. Use a smaller range, or another editor.`,
  );
}
