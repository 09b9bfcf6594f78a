/** What `longhand help COMMAND` says of flags is what the command takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS, FLAGS } from '../flags/flag-table.ts';
import { helpText } from './help.ts';

/** Those that stand at the beginning of a line. */
function flagsIn(words: string): Set<string> {
  const lists = [...words.matchAll(/^ +(?:-\w, )?(--[a-z-]+(?:, --[a-z-]+)*)/gm)];
  return new Set(lists.flatMap(([, list = '']) => list.split(', ').map((flag) => flag.slice(2))));
}

/** What help says of a batch's runs is told as a whole: see `longhand help`. */
const OF_A_RUN = new Set(FLAGS.run.map(({ name }) => name));
/** Every command takes these; `longhand help` tells them. */
const UNTOLD = ['help', 'version'];

for (const command of COMMANDS) {
  test(`longhand help ${command} tells every flag of it, and no other`, () => {
    const told = flagsIn(helpText(command));
    const taken = FLAGS[command === 'help' ? 'run' : command];
    const missing = taken.filter(({ name }) => !told.has(name) && !UNTOLD.includes(name));
    assert.deepEqual(
      missing.map(({ name }) => name).filter((name) => command !== 'batch' || !OF_A_RUN.has(name)),
      [],
    );
    assert.deepEqual(
      [...told].filter((name) => !taken.some((flag) => flag.name === name)),
      [],
    );
  });
}
