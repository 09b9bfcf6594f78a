import { nearest } from '@longhand/sdk/value';
import { defineCommand, type Words } from '../flags/command.ts';
import { RUN } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import { COMMANDS } from './registry.ts';

/** `-`: the task is on standard input. */
const stdin: Words<boolean> = {
  override: ['task', 'file'],
  read: (words) => {
    const stray = words.find((word) => word !== '-');
    if (stray !== undefined) throw new UsageError(strayWord(stray));
    if (words.length > 1) throw new UsageError('- is given twice');
    return words.length === 1;
  },
};

/** `longhand -t ...`: gives the agent a task and lets it work until the run ends. */
export const run = defineCommand({
  name: 'run',
  about: 'longhand gives a software task to an agent and records everything it does.',
  flags: RUN,
  words: stdin,
  run: async (asked) => (await import('../run/run-task.ts')).runTask(asked),
});

/** For a word that is neither a command nor a flag. */
export function strayWord(word: string): string {
  if (/\s/.test(word)) return 'give a task with -t: longhand -t "..."';
  const names = COMMANDS.map(({ name }) => name);
  if (names.includes(word)) return `the command comes first: longhand ${word} ...`;
  const near = nearest(word, names);
  const hint = near === undefined ? 'longhand --help lists them' : `did you mean longhand ${near}?`;
  return `unknown command "${word}"; ${hint} (give a task with -t)`;
}
