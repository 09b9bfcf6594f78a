import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { callDraft, countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { View } from '../../view/view.ts';
import { DistinctAnswers } from './distinct-answers.ts';

test('an answer keeps its id unless an earlier one had it, in this conversation or by any of its models', async () => {
  const view = new View();
  const clock = countingClock();
  view.append(eventOf(wordsDraft('user', 'go'), null, clock));
  view.append(eventOf(callDraft('c', 'stored'), null, clock));
  const answers = new DistinctAnswers({ view });
  const answer = async (id: string, name: string) => {
    const model = cannedLlm(name, [{ id }]);
    const options = unaborted();
    const completion = await answers.of(model).complete(EMPTY, options);
    assert.deepEqual(model.asked, [{ prompt: EMPTY, options }]);
    assert.deepEqual(completion.message.content, [{ type: 'text', text: name, cache_prompt: false }]);
    return completion.id;
  };
  const ids = [];
  for (const id of ['a', 'a', 'b', 'a', 'stored']) ids.push(await answer(id, `model ${ids.length}`));
  const shown = ids.map((id) => id.replace(/-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, '-uuid'));
  assert.deepEqual(shown, ['a', 'a-uuid', 'b', 'a-uuid', 'stored-uuid']);
  assert.equal(new Set(ids).size, ids.length);
});
