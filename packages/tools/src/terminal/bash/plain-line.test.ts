import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadGrammar } from './grammar.ts';
import { isPlainLine } from './plain-line.ts';
import { readScript } from './script.ts';

test('ordinary commands are plain', () => {
  for (const line of [
    'ls -la',
    'git log --oneline -5 | head',
    `cd src && grep -rn "a b" . ; echo "$HOME" 'it is'`,
    'npm test 2>&1 | tail -20',
    'echo $PATH > out.txt; cat out.txt;',
    'A=1 make',
  ])
    assert.ok(isPlainLine(line), line);
});

test('what may be open, several statements or compound is not plain', () => {
  for (const text of [
    '',
    'a\nb',
    "echo 'a",
    'echo "a',
    'echo "a\\"',
    'echo a\\',
    'echo a &&',
    'echo a |',
    'cat <<EOF',
    'echo $(date',
    'echo `date',
    'echo $((1',
    'echo ${a',
    '(cd a',
    '{ a;',
    'if true; then a',
    'for x in a; do b',
    'f() a',
    'echo a # b',
    'sleep 1 &',
    'time',
  ])
    assert.equal(isPlainLine(text), false, text);
});

test('the grammar reads every plain line as one statement without errors', async () => {
  const grammar = await loadGrammar();
  const piece = fc.constantFrom(
    'a',
    'b1',
    '-x',
    ' ',
    ' ',
    ';',
    '&&',
    '||',
    '|',
    "'",
    '"',
    '$a',
    '>',
    '2>&1',
    'if',
    'do',
    '*',
  );
  const line = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
  let plain = 0;
  fc.assert(
    fc.property(line, (text) => {
      if (!isPlainLine(text)) return;
      plain += 1;
      const { statements, isIncomplete } = readScript(grammar, text);
      assert.deepEqual([statements.length, isIncomplete], [1, false], text);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(plain > 200, `${plain} of the lines were plain`);
});
