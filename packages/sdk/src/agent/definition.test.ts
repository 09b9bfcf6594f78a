import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAgentDefinition } from './definition.ts';

const condenserOf = async (head: string) =>
  (await parseAgentDefinition('/agents/x.md', `---\n${head}\n---\nx`)).condenser;

test('11.3: the condenser of an agent is one of a config file: by its type, with its sizes, or none', async () => {
  assert.deepEqual(await condenserOf('condenser: {type: llm, max_size: 20, keep_first: 2}'), {
    type: 'llm',
    maxSize: 20,
    keepFirst: 2,
  });
  assert.deepEqual(await condenserOf('condenser: amortized'), { type: 'amortized' });
  assert.deepEqual(await condenserOf('condenser: none'), { type: 'noop' });
  assert.equal(await condenserOf('condenser: default'), undefined);
  await assert.rejects(condenserOf('condenser: {type: llm, maxsize: 20}'), /did you mean "max_size"/);
  await assert.rejects(condenserOf('condenser: {type: llm, max_size: 3}'), /condenser: .* at least 12/);
  await assert.rejects(condenserOf('condenser: [1]'), /condenser: type must be one of/);
});
