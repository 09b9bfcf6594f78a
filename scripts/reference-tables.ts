/**
 * The tables of commands and flags in the reference pages, made from the flag table: `npm run docs` writes them. A table stands
 * between `<!-- table: NAME -->` and `<!-- end of table -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BATCH_FLAGS } from '../packages/cli/src/batch/options.ts';
import { COMMANDS } from '../packages/cli/src/commands/registry.ts';
import type { Flag } from '../packages/cli/src/flags/flag.ts';
import { type FlagGroups, flagsIn } from '../packages/cli/src/flags/groups.ts';
import { spelling } from '../packages/cli/src/flags/help-lines.ts';
import { RUN } from '../packages/cli/src/flags/table.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** By path: the way from there to `docs/`. */
const PAGES = { 'docs/reference/command-line.md': '../', 'docs/batch.md': '' };
/** Not worth a mention at every command. */
const COMMON = new Set(['--conversations-dir DIR', '--log-level LEVEL']);

/** The pages as they should be, by path. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const commands = await commandTable();
  const pages = Object.entries(PAGES).map(([path, docs]) => {
    const tables: { readonly [name: string]: string } = {
      commands,
      'flags of a run': flagTable(RUN, docs),
      'flags of a batch': flagTable({ batch: BATCH_FLAGS.batch }, docs),
    };
    const page = readFileSync(resolve(ROOT, path), 'utf8').replace(
      /(<!-- table: (.*) -->\n)[\s\S]*?(<!-- end of table -->)/g,
      (_, head: string, name: string, end: string) => `${head}\n${tables[name]}\n\n${end}`,
    );
    return [path, page] as const;
  });
  return new Map(pages);
}

function flagTable(groups: FlagGroups, docs: string): string {
  const rows = flagsIn(groups).map((flag) => {
    const page = flag.page === undefined ? '' : `; see [${titleOf(flag.page)}](${docs}${flag.page})`;
    return `| ${spellings(flag)} | ${cell(flag.help)}${page} | ${cell(flag.default ?? '')} |`;
  });
  return ['| flag | meaning | default |', '|---|---|---|', ...rows].join('\n');
}

function spellings(flag: Flag): string {
  const short = flag.short === undefined ? [] : [`\`-${flag.short}\``];
  return [...short, `\`${spelling(flag)}\``].join(', ');
}

/** The usage of each command names the flags that a run does not have. */
async function commandTable(): Promise<string> {
  const rows = await Promise.all(
    COMMANDS.map(async ({ name, usage, does, load }) => {
      const own = name === 'run' || name === 'batch' ? [] : flagsIn((await load()).flags);
      const flags = own.map(spelling).filter((each) => !COMMON.has(each));
      const call = [usage, ...flags.map((flag) => `[${flag}]`)].join(' ');
      return `| \`longhand ${call.replaceAll('|', '\\|')}\` | ${cell(does)} |`;
    }),
  );
  return ['| command | what it does |', '|---|---|', ...rows].join('\n');
}

/** Bars and angle brackets would be markup. */
function cell(words: string): string {
  return words.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function titleOf(page: string): string {
  return page
    .replace(/^.*\//, '')
    .replace(/\.md.*$/, '')
    .replaceAll('-', ' ');
}

if (import.meta.main)
  for (const [path, page] of await referencePages()) writeFileSync(resolve(ROOT, path), page);
