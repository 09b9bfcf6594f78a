import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTokenizer, tokenizerOf } from './tokenizer.ts';

test('OpenAI’s models have a tokenizer under each of their names; others have none', () => {
  const names = {
    'openai/gpt-5.5': 'o200k_base',
    'azure/gpt-4o-mini': 'o200k_base',
    'openrouter/openai/o4-mini': 'o200k_base',
    'openai/gpt-4-turbo': 'cl100k_base',
    'anthropic/claude-sonnet-5': undefined,
    'ollama/qwen3': undefined,
  };
  for (const [name, tokenizer] of Object.entries(names)) assert.equal(tokenizerOf(name), tokenizer, name);
});

test('token counts match the makers’ counts', async () => {
  const [o200k, cl100k] = [await loadTokenizer('o200k_base'), await loadTokenizer('cl100k_base')];
  // The first two are of the examples that OpenAI’s cookbook gives for both vocabularies.
  assert.deepEqual([o200k('antidisestablishmentarianism'), cl100k('antidisestablishmentarianism')], [6, 6]);
  assert.deepEqual([o200k('お誕生日おめでとう'), cl100k('お誕生日おめでとう')], [8, 9]);
  assert.equal(o200k(''), 0);
  assert.ok(o200k('<|endoftext|>') > 1, 'a mark of the protocol is text');
});

test('a word as long as a file is counted in pieces, accurate to a token per piece', async () => {
  const count = await loadTokenizer('o200k_base');
  const line = 'words and more words of a text\n'.repeat(50);
  const word = 'a'.repeat(20_000);
  assert.ok(Math.abs(count(word) - 20_000 / 8) <= 20_000 / 500);
  assert.equal(count(line + line), count(line) * 2);
});
