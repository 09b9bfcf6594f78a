import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRepository } from './address.ts';
import { organisationAddress } from './organisation.ts';

for (const [words, address] of [
  ['acme/app', 'https://github.com/acme/.openhands.git'],
  ['https://me:secret@h/acme/app/', 'https://me:secret@h/acme/.openhands'],
  ['https://gitlab.com/acme/team/app.git', 'https://gitlab.com/acme/team/openhands-config.git'],
  ['git@gitlab.example.org:acme/app', 'git@gitlab.example.org:acme/openhands-config'],
  ['git@github.com:acme/app.git', 'git@github.com:acme/.openhands.git'],
  [
    'https://dev.azure.com/acme/project/_git/app',
    'https://dev.azure.com/acme/openhands-config/_git/openhands-config',
  ],
  ['https://h/gitlab/app', 'https://h/gitlab/.openhands'],
  ['file:///srv/acme/app.git', 'file:///srv/acme/.openhands.git'],
  ['https://h/app', undefined],
  ['git@h:app', undefined],
  ['git://h/app.git', undefined],
] as const)
  test(`i: ${words} belongs to ${address}`, () =>
    assert.equal(organisationAddress(readRepository(words, '/nowhere')), address));
