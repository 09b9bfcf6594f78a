import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mutate, report } from './mutate.ts';

/** A package of one file, whose tests notice some of its mutants. */
function makePackage(): { readonly root: string; readonly source: string } {
  const root = mkdtempSync(join(tmpdir(), 'longhand-mutate-'));
  const folder = join(root, 'packages/small/src');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'limit.ts'),
    `export const limit = (n: number): number => (n > 10 ? 10 : n);
export const same = (n: number): number => n + 0;
export const unused = (n: number): number => n * 2;
`,
  );
  writeFileSync(
    join(folder, 'limit.test.ts'),
    `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limit, same } from './limit.ts';
test('limit', () => { assert.equal(limit(3), 3); assert.equal(limit(12), 10); });
test('same', () => assert.equal(same(3), 3));
test('todo', { todo: true }, () => assert.fail());
`,
  );
  return { root, source: join(folder, 'limit.ts') };
}

test('mutants that a test notices are killed, equivalent and unused ones are reported, and no file is changed', async () => {
  const { root, source } = makePackage();
  const before = readFileSync(source, 'utf8');
  try {
    const verdicts = await mutate({ root, files: [source] });
    const fateOf = (original: string, replacement: string) =>
      verdicts.find(({ mutant }) => mutant.original === original && mutant.replacement === replacement)?.fate;
    assert.equal(fateOf('n > 10', '(true)'), 'killed');
    assert.equal(fateOf('>', '<='), 'killed');
    // At 10 both branches are 10.
    assert.equal(fateOf('>', '>='), 'survived');
    assert.equal(fateOf('+', '-'), 'survived');
    assert.equal(fateOf('*', '/'), 'uncovered');
    assert.match(report(verdicts), /^survived {2}packages\/small\/src\/limit\.ts:1 {2}> {2}-> {2}>=$/m);
    assert.match(report(verdicts), /^uncovered {2}packages\/small\/src\/limit\.ts:3 /m);
    assert.equal(readFileSync(source, 'utf8'), before);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a sample is the same for the same seed', async () => {
  const { root, source } = makePackage();
  try {
    const sample = async (seed: number) =>
      (await mutate({ root, files: [source], sample: 2, seed })).map(({ mutant }) => mutant.start);
    assert.equal((await sample(1)).length, 2);
    assert.deepEqual(await sample(7), await sample(7));
  } finally {
    rmSync(root, { recursive: true });
  }
});
