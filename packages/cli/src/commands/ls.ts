import { type ConversationSummary, listConversations } from '@longhand/sdk';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { OUTPUT, STORE } from '../flags/table.ts';
import { conversationsDirectory } from '../stored/find-conversation.ts';
import { ago, usd } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';
import { isTerminal } from '../view/style.ts';
import { tableLines } from '../view/table.ts';

const FLAGS = { output: OUTPUT, store: STORE };

/** `longhand ls`: the conversations, the one that changed last first. */
export const ls = defineCommand({
  name: 'ls',
  about: 'longhand ls: lists the conversations, the one that changed last first.',
  flags: FLAGS,
  words: noWords,
  run: list,
});

async function list({ output, store }: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const reporter = createReporter(output, process, process.env);
  const directory = conversationsDirectory(store.conversationsDir);
  const summaries = await listConversations(directory, reporter.warn);
  if (output.json) {
    for (const summary of summaries) process.stdout.write(ownLine({ type: 'summary', ...summary }));
  } else if (summaries.length === 0) {
    reporter.say(`no conversations in ${directory}`);
  } else {
    const columns = isTerminal(process.stdout, process.env) ? process.stdout.columns : undefined;
    process.stdout.write(`${linesOf(summaries, Date.now(), columns).join('\n')}\n`);
  }
  return EXIT.ok;
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
    ['ID', ...named('NAME'), 'STATUS', 'CHANGED', 'EVENTS', 'COST', 'TASK'],
    ...summaries.map((each) => [
      each.id.slice(0, 8),
      ...named(sanitizeLine(each.name ?? '').slice(0, 40)),
      each.status,
      ago(nowMs - each.modifiedMs),
      String(each.events),
      each.costUsd > 0 ? usd(each.costUsd) : '-',
      sanitizeLine(each.title).slice(0, 200),
    ]),
  ];
  return tableLines(rows, 'padEnd').map((line) => line.slice(0, columns).toWellFormed().trimEnd());
}
