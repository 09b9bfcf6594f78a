import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadGrammar } from './grammar.ts';
import { readScript } from './script.ts';

const grammar = await loadGrammar();

function read(source: string) {
  const { statements, isIncomplete, errors } = readScript(grammar, source);
  const texts = statements.map(({ start, end }) => source.slice(start, end));
  return { statements: texts, isIncomplete, hasErrors: errors.length > 0 };
}

const split = (source: string) => read(source).statements;
const areRead = (source: string, statements: readonly string[]) =>
  assert.deepEqual(read(source), { statements, isIncomplete: false, hasErrors: false });
const isOne = (source: string) => areRead(source, [source]);

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

test('an unclosed text is one incomplete statement', () => {
  for (const source of [
    'echo "a\nb',
    "echo 'a\nb",
    'cat <<EOF\na\nb',
    'echo `a\nb',
    'if true\nthen a',
    'a &&\n',
  ]) {
    assert.deepEqual(read(source), { statements: [source.trimEnd()], isIncomplete: true, hasErrors: true });
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
  'if a; then if b; then\n  c; fi; fi',
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

test('statements on separate lines', () => {
  assert.deepEqual(split('export A=1\necho $A'), ['export A=1', 'echo $A']);
  assert.deepEqual(split('sleep 1 &\necho x; echo y'), ['sleep 1 &', 'echo x; echo y']);
});

test('a command may have an inherited property name', () => {
  assert.deepEqual(split('constructor a\nls'), ['constructor a', 'ls']);
});

test('substitutions are parsed as commands', () => {
  for (const source of [
    'git commit -m "$(cat <<\'EOF\'\nIt\'s done :)\n\nsay "hi\nEOF\n)"',
    "x=$(ls # it's\n)",
    'echo $(case a in a) b;; esac)',
    'cat <<A $(cat <<B\n)\nB\n)\n(\nA',
  ])
    areRead(`${source}\nls`, [source, 'ls']);
});

test('shifts are not here-documents, |& continues, and time and coproc may introduce compound commands', () => {
  for (const source of [
    '((i<<2))',
    'for ((i=1<<3; i; i--))\ndo a\ndone',
    'a |&\nb',
    'time -p if a\nthen b\nfi',
    '! time { a\n}',
    'coproc {\na\n}',
    'coproc NAME {\na\n}',
    'coproc NAME while a\ndo b\ndone',
    'echo $[ 1 +\n2 ]',
  ])
    areRead(`${source}\nls`, [source, 'ls']);
});

test('a line break after assignments ends a statement', () => {
  areRead('A=1 B=2\nC=3\nls -l', ['A=1 B=2', 'C=3', 'ls -l']);
  areRead('A=1 B=2\nls | a && C=1 D=2\nb', ['A=1 B=2', 'ls | a && C=1 D=2', 'b']);
  areRead('A=1 B=2 # C=3\nls', ['A=1 B=2 # C=3', 'ls']);
  isOne('A=1 \\\nB=2 \\\nls');
});

test('a backslash at the end of a comment does not continue the line', () => {
  areRead('ls # c\\\npwd', ['ls # c\\', 'pwd']);
  isOne('ls \\\n\\\n-l');
});

test('an operator after the start of a here-document needs a command after its body', () => {
  for (const operator of ['&&', '||', '|', '|&'])
    areRead(`cat <<E ${operator}\na\nE\nb\nls`, [`cat <<E ${operator}\na\nE\nb`, 'ls']);
});

test('a backslash at the end continues the text, unless it is escaped or in a comment', () => {
  assert.ok(read('echo \\').isIncomplete);
  assert.ok(read('echo a\\\\\\').isIncomplete);
  isOne('echo \\\\');
  isOne('echo # \\');
});

test('what the grammar cannot parse is one statement with errors', () => {
  for (const source of [
    'if a; then if b; then c; fi fi\nls',
    '((a); b)\nls',
    "cat <<E | b\n$(\nit's\nE\nls",
  ]) {
    const { statements, hasErrors } = read(source);
    assert.deepEqual([statements, hasErrors], [[source], true]);
  }
});

test('endlessly nested text has errors, and the next text is parsed normally', () => {
  for (const opener of ['$(', '"$(', '${', '((', '{ ', '$((', '((a) ', '((a) $( ', 'a=(']) {
    assert.ok(read(opener.repeat(20_000)).hasErrors, opener);
    isOne('ls -l');
  }
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
        'echo \'it is\n(not\' "if\n"',
        'cat <<E | b\n(\nit\'s "\nE',
        'time a',
        'A=1 B=2',
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

test('property: joined statements are split again', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), (statements) => {
      areRead(statements.join('\n'), statements);
    }),
    { numRuns: 300 },
  );
});
