import { homedir } from 'node:os';
import { type ConversationSummary, listConversations } from '@longhand/sdk';
import { STATUSES } from '@longhand/sdk/internal';
import { headOf, tailOf } from '@longhand/sdk/value';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { listFlag, valueFlag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/groups.ts';
import { OUTPUT } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import * as value from '../flags/value.ts';
import { isSameFolder } from '../stored/directory.ts';
import { conversationsDirectory } from '../stored/find-conversation.ts';
import { ago } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';
import { isTerminal } from '../view/style.ts';
import { costText } from '../view/summary.ts';
import { tableLines } from '../view/table.ts';

const FILTER = {
  folder: valueFlag(value.directory, {
    name: 'folder',
    short: 'd',
    help: 'only conversations that worked in this folder; . is the current one',
    default: 'those of all folders',
  }),
  status: listFlag(value.oneOf('STATUS', STATUSES), {
    name: 'status',
    help: `only conversations with this status; repeatable`,
    default: 'all',
  }),
};
const FLAGS = { filter: FILTER, output: OUTPUT, store: STORE };

/** `longhand ls`: the conversations, the one that changed last first. */
export const ls = defineCommand({
  name: 'ls',
  about:
    'longhand ls: lists the conversations with the folders that they worked in, the one that changed last first.',
  flags: FLAGS,
  words: noWords,
  run: list,
});

async function list({ filter, output, store }: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const reporter = createReporter(output, process, process.env);
  const directory = conversationsDirectory(store.conversationsDir);
  const all = await listConversations(directory, reporter.warn);
  const summaries = all.filter((each) => isWanted(each, filter));
  if (output.json) {
    for (const summary of summaries) process.stdout.write(ownLine({ type: 'summary', ...summary }));
  } else if (summaries.length === 0) {
    const rest = all.length === 0 ? '' : `; ${all.length} others are not listed`;
    reporter.say(`no ${all.length === 0 ? '' : 'such '}conversations in ${directory}${rest}`);
  } else {
    const columns = isTerminal(process.stdout, process.env) ? process.stdout.columns : undefined;
    process.stdout.write(`${linesOf(summaries, Date.now(), columns).join('\n')}\n`);
  }
  return EXIT.ok;
}

function isWanted(
  { workingDir, status }: ConversationSummary,
  { folder, status: wanted }: OptionsOf<typeof FILTER>,
): boolean {
  if (folder !== undefined && !isSameFolder(workingDir, folder)) return false;
  return wanted === undefined || wanted.includes(status);
}

/** One line per conversation, cut to `columns` if they are known. */
function linesOf(
  summaries: readonly ConversationSummary[],
  nowMs: number,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const isNamed = summaries.some(({ name }) => name !== undefined);
  const named = (cell: string) => (isNamed ? [cell] : []);
  const rows = [
    ['ID', ...named('NAME'), 'STATUS', 'CHANGED', 'EVENTS', 'COST', 'FOLDER', 'TASK'],
    ...summaries.map((each) => [
      each.id.slice(0, 8),
      ...named(sanitizeLine(each.name ?? '').slice(0, 40)),
      each.status,
      ago(nowMs - each.modifiedMs),
      String(each.events),
      costText(each.costUsd, each.unpricedCalls) ?? '-',
      shortFolder(each.workingDir),
      sanitizeLine(each.title).slice(0, 200),
    ]),
  ];
  return tableLines(rows, 'padEnd').map((line) => headOf(line, columns).trimEnd());
}

const FOLDER_COLUMNS = 32;

/** The end of a long path says more than its beginning. */
function shortFolder(path: string | undefined): string {
  if (path === undefined) return '-';
  const home = homedir();
  const shown = sanitizeLine(
    path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path,
  );
  return shown.length <= FOLDER_COLUMNS ? shown : `…${tailOf(shown, FOLDER_COLUMNS - 1)}`;
}
