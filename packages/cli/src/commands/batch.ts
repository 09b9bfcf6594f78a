import { BATCH_FLAGS, batchCommand } from '../batch/options.ts';
import { defineCommand, oneWord } from '../flags/command.ts';

/** `longhand batch TASKS.jsonl --out DIR`: a conversation for each line, several at a time. */
export const batch = defineCommand({
  name: 'batch',
  about: `longhand batch TASKS.jsonl --out DIR: runs one conversation per line of a file, several at a time. A line is a JSON object
with instance_id, problem_statement, repo and base_commit as in SWE-bench, or with id, task and files. The results are written to
DIR/results.jsonl. However it ended, the same command continues where it stopped. The flags of a run apply to every run.`,
  notes:
    'Exit codes: 0 all have a result, 1 some ended with an error, 2 wrong usage, 4 total budget reached, 130 interrupted.',
  flags: BATCH_FLAGS,
  words: oneWord('a file of tasks: longhand batch TASKS.jsonl --out DIR', 'file of tasks', 'file'),
  run: async (asked, given) => (await import('../batch/run-batch.ts')).runBatch(batchCommand(asked, given)),
});
