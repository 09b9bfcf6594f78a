import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPath } from './match-skills.ts';

/** Patterns, and the files that they are for. */
for (const [pattern, fits, fitsNot] of [
  ['*.sql', ['a.sql', 'deep/down/a.sql'], ['a.sqlx', 'sql']],
  ['/*.md', ['README.md'], ['docs/README.md']],
  ['/Makefile', ['Makefile'], ['sub/Makefile']],
  ['docs/', ['docs/a.md', 'sub/docs/deep/a.md'], ['docs.md', 'mydocs/a.md']],
  ['src/api/', ['src/api/x/y.ts'], ['lib/src/api/x.ts', 'src/api.ts']],
  ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts', 'lib/src/a.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/deep/down/a.ts'], ['src/a.js']],
  ['app/[id]/(group)/**', ['app/[id]/(group)/page.tsx'], ['app/i/group/page.tsx']],
  ['!a', ['!a'], ['a', 'b']],
  ['*.TS', ['a.TS'], ['a.ts']],
] as const)
  test(`${pattern} as in .gitignore`, async () => {
    const skill = { name: 's', content: '', trigger: { type: 'path', paths: [pattern] } } as const;
    const found: string[] = [];
    for (const path of [...fits, ...fitsNot])
      if ((await matchPath([skill], path)).length > 0) found.push(path);
    assert.deepEqual(found, fits);
  });
