import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommands } from './commands.ts';
import { loadGrammar } from './grammar.ts';

const grammar = await loadGrammar();

function read(source: string) {
  const { commands, redirects, isCertain } = readCommands(grammar, source);
  return {
    commands: commands.map(({ words }) => words.map(({ text }) => text)),
    assignments: commands.flatMap(({ assignments }) => assignments.map(({ text }) => text)),
    redirects: redirects.map(({ operator, target }) => [operator, target?.text ?? null]),
    isCertain,
  };
}

const commandsOf = (source: string) => read(source).commands;

test('commands in lists, pipelines, substitutions, functions and branches are listed in the order of the text', () => {
  assert.deepEqual(
    commandsOf('a 1 && b | c; if d; then e "$(f `g`)"; fi; h() { i; }; (j) & for k in l; do m; done'),
    [['a', '1'], ['b'], ['c'], ['d'], ['e', null], ['f', null], ['g'], ['i'], ['j'], ['m']],
  );
});

test('quotes and backslashes are removed; what is known only at run time is null', () => {
  assert.deepEqual(commandsOf(`\\rm -rf 'a b'/"c\\"d" $'e\\n' f\\ g h\\\ni "$HOME" \${x}y $(z) "\\$x" -7`), [
    ['rm', '-rf', 'a b/c"d', 'e\n', 'f g', 'hi', null, null, null, '$x', '-7'],
    ['z'],
  ]);
});

test('a word that bash expands is not literal', () => {
  const source = `rm ~/a *.o "*" \\* a? [ab] {a,b} '{a,b}' ~ a~ x{1..3}`;
  const [rm] = readCommands(grammar, source).commands;
  const expanded = rm?.words.filter(({ isLiteral }) => !isLiteral).map(({ text }) => text);
  assert.deepEqual(expanded, ['~/a', '*.o', 'a?', '[ab]', '{a,b}', '~', 'x{1..3}']);
});

test('words that introduce a command are not part of it', () => {
  assert.deepEqual(commandsOf('time -p a; ! b; coproc c; coproc NAME { d; }; time { e; }; ! time f'), [
    ['a'],
    ['b'],
    ['c'],
    ['d'],
    ['e'],
    ['f'],
  ]);
});

test('assignments are separate, declarations are commands', () => {
  assert.deepEqual(read('A=1 B="$c" make x; D=$(e); export F=g; unset h'), {
    commands: [['make', 'x'], [], ['e'], ['export', 'F=g'], ['unset', 'h']],
    assignments: ['A=1', null, null],
    redirects: [],
    isCertain: true,
  });
});

test('redirections are listed with their targets', () => {
  assert.deepEqual(read('{ a < b >> "c d"; } 2> $e &> f; g <<< "h i" 2>&1; j > k | l >| m 3>&-').redirects, [
    ['<', 'b'],
    ['>>', 'c d'],
    ['>', null],
    ['&>', 'f'],
    ['<<<', 'h i'],
    ['>&', '1'],
    ['>', 'k'],
    ['>|', 'm'],
    ['>&-', null],
  ]);
});

test('the body of a here-document is text, and words after its start are arguments', () => {
  assert.deepEqual(commandsOf("cat <<'E' | sh\nrm -rf $(x)\nE\nls"), [['cat'], ['sh'], ['ls']]);
  assert.deepEqual(commandsOf('cat <<E - b\na\nE'), [['cat', '-', 'b']]);
  assert.deepEqual(commandsOf('cat <<E\n$(x)\nE'), [['cat'], ['x']]);
  assert.deepEqual(commandsOf('cat <<E &&\nrm -rf /\nE\nls'), [['cat'], ['ls']]);
});

test('a command on the line after assignments is separate', () => {
  assert.deepEqual(read('A=1 B=2\nrm x').assignments, ['A=1', 'B=2']);
  assert.deepEqual(commandsOf('A=1 B=2\nrm x'), [[], ['rm', 'x']]);
});

test('a text with errors is not certain', () => {
  assert.equal(read('rm x; (').isCertain, false);
  assert.equal(read('a=('.repeat(20_000)).isCertain, false);
});
