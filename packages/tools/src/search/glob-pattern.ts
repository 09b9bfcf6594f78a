/**
 * Globs as regular expressions over paths with slashes: `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a]`,
 * `{a,b}`, and `\` before a sign that is meant as it is.
 */
import { ToolError } from '@longhand/sdk';

/** `dot`: wildcards take hidden names, too; else those only fit where the glob itself writes the dot. */
export function globPattern(glob: string, { dot = false } = {}): RegExp {
  const guard = dot ? '' : '(?!\\.)';
  const name = `${guard}[^/]+`;
  const braces: boolean[] = [];
  let source = '';
  let atStart = true;
  for (let i = 0; i < glob.length; ) {
    const sign = glob[i] ?? '';
    const folders = atStart ? /^\*\*(\/|$)/.exec(glob.slice(i)) : null;
    if (folders !== null) {
      source += folders[1] === '/' ? `(?:${name}/)*` : `(?:${name}/)*${name}`;
      i += folders[0].length;
      continue;
    }
    if (sign === '{') {
      braces.push(atStart);
      source += '(?:';
    } else if (sign === ',' && braces.length > 0) {
      atStart = braces.at(-1) ?? false;
      source += '|';
    } else if (sign === '}' && braces.length > 0) {
      braces.pop();
      source += ')';
      atStart = false;
    } else if (sign === '/') {
      source += '/';
      atStart = true;
    } else {
      const [length, part] = oneName(glob, i, atStart ? guard : '');
      source += part;
      i += length;
      atStart = false;
      continue;
    }
    i += 1;
  }
  if (braces.length > 0) throw new ToolError(`The pattern ${glob} has a "{" that is not closed.`);
  try {
    const pattern = new RegExp(`^${source}$`, 's');
    pattern.test(''); // only now is one found to be too large
    return pattern;
  } catch (error) {
    throw new ToolError(
      `The pattern ${glob.slice(0, 200)} is no glob. ${(error as Error).message.slice(-100)}`,
    );
  }
}

/** A wildcard or a literal inside of a name: how long it is, and its expression. */
function oneName(glob: string, i: number, guard: string): readonly [length: number, source: string] {
  const sign = glob[i] ?? '';
  if (sign === '*') return [/^\*+/.exec(glob.slice(i))?.[0].length ?? 1, `${guard}[^/]*`];
  if (sign === '?') return [1, `${guard}[^/]`];
  if (sign === '\\' && i + 1 < glob.length) return [2, literal(glob[i + 1] ?? '')];
  if (sign !== '[') return [1, literal(sign)];
  const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(glob.slice(i));
  if (set === null) throw new ToolError(`The pattern ${glob} has a "[" that is not closed.`);
  const [whole, not, signs = ''] = set;
  return [whole.length, `${guard}(?!/)[${not === '' ? '' : '^'}${signs.replace(/[\\\]^[]/g, '\\$&')}]`];
}

function literal(sign: string): string {
  return sign.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Whether a glob writes the dot of a hidden name. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}
