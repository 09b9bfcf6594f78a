/** How help shows flags. */
import type { Flag } from './flag.ts';
import { type FlagGroup, flagsIn } from './groups.ts';

const COLUMN = 29;
const WIDTH = 118;

/** `-t, --task TEXT   what it is for (default)`, for each flag of a group. */
export function flagLines(group: FlagGroup): string[] {
  return flagsIn({ group }).flatMap((flag) => {
    const { short, help, default: usual } = flag;
    const head = `  ${short === undefined ? '    ' : `-${short}, `}${spelling(flag)}`;
    const [first = '', ...more] = wrapped(`${help}${usual === undefined ? '' : ` (default: ${usual})`}`);
    const rest = more.map((line) => ' '.repeat(COLUMN) + line);
    return head.length + 2 > COLUMN
      ? [head, ' '.repeat(COLUMN) + first, ...rest]
      : [head.padEnd(COLUMN) + first, ...rest];
  });
}

/** `--task TEXT`, `--resume [ID]`. */
export function spelling({ name, takes, value }: Flag): string {
  if (value === undefined) return `--${name}`;
  return takes === 'optional' ? `--${name} [${value.placeholder}]` : `--${name} ${value.placeholder}`;
}

function wrapped(sentence: string): string[] {
  const lines = [''];
  for (const word of sentence.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length + 1 <= WIDTH - COLUMN) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
