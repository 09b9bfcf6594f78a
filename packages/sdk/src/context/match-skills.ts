import type { Skill } from './skill.ts';

export interface Match {
  readonly skill: Skill;
  /** The word, or the pattern, that it was. */
  readonly by: string;
}

/** The skills that words call up, each by its first word. */
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

/** As a word of its own: `git` is not in `github`. */
function isSaid(words: string, word: string): boolean {
  const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  for (let at = words.indexOf(word); at !== -1; at = words.indexOf(word, at + 1)) {
    const before = isWordChar(word[0]) && isWordChar(words[at - 1]);
    const after = isWordChar(word.at(-1)) && isWordChar(words[at + word.length]);
    if (!before && !after) return true;
  }
  return false;
}

/** The skills for a file, by its path relative to the workspace with slashes. */
export function matchPath(skills: readonly Skill[], path: string): Match[] {
  return skills.flatMap((skill) => {
    const by =
      skill.trigger?.type === 'path'
        ? skill.trigger.paths.find((glob) => pathPattern(glob).test(path))
        : undefined;
    return by === undefined ? [] : [{ skill, by }];
  });
}

const patterns = new Map<string, RegExp>();

/** As in `.gitignore`: without a slash, but for one at its end, it fits at any depth; a folder stands for all that is in it. */
function pathPattern(glob: string): RegExp {
  let pattern = patterns.get(glob);
  if (pattern === undefined) {
    const bare = glob.replace(/^\//, '').replace(/\/$/, '/**');
    const source = (/\/./.test(glob) ? bare : `**/${bare}`)
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(
        /\*\*\/|\*\*|\*|\?/g,
        (token) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' })[token] ?? '[^/]',
      );
    pattern = new RegExp(`^${source}$`);
    patterns.set(glob, pattern);
  }
  return pattern;
}
