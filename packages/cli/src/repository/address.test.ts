import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UsageError } from '../usage-error.ts';
import { readRepository, repositoryName, withoutLogin } from './address.ts';

const BASE = '/nowhere';

for (const [words, address, shown = address] of [
  ['own/er', 'https://github.com/own/er.git', 'own/er'],
  ['django/django.js', 'https://github.com/django/django.js.git', 'django/django.js'],
  ['https://h/x/y.git', 'https://h/x/y.git'],
  ['https://me:secret@h/x', 'https://me:secret@h/x', 'https://h/x'],
  ['git@github.com:own/er.git', 'git@github.com:own/er.git'],
  ['ssh://git@h:22/x', 'ssh://git@h:22/x', 'ssh://h:22/x'],
] as const)
  test(`${words} is ${shown}`, () =>
    assert.deepEqual(readRepository(words, BASE), { address, isFolder: false, shown }));

test('an existing folder takes precedence over OWNER/NAME', () => {
  const { address, isFolder } = readRepository('cli/src', new URL('../../..', import.meta.url).pathname);
  assert.deepEqual([address.endsWith('/packages/cli/src'), isFolder], [true, true]);
});

for (const words of [
  '',
  'name',
  '--upload-pack=x',
  'own/er/more',
  '-x/y',
  'ext::sh -c x',
  './no',
  '~/no/such',
  'a b/c',
])
  test(`"${words}" is not a repository`, () => assert.throws(() => readRepository(words, BASE), UsageError));

test('nothing that git would take for a flag or a program gets through', () => {
  fc.assert(
    fc.property(fc.string(), (words) => {
      try {
        const { address, isFolder } = readRepository(words, BASE);
        assert.ok(
          isFolder ? address.startsWith('/') : /^(https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:/.test(address),
        );
      } catch (error) {
        assert.ok(error instanceof UsageError);
      }
    }),
  );
});

test('names of folders, and addresses for people', () => {
  const name = (address: string) => repositoryName({ address, isFolder: false, shown: '' });
  assert.deepEqual(['https://h/x/y.git', 'git@h:y', '/a/b/', 'https://h/'].map(name), ['y', 'y', 'b', 'h']);
  assert.equal(withoutLogin('https://u:p@h/x: denied for https://u@h'), 'https://h/x: denied for https://h');
});
