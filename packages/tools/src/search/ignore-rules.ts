/** What `.gitignore` leaves out (gitignore(5)): the last rule that fits counts, a file further down after those above it. */
import { ToolError } from '@longhand/sdk';
import { globPattern } from './glob-pattern.ts';

export interface IgnoreRule {
  readonly pattern: RegExp;
  readonly isForFolders: boolean;
  /** `!`: brings back what a rule above left out. */
  readonly isKept: boolean;
}

/** The rules of a file that lies in `folder`, relative to where the paths begin; empty for there. */
export function parseIgnoreFile(content: string, folder: string): readonly IgnoreRule[] {
  return content.split(/\r?\n/).flatMap((line) => {
    const rule = line.replace(/(?<!\\) +$/, '');
    if (rule === '' || rule.startsWith('#')) return [];
    const isKept = rule.startsWith('!');
    const glob = (isKept ? rule.slice(1) : rule).replace(/^\\(?=[#!])/, '');
    const bare = glob.replace(/\/$/, '');
    const anchored = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`;
    try {
      const pattern = globPattern(folder === '' ? anchored : `${escaped(folder)}/${anchored}`, { dot: true });
      return [{ pattern, isForFolders: glob.endsWith('/'), isKept }];
    } catch (error) {
      if (error instanceof ToolError) return []; // git passes over what is no pattern, too
      throw error;
    }
  });
}

function escaped(path: string): string {
  return path.replace(/[\\*?[\]{},]/g, '\\$&');
}

export function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const rule = rules.findLast((each) => (isFolder || !each.isForFolders) && each.pattern.test(path));
  return rule !== undefined && !rule.isKept;
}
