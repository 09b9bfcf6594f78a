import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { noticedPackages, packageFolder, thirdPartyNotices } from './third-party.ts';

const root = resolve(import.meta.dirname, '..');

test('a module belongs to the innermost package that holds it, scoped or not; our own belong to none', () => {
  assert.equal(packageFolder('/a/node_modules/b/dist/c.js'), '/a/node_modules/b');
  assert.equal(packageFolder('/a/node_modules/@s/b/c.js'), '/a/node_modules/@s/b');
  assert.equal(
    packageFolder('/a/node_modules/b/node_modules/@s/c/d.js'),
    '/a/node_modules/b/node_modules/@s/c',
  );
  assert.equal(packageFolder('/a/packages/sdk/src/index.ts'), undefined);
});

test('each bundled package is named once, with its licence in full', () => {
  const notices = thirdPartyNotices([
    join(root, 'node_modules/zod/index.js'),
    join(root, 'node_modules/zod/v4/index.js'),
    join(root, 'node_modules/yaml/dist/index.js'),
    join(root, 'packages/sdk/src/index.ts'),
  ]);
  assert.deepEqual(noticedPackages(notices), ['yaml', 'zod']);
  assert.match(notices, /^zod \S+, MIT\n\nMIT License\n\nCopyright \(c\) 2025 Colin McDonnell\n/m);
});
