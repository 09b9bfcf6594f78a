import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, count, duration, usd } from './figures.ts';
import { PLAIN } from './style.ts';
import { complaintLines, summaryLines } from './summary.ts';

const usage = {
  model: 'm',
  prompt_tokens: 12_345,
  completion_tokens: 678,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  context_window: 0,
  per_turn_token: 0,
  response_id: '',
};
const stats = {
  usage_to_metrics: { agent: { model_name: 'm', accumulated_cost: 0.01234, accumulated_token_usage: usage } },
};
const base = {
  id: '1a2b3c4d-0000-4000-8000-000000000000',
  elapsedMs: 83_000,
  stats,
  shortId: '1a2b3c4d',
  command: './longhand',
  where: ' --conversations-dir c',
};

test('the summary says how the run ended, what it cost and how to resume it', () => {
  assert.deepEqual(summaryLines({ ...base, outcome: { kind: 'interrupted' } }, PLAIN), [
    '',
    'interrupted after 1 min 23 s · 12.3k tokens in, 678 out · $0.0123',
    'resume:  ./longhand --resume 1a2b3c4d --conversations-dir c',
    'show:    ./longhand show 1a2b3c4d --conversations-dir c',
  ]);
});

test('complaints are safe to print and say what to do', () => {
  assert.deepEqual(
    complaintLines({
      kind: 'error',
      code: 'LLMError',
      detail: 'bad \x1b[2Jkey\nsaid the server',
      remedy: 'Check it.',
    }),
    ['longhand: bad key\n  said the server', '  Check it.'],
  );
  assert.match(complaintLines({ kind: 'waiting' }).join('\n'), /approve\(\).*then resume/);
  assert.deepEqual(complaintLines({ kind: 'finished', message: '' }), []);
});

test('figures are short', () => {
  assert.deepEqual([12, 999, 59_999, 3_600_000].map(duration), ['12 ms', '999 ms', '59 s', '1 h 0 min']);
  assert.deepEqual([0, 61_000, 7_200_000, 200_000_000].map(ago), ['now', '1 min ago', '2 h ago', '2 d ago']);
  assert.deepEqual([9_999, 12_345, 123_456, 2_500_000].map(count), ['9999', '12.3k', '123k', '2.5M']);
  assert.deepEqual([0.00123, 12.3].map(usd), ['$0.0012', '$12.30']);
});
