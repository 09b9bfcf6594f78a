import type { Skill } from './skill.ts';

export interface Match {
  readonly skill: Skill;
  /** The word or pattern that matched. */
  readonly by: string;
}

/** The skills that a text triggers, each with the first word that matched. */
export function matchWords(skills: readonly Skill[], words: string): Match[] {
  const said = words.toLowerCase();
  return skills.flatMap((skill) => {
    const { trigger } = skill;
    if (trigger === undefined || trigger.type === 'path') return [];
    const by = (trigger.type === 'keyword' ? trigger.keywords : trigger.triggers).find((word) =>
      isSaid(said, word.toLowerCase()),
    );
    return by === undefined ? [] : [{ skill, by }];
  });
}

/** Whether it occurs as a whole word: `git` does not occur in `github`. */
function isSaid(words: string, word: string): boolean {
  if (word.startsWith('/')) return isCommandSaid(words, word);
  const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  for (let at = words.indexOf(word); at !== -1; at = words.indexOf(word, at + 1)) {
    const before = isWordChar(word[0]) && isWordChar(words[at - 1]);
    const after = isWordChar(word.at(-1)) && isWordChar(words[at + word.length]);
    if (!before && !after) return true;
  }
  return false;
}

/** Whether a command such as `/review` is between white space: it does not occur in `src/review/a.ts`. */
function isCommandSaid(words: string, command: string): boolean {
  return words.split(/\s+/).some((word) => word === command);
}

/** The skills for a file, by its path relative to the workspace with slashes. */
export async function matchPath(skills: readonly Skill[], path: string): Promise<Match[]> {
  const withPaths = skills.flatMap((skill) =>
    skill.trigger?.type === 'path' ? [{ skill, paths: skill.trigger.paths }] : [],
  );
  if (withPaths.length === 0) return [];
  const { default: ignore } = await import('ignore');
  const options = { ignorecase: false, allowRelativePaths: true };
  return withPaths.flatMap(({ skill, paths }) => {
    const by = paths.find((glob) => ignore(options).add(rule(glob)).ignores(path));
    return by === undefined ? [] : [{ skill, by }];
  });
}

/** As in `.gitignore`, except that brackets, `!` and `#` are literal: web applications have folders called `[id]`. */
function rule(glob: string): string {
  return glob.replace(/\\[\s\S]|[[\]]|^[!#]/g, (part) => (part.length === 2 ? part : `\\${part}`));
}
