/** Compares the grammar with the bash of this machine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCommands } from './commands.ts';
import { loadGrammar } from './grammar.ts';
import { readScript } from './script.ts';

const grammar = await loadGrammar();
const SEED = 7;

function bash(
  args: readonly string[],
  input: string,
): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('bash', args, {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
  });
  return { code: status, output: stdout + stderr };
}

/** Whether bash reads the text to its end and wants no more. */
function isWhole(text: string): boolean {
  const { code, output } = bash(['-n'], `${text}\n`);
  return code === 0 && output === '' && !/(?:^|[^\\])(?:\\\\)*\\$/.test(text);
}

/** The statements of a whole text: line by line, each as short as bash takes it. */
function statementsByBash(text: string): string[] {
  const statements: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if (!isWhole(open)) continue;
    statements.push(open);
    open = '';
  }
  assert.equal(open, '', `not whole: ${text}`);
  return statements;
}

/** Statements of one or of several lines, in each other. Most of them print. */
const { statement } = fc.letrec<{ statement: string }>((tie) => {
  const inner = tie('statement');
  return {
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        'echo one',
        'echo two \'it is\n(not\' "a\n\\"b" # it\'s',
        'echo three && \\\n  echo "$((1 << 2))"',
        'cat <<E\n(\nit\'s "\nE',
        "cat <<'E' |\n$(\nE\ncat",
        'cat <<-E && echo four\n\ta\n\tE',
        '((i = 1<<2)); echo $i $[ i + 1 ]',
        'a=(1 # (\n2); echo "${a[@]}"',
        'A=1 B=2',
        'case $A in\n1) echo five ;;\n(c|d) :\n;;\nesac',
        'echo "${x:-"}"}" $#',
        '[[ a =~ ^(b|a)$ ]] &&\n echo six',
        'time -p true',
        'echo `echo seven\necho eight`',
        "echo $'it\\'s\\n'",
      ),
      inner.map((each) => `if true\nthen ${each}\nfi`),
      inner.map((each) => `x="$(\n${each}\n)"; echo "$x"`),
      inner.map((each) => `f() {\n${each}\n}; f`),
      inner.map((each) => `(\n${each}\n) | cat`),
      inner.map((each) => `! {\n${each}\n}`),
      fc.tuple(inner, inner).map(([one, other]) => `for i in 1 2; do\n${one}\n# (it's)\n${other}\ndone`),
    ),
  };
});
const scripts = fc
  .array(statement, { minLength: 1, maxLength: 4 })
  .map((statements) => statements.join('\n'));

test('property: a text has the statements that bash reads one by one', () => {
  let errors = 0;
  let texts = 0;
  fc.assert(
    fc.property(scripts, (text) => {
      const read = readScript(grammar, text);
      texts += 1;
      if (read.errors.length > 0) errors += 1;
      else {
        const statements = read.statements.map(({ start, end }) => text.slice(start, end));
        assert.deepEqual(statements, statementsByBash(text));
      }
    }),
    { numRuns: 25, seed: SEED, endOnFailure: true },
  );
  assert.ok(errors <= texts / 20, `${errors} of ${texts} texts were not read`);
});

function withoutTimes({ code, output }: ReturnType<typeof bash>) {
  return { code, output: output.replace(/^(?:real|user|sys) .*$/gm, '') };
}

test('property: statements that run one by one print what the whole text prints', () => {
  fc.assert(
    fc.property(scripts, (text) => {
      const { statements } = readScript(grammar, text);
      const pieces = statements.map(({ start, end }) => text.slice(start, end));
      const quoted = pieces.map((piece) => `eval '${piece.replaceAll("'", "'\\''")}'\n`);
      assert.deepEqual(withoutTimes(bash([], quoted.join(''))), withoutTimes(bash([], text)));
    }),
    { numRuns: 25, seed: SEED, endOnFailure: true },
  );
});

test('property: a truncated text has errors if bash expects more', () => {
  const cut = fc.tuple(scripts, fc.double({ min: 0, max: 1, noNaN: true }));
  let missed = 0;
  fc.assert(
    fc.property(cut, ([script, at]) => {
      const text = script.slice(0, Math.ceil(script.length * at)).trimEnd();
      const { output } = bash(['-n'], `${text}\n`);
      if (!/unexpected EOF|unexpected end of file|delimited by end-of-file/.test(output)) return;
      if (readScript(grammar, text).errors.length === 0) missed += 1;
    }),
    { numRuns: 80, seed: SEED, endOnFailure: true },
  );
  assert.equal(missed, 0);
});

const piece = fc.oneof(
  fc.constantFrom(
    'a',
    'b-c',
    '/x',
    '=',
    '.',
    '7',
    '"a  b"',
    "'q\"$x'",
    '\\ ',
    '\\$',
    '\\\\',
    '\\\n',
    '""',
    '"\\"\\$\\\\\\a"',
  ),
  fc.constantFrom("$'a\\tb\\'\\x41\\101\\u00e9'", '"a\\\nb"', 'é😀', '"$"', '%', '+', ':', '@', ','),
);
const word = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.replace(/\\\s/g, '') !== '');

test('property: a command has the words that bash passes to it', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const text = `printf '%s\\0' x ${words.join(' ')} y`;
      const { commands, isCertain } = readCommands(grammar, text);
      if (!isCertain) return;
      const read = commands[0]?.words.slice(2).map((each) => each.text);
      assert.equal(read?.map((each) => `${each}\0`).join(''), bash([], text).output);
    }),
    { numRuns: 80, seed: SEED, endOnFailure: true },
  );
});
