import { ToolError } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import picomatch from 'picomatch';

const DIALECT = {
  flags: 's',
  nonegate: true,
  noextglob: true,
  posix: true, // [!a]
  literalBrackets: false,
  strictBrackets: true,
  strictSlashes: true,
  debug: true, // throw for a pattern that makes no regular expression
} as const;

/**
 * A glob as a regular expression over paths with slashes: `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a]`,
 * `{a,b}`, and `\` before a character that is meant literally. `dot`: wildcards match hidden names, too; without it these
 * match only where the glob itself writes the dot. Throws a ToolError if it is not a glob.
 */
export function globPattern(glob: string, { dot = false } = {}): RegExp {
  try {
    return picomatch.makeRe(literalParentheses(glob), { ...DIALECT, dot });
  } catch (error) {
    throw new ToolError(
      `The pattern ${headOf(glob, 200)} is not a glob: ${(error as Error).message.slice(-100)}`,
    );
  }
}

/** The library takes `(`, `)` and `|` for those of a regular expression. */
function literalParentheses(glob: string): string {
  return glob.replace(/\\[\s\S]|[()|+@]/g, (part) => (part.length === 2 ? part : `\\${part}`));
}

/** Whether a glob writes the dot of a hidden name. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}
