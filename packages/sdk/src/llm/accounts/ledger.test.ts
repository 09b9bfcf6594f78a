import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { text } from '../../event/content.ts';
import type { Completion, LLM, Prompt, Usage } from '../llm.ts';
import { accounted, Ledger, LimitReachedError } from './ledger.ts';
import { totalCostUsd, totalTokens } from './metrics.ts';

const PROMPT: Prompt = { messages: [{ role: 'user', content: [text('x'.repeat(1_000))] }], tools: [] };
const USD_PER_TOKEN = 0.001;

/** Costs 0.1 USD a call, of at most 2 USD. */
function model(usageId: string, answer: () => Promise<unknown> = async () => undefined): LLM {
  const usage: Usage = {
    promptTokens: 90,
    completionTokens: 10,
    cacheReadTokens: 5,
    cacheWriteTokens: 1,
    reasoningTokens: 2,
  };
  return {
    model: { name: `m-${usageId}`, vision: false, maxOutputTokens: 1_000 },
    usageId,
    pricing:
      async () =>
      ({ promptTokens, completionTokens }) =>
        (promptTokens + completionTokens) * USD_PER_TOKEN,
    complete: async (): Promise<Completion> => {
      await answer();
      const message = { role: 'assistant', content: [] } as const;
      return {
        id: 'r',
        message: { ...message, content: [] },
        finish: { reason: 'stop' },
        usage,
        costUsd: 0.1,
        latencyMs: 20,
      };
    },
  };
}

const ask = (llm: LLM) => llm.complete(PROMPT, { signal: new AbortController().signal });

test('eight sub-agents at once exceed a budget by at most one call', async () => {
  const parent = new Ledger({ limits: { maxCostUsd: 5 } });
  let underWay = 0;
  let most = 0;
  const subAgents = Array.from({ length: 8 }, (_, i) => {
    const own = new Ledger({ parent });
    return accounted(
      model(`delegate:${i}`, async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await sleep(1);
        underWay -= 1;
      }),
      own,
    );
  });
  const work = async (llm: LLM) => {
    for (;;) await ask(llm);
  };
  const ends = await Promise.allSettled(subAgents.map(work));
  for (const end of ends) assert.ok(end.status === 'rejected' && end.reason instanceof LimitReachedError);
  const spent = totalCostUsd(parent.stats);
  assert.ok(spent >= 5 - 1e-9 && spent < 5.1 + 1e-9, `${spent}`);
  assert.ok(most > 1, 'far from the limit they work side by side');
});

test('a token limit applies to all callers together', async () => {
  const ledger = new Ledger({ limits: { maxTokens: 250 } });
  const [agent, condenser] = [accounted(model('agent'), ledger), accounted(model('condenser'), ledger)];
  await ask(agent);
  await ask(condenser);
  await ask(agent);
  await assert.rejects(ask(condenser), {
    code: 'MaxTokensReached',
    message: 'The tokens are used up: 300 of 250.',
  });
  assert.deepEqual(Object.keys(ledger.stats.usage_to_metrics), ['agent', 'condenser']);
});

test('an abort ends the wait for room in a budget', async () => {
  const ledger = new Ledger({ limits: { maxCostUsd: 1 } });
  const slow = accounted(
    model('a', () => sleep(30)),
    ledger,
  );
  const abort = new AbortController();
  const first = ask(slow);
  const second = slow.complete(PROMPT, { signal: abort.signal });
  abort.abort(new Error('enough'));
  await assert.rejects(second, /enough/);
  await first;
});

test('takeStats returns each call once, and the totals every time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ calls: fc.nat(3), usageId: fc.constantFrom('agent', 'condenser') })),
      (steps) => {
        const ledger = new Ledger();
        const told = new Map<string, number>();
        for (const { calls, usageId } of steps) {
          const llm = model(usageId);
          const usage = {
            promptTokens: 3,
            completionTokens: 4,
            cacheReadTokens: 2,
            cacheWriteTokens: 1,
            reasoningTokens: 1,
          };
          for (let i = 0; i < calls; i += 1) {
            const message = { role: 'assistant' as const, content: [] };
            ledger.record(llm, {
              id: 'r',
              message,
              finish: { reason: 'stop' },
              usage,
              costUsd: 0.5,
              latencyMs: 1,
            });
          }
          for (const [id, { token_usages = [] }] of Object.entries(ledger.takeStats().usage_to_metrics))
            told.set(
              id,
              (told.get(id) ?? 0) + token_usages.reduce((sum, each) => sum + each.prompt_tokens, 0),
            );
        }
        const { prompt } = totalTokens(ledger.stats);
        assert.equal(
          [...told.values()].reduce((sum, each) => sum + each, 0),
          prompt,
        );
      },
    ),
  );
});

test('the shape of the accounts is the reference’s', async () => {
  const ledger = new Ledger();
  await ask(accounted(model('agent'), ledger));
  const { agent } = ledger.takeStats().usage_to_metrics;
  const sums = {
    model: 'm-agent',
    prompt_tokens: 90,
    completion_tokens: 10,
    cache_read_tokens: 5,
    cache_write_tokens: 1,
    reasoning_tokens: 2,
    context_window: 0,
    per_turn_token: 100,
  };
  const [cost] = agent?.costs ?? [];
  assert.ok(typeof cost?.timestamp === 'number');
  assert.deepEqual(agent, {
    model_name: 'm-agent',
    accumulated_cost: 0.1,
    accumulated_token_usage: { ...sums, response_id: '' },
    costs: [{ model: 'm-agent', cost: 0.1, timestamp: cost.timestamp }],
    response_latencies: [{ model: 'm-agent', latency: 0.02, response_id: 'r' }],
    token_usages: [{ ...sums, response_id: 'r' }],
  });
});
