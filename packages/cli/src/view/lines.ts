import type { Tool } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import type { Style } from './style.ts';

export interface LineOptions {
  readonly style: Style;
  /** Lines of one text; of a longer one the middle is left out. */
  readonly maxLines: number;
  /** The tools of the conversation, as far as they are known: some have their own way to show calls. */
  readonly tool?: (name: string) => Tool | undefined;
  /** Also shows bookkeeping, and what a live view shows in other ways. */
  readonly timeline?: boolean;
}

/** What was shown of the model's reply already while it was streamed. */
export interface Shown {
  readonly text: boolean;
  readonly reasoning: boolean;
}

const MAX_COLUMNS = 500;

/** At most `max` lines: the beginning, a line with the number of omitted lines, and the end. Long lines are cut. */
export function clip(lines: readonly string[], max: number): string[] {
  const cut = lines.map(cutLine);
  if (cut.length <= max) return cut;
  const head = Math.floor((max - 1) / 2);
  const tail = max - 1 - head;
  return [...cut.slice(0, head), `... ${cut.length - head - tail} lines omitted ...`, ...cut.slice(-tail)];
}

function cutLine(line: string): string {
  if (line.length <= MAX_COLUMNS) return line;
  return `${headOf(line, MAX_COLUMNS)}... (${line.length - MAX_COLUMNS} more characters)`;
}

export function indent(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

export function paint(lines: readonly string[], colour: (text: string) => string): string[] {
  return lines.map(colour);
}
