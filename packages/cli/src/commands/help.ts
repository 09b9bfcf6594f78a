import { EXIT } from '../exit-code.ts';
import { type Command, defineCommand } from '../flags/command.ts';
import { flagLines } from '../flags/help-lines.ts';
import { INFORM } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import { COMMANDS, commandNamed, RUN } from './registry.ts';
import { strayWord } from './run.ts';

/** `longhand help COMMAND`. */
export const help = defineCommand({
  name: 'help',
  about: 'longhand help [COMMAND]: prints what a command does and the flags that it takes.',
  flags: {},
  words: {
    completion: COMMANDS.map(({ name }) => name),
    read: ([word, more]) => {
      if (more !== undefined) throw new UsageError(`help takes one command, but was also given "${more}"`);
      return word;
    },
  },
  run: async ({ words: name }) => {
    const entry = name === undefined || name === 'help' ? RUN : commandNamed(name);
    if (entry === undefined) throw new UsageError(strayWord(name ?? ''));
    process.stdout.write(helpOf(await entry.load()));
    return EXIT.ok;
  },
});

const TITLES: { readonly [group: string]: string } = {
  task: 'Task',
  conversation: 'Conversation',
  place: 'Workspace',
  model: 'Model',
  limits: 'Limits',
  agent: 'Agent',
  recording: 'Recording and replay',
  output: 'Output',
};

const EXAMPLES = `
  longhand -t "fix the failing test"     work in this folder until the task is done
  longhand --resume                      resume the latest conversation of this folder
  longhand demo                          watch it work, without a key
`;

const NOTES = `
Models and keys also come from the environment: LLM_MODEL, LLM_BASE_URL, LLM_API_KEY, or the provider's own variable
(ANTHROPIC_API_KEY, OPENAI_API_KEY, ...). Flags override the environment, and the environment overrides config files.
Every flag has a variable: LONGHAND_MAX_TIME=15m is --max-time 15m.

Exit codes: 0 finished, 1 error, 2 wrong usage or configuration, 3 stuck, 4 limit reached, 5 paused or waiting for
confirmation, 130 interrupted. Ctrl-C ends a run in order; a second Ctrl-C does not wait for running commands. Either
way it can be resumed.
`;

/** The help of one command; that of `run` is the help of longhand as a whole. */
export function helpOf(command: Command): string {
  if (command.name === RUN.name) return generalHelp(command);
  const groups = Object.values({ ...command.flags, ...INFORM });
  const lines = groups.flatMap((group) => flagLines(group));
  const notes = command.notes === undefined ? '' : `\n${command.notes}\n`;
  return `${command.about}\n\n${lines.join('\n')}\n${notes}`;
}

function generalHelp({ about, flags }: Command): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  const commands = COMMANDS.map(({ usage, does }) => `  longhand ${usage.padEnd(width)}  ${does}`);
  const { store = {}, output = {}, ...groups } = flags;
  const sections = Object.entries({ ...groups, output: { ...output, ...store, ...INFORM.inform } }).map(
    ([name, group]) => `\n${TITLES[name] ?? name}\n${flagLines(group).join('\n')}\n`,
  );
  return `${about}\n${EXAMPLES}\nCommands\n${commands.join('\n')}\n${sections.join('')}${NOTES}`;
}
