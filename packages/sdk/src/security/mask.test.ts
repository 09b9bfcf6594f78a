import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HIDDEN, maskDeep, masker, secretsOf } from './mask.ts';

test('every occurrence of every secret is hidden', () => {
  const mask = masker(['hunter2', 'letmein']);
  assert.equal(mask('hunter2, letmein, hunter2.'), `${HIDDEN}, ${HIDDEN}, ${HIDDEN}.`);
  assert.equal(mask('nothing of the kind'), 'nothing of the kind');
});

test('of secrets that contain one another the longest is masked, in whatever order they are given', () => {
  for (const secrets of [
    ['secret', 'secret-key', 'my-secret-key'],
    ['my-secret-key', 'secret-key', 'secret'],
    ['secret-key', 'my-secret-key', 'secret'],
  ]) {
    const mask = masker(secrets);
    assert.equal(mask('my-secret-key secret-key secret'), `${HIDDEN} ${HIDDEN} ${HIDDEN}`);
  }
});

test('a secret that looks like a pattern is taken literally', () => {
  const secret = 'a.c*(d)[e]{2}|^$+?\\';
  assert.equal(masker([secret])(`<${secret}> abc`), `<${HIDDEN}> abc`);
});

test('a secret is hidden also as it stands in JSON', () => {
  const secret = 'line one\n"two"';
  assert.equal(masker([secret])(JSON.stringify({ secret })), `{"secret":"${HIDDEN}"}`);
  assert.equal(masker([secret])(`<${secret}>`), `<${HIDDEN}>`);
});

test('values shorter than six characters, or unset, are not secrets', () => {
  assert.equal(masker(['12345', '', undefined])('12345'), '12345');
  assert.equal(masker(['123456'])('123456'), HIDDEN);
});

test('property: no secret is left in a text, neither whole nor the end of one that begins like another', () => {
  const secret = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 6, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.nat(), (secrets, chosen) => {
      const one = secrets[chosen % secrets.length]!;
      assert.equal(masker(secrets)(`<<${one}>>`).includes(one), false);
      const longest = secrets.toSorted((a, b) => b.length - a.length)[0]!;
      assert.equal(masker(secrets)(`<<${longest}>>`), `<<${HIDDEN}>>`);
    }),
  );
});

test('variables that are named like secrets are secret', () => {
  const env = {
    MY_SECRET: 'a',
    OPENAI_API_KEY: 'b',
    AUTH_CODE: 'c',
    gh_token: 'd',
    DB_PASSWORD: 'e',
    UNSET_TOKEN: undefined,
    KEYBOARD: 'f',
    CODEC: 'g',
    HOME: 'h',
  };
  assert.deepEqual(secretsOf(env), ['a', 'b', 'c', 'd', 'e']);
});

test('strings are masked at any depth, and names of members are not', () => {
  const mask = masker(['secret']);
  const value = { secret: ['a secret', { deep: 'secret' }, 1, null, true], other: 'text' };
  assert.deepEqual(maskDeep(value, mask), {
    secret: [`a ${HIDDEN}`, { deep: HIDDEN }, 1, null, true],
    other: 'text',
  });
  assert.equal(maskDeep('secret', mask), HIDDEN);
});

test('a value in which nothing is masked is the same object, and so are its parts', () => {
  const mask = masker(['secret']);
  const clean = { list: [1, 'text', null] };
  assert.equal(maskDeep(clean, mask), clean);
  const partly = { clean, dirty: 'secret' };
  assert.equal(maskDeep(partly, mask).clean, clean);
  assert.equal(partly.dirty, 'secret');
});
