import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folderName, readInstance } from './instance.ts';

test('the digest differs between tasks and ignores irrelevant keys', () => {
  const digest = (line: object) => readInstance(JSON.stringify(line), '/').digest;
  const line = { instance_id: 'a', problem_statement: 'x', files: { f: '1' } };
  assert.equal(
    digest({ ...line, hints_text: 'h', repo: null }),
    digest({ id: 'a', task: ' x\n', files: { f: '1' } }),
  );
  assert.notEqual(digest({ ...line, files: { f: '2' } }), digest(line));
  assert.notEqual(digest({ ...line, problem_statement: 'y' }), digest(line));
});

test('a name of files for every id: short, plain, and another one for another id', () => {
  assert.equal(folderName('astropy__astropy-12907'), 'astropy__astropy-12907');
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
      const name = folderName(one);
      assert.match(name, /^\w[\w.@+-]{0,120}$/);
      if (one !== other) assert.notEqual(name, folderName(other));
    }),
  );
});

test('a path of "files" that is a file and a folder at once is refused in its line', () => {
  const line = (files: object) => JSON.stringify({ id: 'x', task: 'y', files });
  assert.throws(() => readInstance(line({ 'a/b/c': '', 'a/b': '' }), '/'), {
    message: '"files" has "a/b/c", but also "a/b", which cannot be a file and a folder',
  });
  assert.equal(readInstance(line({ 'a/b': '', 'a/bc/d': '', constructor: '' }), '/').source.from, 'files');
});
