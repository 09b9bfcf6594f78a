import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ResolvedModel, resolveModel } from './model-name.ts';
import { PROVIDERS } from './providers.ts';

const OWN = { baseUrl: 'http://h/v1' };

/** What a name leads to: provider, dialect, name at the endpoint, address. */
const brief = ({ provider, dialect, id, baseUrl }: ResolvedModel) => [provider, dialect, id, baseUrl];

const LEADS: readonly (readonly [
  name: string,
  options: { readonly baseUrl?: string },
  to: readonly unknown[],
])[] = [
  ['anthropic/claude-x', {}, ['anthropic', 'anthropic', 'claude-x', undefined]],
  ['claude-x', {}, ['anthropic', 'anthropic', 'claude-x', undefined]],
  ['o1', {}, ['openai', 'openai', 'o1', undefined]],
  ['o3-mini', {}, ['openai', 'openai', 'o3-mini', undefined]],
  ['grok-4', {}, ['xai', 'compatible', 'grok-4', 'https://api.x.ai/v1']],
  ['openrouter/a/b', {}, ['openrouter', 'compatible', 'a/b', 'https://openrouter.ai/api/v1']],
  ['groq/m', OWN, ['groq', 'compatible', 'm', OWN.baseUrl]],
  // OpenAI's own models at another address are a compatible endpoint's; at OpenAI's address they are not.
  ['openai/gpt-x', OWN, ['openai', 'compatible', 'gpt-x', OWN.baseUrl]],
  ['gpt-x', OWN, ['compatible', 'compatible', 'gpt-x', OWN.baseUrl]],
  [
    'gpt-x',
    { baseUrl: 'https://api.openai.com/v1' },
    ['openai', 'openai', 'gpt-x', 'https://api.openai.com/v1'],
  ],
  // An unknown prefix belongs to the endpoint's own name.
  ['org/model', OWN, ['compatible', 'compatible', 'org/model', OWN.baseUrl]],
  ['constructor/model', OWN, ['compatible', 'compatible', 'constructor/model', OWN.baseUrl]],
  ['model', OWN, ['compatible', 'compatible', 'model', OWN.baseUrl]],
  ['anthropic/claude-x', OWN, ['anthropic', 'anthropic', 'claude-x', OWN.baseUrl]],
  ['litellm_proxy/m', OWN, ['litellm_proxy', 'compatible', 'm', OWN.baseUrl]],
  ['scripted/a/b.json', {}, ['scripted', 'scripted', 'a/b.json', undefined]],
];

for (const [name, options, to] of LEADS)
  test(`${name}${options.baseUrl === undefined ? '' : ` at ${options.baseUrl}`} leads to ${to[0]}`, () => {
    assert.deepEqual(brief(resolveModel(name, options)), to);
  });

const NOWHERE: readonly (readonly [name: string, message: RegExp, remedy: RegExp])[] = [
  ['mystery', /the provider of the model "mystery" is unknown/, /provider\/mystery/],
  ['o2', /the provider of the model "o2" is unknown/, /openai/],
  ['antropic/claude-x', /"antropic" .* is not a provider/, /^Did you mean anthropic\? /],
  ['toString/x', /"toString" .* is not a provider/, /openrouter/],
  ['litellm_proxy/m', /needs the address of its endpoint/, /LLM_BASE_URL/],
];

for (const [name, message, remedy] of NOWHERE)
  test(`${name} is unknown, and the error says what to do`, () => {
    assert.throws(() => resolveModel(name), { code: 'LLMBadRequestError', message, remedy });
  });

test('a provider of OpenAI’s dialect is one entry: prefix, address, key and quirks come from it', () => {
  for (const [prefix, provider] of Object.entries(PROVIDERS)) {
    if (provider.dialect !== 'compatible' || provider.baseUrl === undefined) continue;
    const { baseUrl, keyVariables, quirks } = provider;
    assert.deepEqual(resolveModel(`${prefix}/some/model`), {
      provider: prefix,
      dialect: 'compatible',
      id: 'some/model',
      baseUrl,
      keyVariables,
      quirks,
    });
  }
});

test('a model at the user’s own endpoint is asked with the key of the provider that its name belongs to', () => {
  assert.deepEqual(resolveModel('openai/gpt-x', OWN).keyVariables, ['OPENAI_API_KEY']);
  assert.equal(resolveModel('org/model', OWN).keyVariables, undefined);
});
