import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagsIn } from '../flags/groups.ts';
import { spelling } from '../flags/help-lines.ts';
import { INFORM } from '../flags/table.ts';
import { helpOf } from './help.ts';
import { COMMANDS } from './registry.ts';

for (const { name, load } of COMMANDS) {
  test(`longhand help ${name}: every flag on its own line, no line wider than a terminal`, async () => {
    const command = await load();
    assert.equal(command.name, name);
    const lines = helpOf(command).split('\n');
    const shown = lines.flatMap(
      (line) => /^ {2}(?:-\w, | {4})(--\S+(?: \[?[A-Z]+\]?)?)/.exec(line)?.[1] ?? [],
    );
    const taken = flagsIn({ ...command.flags, ...INFORM }).map(spelling);
    assert.deepEqual(shown.toSorted(), taken.toSorted());
    assert.deepEqual(
      lines.filter((line) => line.length > 130),
      [],
    );
  });
}

test('longhand help: every command on its own line', async () => {
  const [run] = COMMANDS;
  const help = run === undefined ? '' : helpOf(await run.load());
  for (const { usage, does } of COMMANDS)
    assert.ok(
      help.split('\n').some((line) => line.startsWith(`  longhand ${usage} `) && line.endsWith(` ${does}`)),
    );
});
