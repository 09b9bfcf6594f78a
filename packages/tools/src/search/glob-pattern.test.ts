import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globPattern, namesHidden } from './glob-pattern.ts';
import { isIgnored, parseIgnoreFile } from './ignore-rules.ts';

const fitting = (glob: string, ...paths: string[]) => paths.filter((path) => globPattern(glob).test(path));

test('wildcards stay within a name, ** goes through folders', () => {
  const paths = ['a.ts', 'b/a.ts', 'b/c/a.ts', 'a.tsx', 'b/a.js'];
  assert.deepEqual(fitting('*.ts', ...paths), ['a.ts']);
  assert.deepEqual(fitting('**/*.ts', ...paths), ['a.ts', 'b/a.ts', 'b/c/a.ts']);
  assert.deepEqual(fitting('b/**', ...paths), ['b/a.ts', 'b/c/a.ts', 'b/a.js']);
  assert.deepEqual(fitting('b/**/a.ts', ...paths), ['b/a.ts', 'b/c/a.ts']);
  assert.deepEqual(fitting('?/a.??', ...paths), ['b/a.ts', 'b/a.js']);
  assert.deepEqual(fitting('a**s', 'abs', 'a/s'), ['abs']);
});

test('sets, braces and literal characters', () => {
  assert.deepEqual(fitting('[a-c].{ts,js}', 'a.ts', 'd.ts', 'c.js', 'a.py'), ['a.ts', 'c.js']);
  assert.deepEqual(fitting('[!a]', 'a', 'b', '/'), ['b']);
  assert.deepEqual(fitting('{a,b/{c,d}}/x', 'a/x', 'b/c/x', 'b/d/x', 'b/x'), ['a/x', 'b/c/x', 'b/d/x']);
  assert.deepEqual(fitting('a+(b).$^|c', 'a+(b).$^|c', 'ab'), ['a+(b).$^|c']);
  assert.deepEqual(fitting('\\*', '*', 'a'), ['*']);
  assert.deepEqual(fitting('a,b}', 'a,b}'), ['a,b}']);
  assert.deepEqual(fitting('[]]', ']'), [']']);
  assert.throws(() => globPattern('[a'), {
    name: 'ToolError',
    message: /\[a is not a glob: Missing closing/,
  });
  assert.throws(() => globPattern('{a'), { name: 'ToolError', message: /Missing closing/ });
  assert.throws(() => globPattern('[z-a]'), { name: 'ToolError', message: /\[z-a\] is not a glob/ });
  assert.throws(() => globPattern('x'.repeat(300_000)), {
    name: 'ToolError',
    message: /is not a glob: .*exceeds maximum/,
  });
});

test('case counts; hidden names match only a written dot', () => {
  assert.deepEqual(fitting('*.TS', 'a.ts', 'A.TS'), ['A.TS']);
  assert.deepEqual(fitting('**/*', '.a', 'b/.c', '.d/e', 'f/g'), ['f/g']);
  assert.deepEqual(fitting('**/.*', '.a', 'b/.c', '.d/e'), ['.a', 'b/.c']);
  assert.deepEqual(fitting('.d/**', '.d/e', '.d/.e'), ['.d/e']);
  assert.deepEqual(['.env', '*.a', 'a/.b/c', '{.a,b}', './a', '../a'].map(namesHidden), [
    true,
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('gitignore(5): the last matching rule counts, slashes anchor, a trailing slash means folders', () => {
  const rules = [
    parseIgnoreFile('# no rule\n\n*.log\n!keep.log\n/top\nbuild/\na/b\n\\#x\n[\nend \n', ''),
    parseIgnoreFile('!again.log\n*.{o}\n', 'sub'),
  ];
  const ignored = ['x.log', 'd/x.log', 'top', 'd/top', 'a/b', 'd/a/b', '#x', 'end', 'sub/x.log', 'build'];
  assert.deepEqual(
    ignored.filter((path) => isIgnored(rules, path, false)),
    ['x.log', 'd/x.log', 'top', 'a/b', '#x', 'end', 'sub/x.log'],
  );
  assert.deepEqual(
    ['keep.log', 'd/keep.log', 'sub/again.log', 'again.log'].map((path) => isIgnored(rules, path, false)),
    [false, false, false, true],
  );
  assert.deepEqual(
    ['build', 'd/build', 'a'].map((path) => isIgnored(rules, path, true)),
    [true, true, false],
  );
});
