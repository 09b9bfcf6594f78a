import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitStatements } from './statements.ts';

const split = (source: string) => [...splitStatements(source).statements];
const isOne = (source: string) =>
  assert.deepEqual(splitStatements(source), { statements: [source], complete: true });

test('a here-document stays whole', () => {
  assert.deepEqual(split('cat <<EOF\na\n\nb\nEOF\necho "Done"'), ['cat <<EOF\na\n\nb\nEOF', 'echo "Done"']);
});

test('a comment belongs to the statement before it', () => {
  assert.deepEqual(split('echo one\n# then\nls -l'), ['echo one\n# then', 'ls -l']);
  assert.deepEqual(split('# first\nls -l'), ['# first\nls -l']);
});

test('blank lines between statements', () => {
  assert.deepEqual(split('a\n\n\nb\n\nc\n'), ['a', 'b', 'c']);
  assert.deepEqual(split('  \n '), ['']);
});

test('what is not closed is one statement', () => {
  for (const source of [
    'echo "a\nb',
    "echo 'a\nb",
    'cat <<EOF\na\nb',
    'echo `a\nb',
    'if true\nthen a',
    'a &&\n',
  ]) {
    assert.deepEqual(splitStatements(source), { statements: [source], complete: false });
  }
});

for (const source of [
  "grep 'p' f | sort | uniq",
  'cd D && touch t',
  'for i in 1 2; do\n  echo $i\ndone',
  'if true; then\n  echo branch\nfi',
  'for i in 1 2; do\n for j in a b; do\n  echo $i$j\n done\ndone && echo all-made',
  'while read -r line; do echo "$line"; done < file',
  'case $x in\n  a) echo a ;;\n  b|c) echo b ;;\nesac',
  'f() {\n  echo hi\n}',
  '(cd /tmp\nls)',
  'echo \\\n-e "foo"',
  'echo -e "hello\nworld"',
  'echo "$(ls\npwd)"',
  'x=$(cat <<A\nb\nA\n)',
  'a &&\nb ||\nc |\nd',
  'echo done',
  'echo "a # b" # comment',
  "echo $'it\\'s'",
  'echo ${x:-"a }"}',
  'a <<< word',
  'function f {\n  echo hi\n}',
  'function f() {\n  echo hi\n}',
  'if a; then if b; then\n  c; fi fi',
  'for ((i = 0; i < 3; i++)); do\n  echo $i\ndone',
  'echo $((1 << 2))',
  'a=(\n  1\n  2\n)',
  '[[ a == b &&\n c == d ]]',
  'cat <<-EOF\n\ttext\n\tEOF',
  'cat <<"A B"\n$(\nA B',
  'echo "$(echo "a\nb")"',
  'select x in a b; do\n  echo $x\ndone',
]) {
  test(`one statement: ${JSON.stringify(source)}`, () => isOne(source));
}

test('statements in a row', () => {
  assert.deepEqual(split('export A=1\necho $A'), ['export A=1', 'echo $A']);
  assert.deepEqual(split('sleep 1 &\necho x; echo y'), ['sleep 1 &', 'echo x; echo y']);
});

test('what is nested too deep for this reading is one statement', () => {
  for (const piece of ['$(', '"$(', '${', '((', '{ ']) {
    const source = piece.repeat(50_000);
    assert.deepEqual(splitStatements(source), { statements: [source], complete: false });
  }
});

test('a command may be called like what every object inherits', () => {
  assert.deepEqual(split('constructor a\nls'), ['constructor a', 'ls']);
});

test('what stands in a substitution is read as commands are', () => {
  for (const source of [
    'git commit -m "$(cat <<\'EOF\'\nIt\'s done :)\n\nsay "hi\nEOF\n)"',
    "x=$(ls # it's\n)",
    'echo $(case a in a) b;; esac)',
    'cat <<A $(cat <<B\n)\nB\n)\n(\nA',
  ])
    assert.deepEqual(splitStatements(`${source}\nls`), { statements: [source, 'ls'], complete: true });
});

test('shifts are no here-documents, |& asks for more, time may have a flag', () => {
  for (const source of [
    '((i<<2))',
    'for ((i=1<<3; i; i--))\ndo a\ndone',
    'a |&\nb',
    'time -p if a\nthen b\nfi',
  ])
    assert.deepEqual(splitStatements(`${source}\nls`), { statements: [source, 'ls'], complete: true });
  assert.deepEqual(split('((a); b)\nls'), ['((a); b)', 'ls']);
});

test('text that is nested without end is read in a time that grows with its length', () => {
  for (const opener of ['$(', '((', '((a) $( ', '$((', '"$(', '((a) '])
    assert.equal(splitStatements(opener.repeat(20_000)).complete, false);
});

/** Statements of one or of several lines, in each other. */
const { statement } = fc.letrec<{ statement: string }>((tie) => {
  const inner = tie('statement');
  return {
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        'ls -l',
        'a && \\\n  b',
        'echo \'it is\n(not\' "if\n`"',
        'cat <<E | b\n$(\nit\'s "\nE',
        '((i<<2))',
      ),
      fc.constantFrom(
        'a=(1 # (\n2)',
        'echo "${x:-"}"}" $#',
        '[[ a =~ (b|c) ]]',
        'case $x in\na) b ;;\n(c|d) e\n;;\nesac',
      ),
      inner.map((each) => `if ${each}\nthen ${each}\nfi`),
      inner.map((each) => `x="$( ${each}\n)" y`),
      inner.map((each) => `f() {\n${each}\n}`),
      inner.map((each) => `( ${each}\n) | b`),
      fc.tuple(inner, inner).map(([one, other]) => `while ${one}\ndo\n# (it's)\n${other}\ndone`),
    ),
  };
});

test('property: statements in lines come apart as they were put together', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), (statements) => {
      assert.deepEqual(splitStatements(statements.join('\n')), { statements, complete: true });
    }),
    { numRuns: 300 },
  );
});
