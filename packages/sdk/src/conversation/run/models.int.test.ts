import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Agent } from '../../agent/agent.ts';
import { Ledger } from '../../llm/accounts/ledger.ts';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import type { LLM } from '../../llm/llm.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { View } from '../../view/view.ts';
import { DistinctAnswers } from './distinct-answers.ts';
import { Models, type ModelsOptions } from './models.ts';

const words = {
  role: 'user' as const,
  content: [{ type: 'text' as const, text: 'hello', cache_prompt: false }],
};

/** Models whose answers say which script they come from, and the accounts of all. */
function opened(t: TestContext, more: Partial<ModelsOptions> & { readonly llms?: Agent['llms'] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-models-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = (name: string): LlmConfig => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ turns: [{ text: name }] }));
    return { model: `scripted/${path}` };
  };
  const { llms, ...options } = more;
  const ledger = new Ledger();
  const models = new Models({
    agent: { llm: config('main'), tools: [], ...(llms === undefined ? {} : { llms }) },
    main: { ...scriptedLlm({ turns: [{ text: 'main, open' }] }), usageId: 'agent' },
    isGiven: false,
    session: { id: 'c', agent: 'Coder' },
    ledger,
    answers: new DistinctAnswers({ view: new View() }),
    profile: (name) => (name.startsWith('known') ? config(name) : undefined),
    ...options,
  });
  return { models, ledger, config, folder };
}

async function answer(llm: LLM | Promise<LLM>): Promise<string> {
  const { message } = await (await llm).complete(
    { messages: [words], tools: [] },
    { signal: new AbortController().signal },
  );
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

test('the agent has the model that is open, another purpose a model of its own with an account of its own', async (t) => {
  const { models, ledger } = opened(t);
  assert.equal(await answer(models.get('agent')), 'main, open');
  assert.equal(await answer(models.get('condenser')), 'main');
  assert.equal(models.get('condenser'), models.get('condenser'));
  assert.deepEqual(Object.keys(ledger.stats.usage_to_metrics).sort(), ['agent', 'condenser']);
});

test('a model that was passed in serves every purpose for which none is named', async (t) => {
  const { config } = opened(t);
  const { models, ledger } = opened(t, { isGiven: true, llms: { condenser: config('other') } });
  assert.equal(await answer(models.get('judge')), 'main, open');
  assert.equal(await answer(models.get('condenser')), 'other');
  assert.deepEqual(Object.keys(ledger.stats.usage_to_metrics).sort(), ['condenser', 'judge']);
});

test('switching to a profile keeps the agent’s account, and later purposes follow it', async (t) => {
  const { models, ledger, config } = opened(t);
  const name = await models.use('known');
  assert.equal(name, config('known').model);
  assert.deepEqual(models.current, { ...config('known'), usageId: 'agent' });
  assert.equal(models.main.model.name, name);
  assert.equal(await answer(models.get('agent')), 'known');
  assert.equal(await answer(models.get('condenser')), 'known');
  assert.deepEqual(Object.keys(ledger.stats.usage_to_metrics).sort(), ['agent', 'condenser']);
});

test('a profile serves a purpose, unless the specification names a model for it', async (t) => {
  const { config } = opened(t);
  const { models, ledger } = opened(t, { llms: { condenser: config('other') } });
  assert.equal(await answer(models.for('judge', 'known')), 'known');
  assert.equal(await answer(models.for('condenser', 'known')), 'other');
  assert.equal(await answer(models.for('agent')), 'main, open');
  assert.deepEqual(Object.keys(ledger.stats.usage_to_metrics).sort(), ['agent', 'condenser', 'judge']);
});

test('an unknown profile is refused, and changes nothing', async (t) => {
  const { models } = opened(t);
  const refusal = { name: 'ToolError', message: 'There is no model profile "unknown".' };
  await assert.rejects(models.use('unknown'), refusal);
  await assert.rejects(models.for('judge', 'unknown'), refusal);
  assert.equal(await answer(models.get('agent')), 'main, open');
});

test('a model that could not be opened is tried again with the next request for it', async (t) => {
  const { folder } = opened(t);
  const path = join(folder, 'late.json');
  const { models } = opened(t, { llms: { condenser: { model: `scripted/${path}` } } });
  await assert.rejects(models.get('condenser'), { name: 'LLMError' });
  writeFileSync(path, JSON.stringify({ turns: [{ text: 'late' }] }));
  assert.equal(await answer(models.get('condenser')), 'late');
});

test('every request names the conversation and its agent', async (t) => {
  const sessions: unknown[] = [];
  const main = scriptedLlm({ turns: [{ text: 'x' }] });
  const { models } = opened(t, {
    isGiven: true,
    main: {
      ...main,
      complete: (prompt, options) => {
        sessions.push(prompt.session);
        return main.complete(prompt, options);
      },
    },
  });
  await answer(models.get('agent'));
  await answer(models.get('judge'));
  const session = { id: 'c', agent: 'Coder' };
  assert.deepEqual(sessions, [session, session]);
});
