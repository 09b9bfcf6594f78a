import { resolve } from 'node:path';
import { readConversation, statsOf } from '@longhand/sdk';
import { type StepStats, statsSvg, type TrajectoryStats } from '@longhand/sdk/internal';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneId } from '../flags/command.ts';
import { valueFlag } from '../flags/flag.ts';
import { OUTPUT } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { file } from '../flags/value.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { count, usd } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitizeLine } from '../view/sanitize.ts';
import { costText } from '../view/summary.ts';
import { tableLines } from '../view/table.ts';

const FLAGS = {
  picture: { svg: valueFlag(file, { name: 'svg', help: 'draw the figures as an SVG file' }) },
  output: OUTPUT,
  store: STORE,
};

/** `longhand stats ID`: the figures of a conversation, step by step. */
export const stats = defineCommand({
  name: 'stats',
  about:
    'longhand stats ID: prints turns, tool calls, errors, condensations, time, tokens and cost of a conversation, in total\nand step by step.',
  flags: FLAGS,
  words: oneId,
  run: printStats,
});

async function printStats({
  words,
  picture: { svg },
  output,
  store,
}: Asked<typeof FLAGS, string>): Promise<ExitCode> {
  const { id, directory } = findConversation(conversationsDirectory(store.conversationsDir), words);
  const { warn: onWarning } = createReporter(output, process, process.env);
  const conversation = await readConversation(directory, { onWarning });
  const found = await (async () => {
    try {
      const events = [...conversation.log.read()].map(([, event]) => event);
      return statsOf(events, conversation.accounts());
    } finally {
      await conversation.close();
    }
  })();
  if (svg !== undefined) writeWholeFile(resolve(svg), statsSvg(found, `Conversation ${id}`));
  if (output.json) process.stdout.write(ownLine({ type: 'stats', conversation_id: id, ...found }));
  else if (svg === undefined) process.stdout.write(`${statsLines(found).join('\n')}\n`);
  return EXIT.ok;
}

function statsLines(found: TrajectoryStats): string[] {
  const facts = [
    ['turns', String(found.interaction_turns)],
    ['tool calls', String(found.tool_calls)],
    ['errors', String(found.errors)],
    ['failed calls', String(found.failed_calls)],
    ['condensations', String(found.condensations)],
    ['events', String(found.events)],
    ['model calls', String(found.model_calls)],
    [
      'time',
      `${time(found.seconds)} (model ${time(found.model_seconds)}, tools ${time(found.tool_seconds)})`,
    ],
    ['tokens', `${count(found.prompt_tokens)} in, ${count(found.completion_tokens)} out`],
    ['cost', costText(found.cost, found.unpriced_calls) ?? 'unknown'],
    ['tools', toolWords(found) || 'none'],
  ];
  const lines = facts.map(([name = '', value = '']) => `${name.padEnd(14)}${value}`);
  if (found.steps.length === 0) return lines;
  return [...lines, '', ...table(found.steps)];
}

function toolWords({ tools }: TrajectoryStats): string {
  return Object.entries(tools)
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${sanitizeLine(name)} ${times}`)
    .join(', ');
}

function table(steps: readonly StepStats[]): string[] {
  return tableLines(
    [
      ['STEP', 'EVENT', 'MODEL', 'TOOLS', 'IN', 'CACHED', 'OUT', 'COST', 'ERRORS', 'CALLS'],
      ...steps.map((step) => [
        String(step.step),
        String(step.event),
        known(step.model_seconds, time),
        time(step.tool_seconds),
        known(step.prompt_tokens, count),
        known(step.cache_read_tokens, count),
        known(step.completion_tokens, count),
        known(step.cost, usd),
        step.errors === 0 ? '' : String(step.errors),
        step.tools.map(sanitizeLine).join(', '),
      ]),
    ],
    'padStart',
  );
}

function known(value: number | null, words: (value: number) => string): string {
  return value === null ? '-' : words(value);
}

/** With tenths of a second, because steps are short. */
function time(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 3_600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
