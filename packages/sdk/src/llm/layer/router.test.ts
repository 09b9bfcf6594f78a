import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import type { RoutingRule } from '../config/llm-config.ts';
import { NO_USAGE } from '../llm.ts';
import { promptBytes } from '../tokens/size.ts';
import { routeByRules, withRouter } from './router.ts';

const user = (words: string): Message => ({ role: 'user', content: [text(words)], thinking_blocks: [] });
const said: Message = { ...user('yes'), role: 'assistant' };
const shown: Message = {
  ...user(''),
  content: [{ type: 'image', image_urls: ['data:image/png;base64,AA=='], cache_prompt: false }],
};

const routed = (rules: readonly RoutingRule[], messages: readonly Message[]) =>
  routeByRules(rules)({ messages, tools: [] });

test('the first rule that matches decides; none: undefined', () => {
  const rules = [{ isFirstTurn: true, use: 'a' }, { use: 'b' }, { use: 'c' }];
  assert.equal(routed(rules, [user('go')]), 'a');
  assert.equal(routed(rules, [user('go'), said]), 'b');
  assert.equal(routed([{ hasImage: true, use: 'a' }], [user('go')]), undefined);
  assert.equal(routed([], [user('go')]), undefined);
});

test('has_image: whether any message shows one', () => {
  const cases: readonly (readonly [readonly Message[], boolean])[] = [
    [[user('go')], false],
    [[user('go'), shown, user('and')], true],
    [[{ ...shown, content: [text('see'), ...shown.content] }], true],
  ];
  for (const [messages, found] of cases) {
    assert.equal(routed([{ hasImage: true, use: 'x' }], messages), found ? 'x' : undefined);
    assert.equal(routed([{ hasImage: false, use: 'x' }], messages), found ? undefined : 'x');
  }
});

test('first_turn: whether the model has not answered yet', () => {
  for (const [messages, isFirst] of [
    [[user('go')], true],
    [[user('go'), said, user('and')], false],
  ] as const) {
    assert.equal(routed([{ isFirstTurn: true, use: 'x' }], messages), isFirst ? 'x' : undefined);
    assert.equal(routed([{ isFirstTurn: false, use: 'x' }], messages), isFirst ? undefined : 'x');
  }
});

test('min_prompt_tokens: a prompt of exactly so many matches, at four bytes a token', () => {
  const prompt = { messages: [user('a'.repeat(4_000))], tools: [] };
  const tokens = promptBytes(prompt) / 4;
  const route = (minPromptTokens: number) => routeByRules([{ minPromptTokens, use: 'x' }])(prompt);
  assert.deepEqual([route(tokens), route(tokens + 0.25), route(0)], ['x', undefined, 'x']);
});

test('every condition of a rule must hold', () => {
  const rule = { hasImage: true, isFirstTurn: true, minPromptTokens: 10, use: 'x' };
  assert.equal(routed([rule], [shown]), 'x');
  assert.equal(routed([rule], [user('a'.repeat(1_000))]), undefined);
  assert.equal(routed([rule], [shown, said]), undefined);
  assert.equal(routed([{ ...rule, minPromptTokens: 1e6 }], [shown]), undefined);
});

const models = () => ({ first: cannedLlm('first', [{}]), cheap: cannedLlm('cheap', [{}]) });

test('the model that the route names is asked, and named as the one that answered', async () => {
  for (const [name, answers] of [
    ['cheap', 'cheap'],
    ['primary', 'first'],
    [undefined, 'first'],
  ] as const) {
    const { first, cheap } = models();
    const { model } = await withRouter(first, { cheap }, () => name).complete(EMPTY, unaborted());
    assert.equal(model, answers);
    assert.deepEqual([first.asked.length, cheap.asked.length], answers === 'first' ? [1, 0] : [0, 1]);
  }
});

test('a model behind the chosen one that answered in its place keeps its name', async () => {
  const { first } = models();
  const cheap = cannedLlm('cheap', [{ model: 'backup' }]);
  const { model } = await withRouter(first, { cheap }, () => 'cheap').complete(EMPTY, unaborted());
  assert.equal(model, 'backup');
});

test('a route to an unknown model is an error that names the known ones', async () => {
  const { first, cheap } = models();
  const llm = withRouter(first, { cheap, dear: cheap }, () => 'other');
  await assert.rejects(llm.complete(EMPTY, unaborted()), /"other".*cheap, dear/);
});

test('the router is named after all of its models, has vision if one of them does, and costs as much as the dearest', async () => {
  const priced = (usd: number) => ({ pricing: async () => () => usd });
  const first = cannedLlm('first', [{}], priced(1));
  const seeing = cannedLlm('seeing', [{}], { ...priced(2), model: { name: 'seeing', vision: true } });
  const llm = withRouter(first, { seeing }, () => undefined);
  assert.deepEqual(llm.model, { name: 'router(first,seeing)', vision: true });
  assert.equal(withRouter(first, { other: first }, () => undefined).model.vision, false);
  assert.equal((await llm.pricing?.())?.(NO_USAGE), 2);
  assert.equal(
    await withRouter(first, { unpriced: cannedLlm('x', [{}]) }, () => undefined).pricing?.(),
    null,
  );
});
