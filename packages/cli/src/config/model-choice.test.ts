import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LLM_FIELDS,
  type LlmKey,
  llmSetting,
  mergeLlm,
  PROVIDERS,
  resolveModel,
  withEndpoint,
} from '@longhand/sdk/internal';
import { COMMAND_LINE, ENVIRONMENT, type Settings } from './config.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import { chooseModel } from './model-choice.ts';

const nobody = async () => null;

function settings(llm: Settings['llm'], from: string = ENVIRONMENT): Settings {
  const set = (Object.keys(LLM_FIELDS) as LlmKey[]).filter((key) => llmSetting(llm, key) !== undefined);
  return {
    llm,
    origin: Object.fromEntries(set.map((key) => [key, from])),
    llms: {},
    section: {},
    place: {},
    warnings: [],
  };
}

test('the configured model is used as it is', async () => {
  const llm = {
    model: 'openai/x',
    endpoint: { baseUrl: 'http://127.0.0.1/v1' },
    sampling: { temperature: 0 },
  };
  assert.deepEqual(await chooseModel(settings(llm), { ANTHROPIC_API_KEY: 'k' }, nobody), { llm });
});

/** Today's settings, each with the layer that it comes from. */
function from(layers: { readonly [layer: string]: Settings['llm'] }): Settings {
  const all = Object.entries(layers).map(([layer, llm]) => settings(llm, layer));
  return {
    ...settings({}),
    llm: mergeLlm(...all.map(({ llm }) => llm)),
    origin: Object.assign({}, ...all.map(({ origin }) => origin).toReversed()),
  };
}

const STORED = {
  model: 'openai/old',
  endpoint: { baseUrl: 'http://stored/v1', apiVersion: 'stored', headers: { from: 'stored' } },
};

test('a resumed conversation keeps its model; each part of its endpoint comes from flag, environment, store, file', async () => {
  const today = from({
    [COMMAND_LINE]: { endpoint: { baseUrl: 'http://flag/v1' } },
    [ENVIRONMENT]: { model: 'openai/new', endpoint: { baseUrl: 'http://env/v1', apiVersion: 'env' } },
    'c.toml': {
      endpoint: { apiVersion: 'file', headers: { from: 'file' }, apiKey: 'k' },
      retry: { attempts: 1 },
    },
  });
  assert.deepEqual(await chooseModel(today, {}, nobody, STORED), {
    llm: {
      model: 'openai/old',
      endpoint: {
        baseUrl: 'http://flag/v1',
        apiVersion: 'env',
        headers: { from: 'stored' },
        apiKey: 'k',
      },
      retry: { attempts: 1 },
    },
    reason: 'as before',
    notice:
      'the conversation continues with openai/old; the environment names openai/new, which --model openai/new would switch to',
  });
});

test('a resumed conversation is reached at the base URL of the environment if it moved, and not at that of a config file', async () => {
  const baseUrlWith = async (today: Settings) =>
    (await chooseModel(today, {}, nobody, STORED)).llm.endpoint?.baseUrl;
  const elsewhere = { endpoint: { baseUrl: 'http://elsewhere/v1' } };
  assert.equal(await baseUrlWith(from({ [ENVIRONMENT]: elsewhere })), 'http://elsewhere/v1');
  assert.equal(await baseUrlWith(from({ 'c.toml': elsewhere })), 'http://stored/v1');
  const { llm, reason } = await chooseModel(from({ 'c.toml': elsewhere }), {}, nobody, {
    model: 'openai/old',
  });
  assert.deepEqual([llm.endpoint?.baseUrl, reason], [undefined, 'as before']);
});

test('a resumed conversation keeps the settings of its model, except for those that flags or environment name today', async () => {
  const today = from({
    [ENVIRONMENT]: { sampling: { temperature: 0 } },
    'c.toml': { sampling: { reasoningEffort: 'high', topP: 0.9 }, retry: { timeoutMs: 1_000 } },
  });
  const stored = {
    model: 'openai/old',
    sampling: { reasoningEffort: 'low', temperature: 1 },
    retry: { timeoutMs: 77_000 },
    prices: { inputUsdPerToken: 1e-6 },
  } as const;
  const { llm } = await chooseModel(today, {}, nobody, stored);
  assert.deepEqual(llm, {
    model: 'openai/old',
    sampling: { reasoningEffort: 'low', temperature: 0, topP: 0.9 },
    retry: { timeoutMs: 77_000 },
    prices: { inputUsdPerToken: 1e-6 },
    endpoint: {},
  });
});

test('--model overrides the conversation’s stored model', async () => {
  const llm = { model: 'openai/new' };
  assert.deepEqual(await chooseModel(settings(llm, COMMAND_LINE), {}, nobody, { model: 'openai/old' }), {
    llm,
  });
});

test('with only keys set, the default model of the first provider that has one is used', async () => {
  const chosen = await chooseModel(
    settings({ sampling: { temperature: 1 } }),
    { GROQ_API_KEY: 'g', OPENAI_API_KEY: 'o' },
    nobody,
  );
  assert.deepEqual(chosen, {
    llm: { sampling: { temperature: 1 }, model: 'openai/gpt-5.5' },
    reason: 'OPENAI_API_KEY is set',
  });
});

test('a default model is one of its provider, which has a key', () => {
  for (const [name, { defaultModel, keyVariables }] of Object.entries(PROVIDERS)) {
    if (defaultModel === undefined) continue;
    assert.equal(resolveModel(`${name}/${defaultModel}`).provider, name);
    assert.notEqual(keyVariables, undefined);
  }
});

test('a local server is asked with its own name for the model', async () => {
  const server = {
    provider: 'lm_studio',
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    models: ['text-embedding-3', 'openai/gpt-oss-20b'],
  };
  const { llm, reason } = await chooseModel(settings({}), {}, async () => server);
  assert.deepEqual(
    [llm, reason],
    [
      { model: 'lm_studio/openai/gpt-oss-20b', endpoint: { baseUrl: server.baseUrl } },
      'LM Studio answers at http://127.0.0.1:1234/v1',
    ],
  );
  assert.equal(resolveModel(llm.model, llm.endpoint).id, 'openai/gpt-oss-20b');
});

test('an address that a folder chose is used only on this machine, or with a key in the same file', async () => {
  const choose = (llm: Settings['llm'], from: string) => chooseModel(settings(llm, from), {}, nobody);
  const foreign = { model: 'm', endpoint: { baseUrl: 'https://elsewhere.example/v1' } };
  await assert.rejects(choose(foreign, LOCAL_FILE), /sends requests to https:\/\/elsewhere/);
  await choose(withEndpoint(foreign, { apiKey: 'its own' }), LOCAL_FILE);
  await choose({ model: 'm', endpoint: { baseUrl: 'http://localhost:8000/v1' } }, LOCAL_FILE);
  await choose(foreign, '~/.longhand/config.toml');
});
