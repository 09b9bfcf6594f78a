import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { callDraft, countingClock, errorDraft, observationDraft } from '../../test-support/random-history.ts';
import type { Agent } from '../agent/agent.ts';
import { message } from '../agent/message.ts';
import type { Bringer, Knowledge } from '../context/knowledge.ts';
import type { Skill } from '../context/skill.ts';
import { type Content, text } from '../event/content.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { Tool } from '../tool/tool.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { View } from '../view/view.ts';
import {
  latestImages,
  skillNamed,
  systemPrompt,
  withFileKnowledge,
  withServersOfSkills,
} from './briefing.ts';

const AGENT: Agent = { llm: { model: 'm' }, tools: [] };

function knowing(more: Partial<Knowledge> = {}): Knowledge {
  return {
    staticPrompt: async (tools) => [
      { section: 'a', source: 'x', text: `You have ${tools.map(({ name }) => name)}.` },
    ],
    dynamicContext: async (nowMs) => [{ section: 'b', source: 'x', text: `It is ${nowMs}.` }],
    forMessage: async () => ({ names: [], content: [] }),
    offered: async () => [],
    forPath: async () => ({ names: [], content: [] }),
    ...more,
  };
}

const skill = (name: string, source?: string) => ({ name, content: name, source }) as unknown as Skill;

function tool(more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({ name: 'terminal', description: 'd', input: z.object({}), run: () => 'ok' }),
    ...more,
  };
}

test('the system prompt lists the tools, and is the agent’s own where it has one', async () => {
  const drafted = await systemPrompt(AGENT, toolSetOf([tool()]), knowing(), 7);
  assert.ok(drafted.kind === 'SystemPromptEvent');
  assert.equal(drafted.source, 'agent');
  assert.equal(drafted.system_prompt.text, 'You have terminal.');
  assert.equal(drafted.dynamic_context?.text, 'It is 7.');
  assert.deepEqual(
    drafted.tools.map(({ title }) => title),
    ['terminal'],
  );
  const own = await systemPrompt({ ...AGENT, systemPrompt: 'Mine.' }, toolSetOf([]), knowing(), 7);
  assert.equal(own.kind === 'SystemPromptEvent' && own.system_prompt.text, 'Mine.');
});

/** The path rules that a result activates when the call has these arguments; a rule exists for each file in `src`. */
async function added(args: object, result?: Draft, of?: Tool, told: readonly string[] = []) {
  const clock = countingClock();
  const call = eventOf(callDraft('c', 'r'), null, clock) as ActionEvent;
  const action = { ...call, action: { ...args, kind: 'TerminalAction' } } as ActionEvent;
  const asked: string[] = [];
  const knowledge = knowing({
    forPath: async (path, known) => {
      asked.push(`${path} told ${[...known].join()}`);
      return path.startsWith('src/') && !known.has('src')
        ? { names: ['src'], content: [text('mind the style')] }
        : { names: [], content: [] };
    },
  });
  const tools = { get: () => of };
  const drafts = await withFileKnowledge(
    action,
    result ?? observationDraft('c', 'a'),
    { knowledge, tools },
    told,
  );
  return { drafts, asked };
}

test('a result is given the rules of the file in the arguments, and the conversation remembers them', async () => {
  for (const key of ['path', 'file_path']) {
    const { drafts } = await added({ [key]: 'src/a.ts' }, undefined, undefined, ['docs']);
    const [result, update] = drafts;
    assert.deepEqual(result?.kind === 'ObservationEvent' && result.extended_content, [
      text('mind the style'),
    ]);
    assert.ok(update?.kind === 'ConversationStateUpdateEvent');
    assert.deepEqual([update.key, update.value], ['activated_path_rules', ['docs', 'src']]);
  }
});

test('what was added to a result before stays in front of the rules', async () => {
  const earlier = { ...observationDraft('c', 'a'), extended_content: [text('before')] } as Draft;
  const { drafts } = await added({ path: 'src/a.ts' }, earlier);
  const [result] = drafts;
  assert.deepEqual(result?.kind === 'ObservationEvent' && result.extended_content, [
    text('before'),
    text('mind the style'),
  ]);
});

test('a result without files, without rules, or of a failed call stays as it is', async () => {
  const result = observationDraft('c', 'a');
  assert.deepEqual((await added({ path: 7 }, result)).asked, []);
  assert.deepEqual((await added({ path: 'docs/a.md' }, result)).drafts, [result]);
  assert.deepEqual((await added({ path: 'src/a.ts' }, result, undefined, ['src'])).drafts, [result]);
  const failed = await added({ path: 'src/a.ts' }, errorDraft('c'));
  assert.deepEqual([failed.drafts, failed.asked], [[errorDraft('c')], []]);
});

test('the files that a tool names count instead of its arguments, and each rule is added once', async () => {
  const naming = tool({ touchedPaths: () => ['src/a.ts', 'src/b.ts', 'docs/c.md'] });
  const { drafts, asked } = await added({ path: 'src/other.ts' }, undefined, naming);
  assert.deepEqual(asked, ['src/a.ts told ', 'src/b.ts told src', 'docs/c.md told src']);
  const [result] = drafts;
  assert.equal(result?.kind === 'ObservationEvent' && result.extended_content?.length, 1);
  const failing = tool({
    touchedPaths: () => {
      throw new Error('broken');
    },
  });
  assert.deepEqual((await added({ path: 'src/a.ts' }, undefined, failing)).asked, []);
});

test('servers of skills are added; the agent’s own and those of earlier skills take precedence', async () => {
  const server = (command: string) => ({ command, args: [] });
  const bringer = (name: string, mcpServers: object, isOfProject = false) =>
    ({ skill: skill(name, `${name}.md`), mcpServers, isOfProject }) as Bringer;
  const warnings: string[] = [];
  const started = async (own: object | undefined, ...bringers: Bringer[]) => {
    const knowledge = knowing({ bringers: async () => bringers });
    const agent = { ...AGENT, ...(own === undefined ? {} : { mcpConfig: own }) } as Agent;
    return (await withServersOfSkills(agent, knowledge, (warning) => warnings.push(warning))).mcpConfig;
  };
  assert.deepEqual(
    await started(
      { a: server('mine') },
      bringer('one', { a: server('1'), b: server('1') }),
      bringer('two', { b: server('2') }),
    ),
    { a: server('mine'), b: server('1') },
  );
  assert.deepEqual(await started(undefined, bringer('one', { a: server('1') })), { a: server('1') });
  assert.equal(await started(undefined), undefined);
  assert.deepEqual(warnings, []);
  assert.equal(
    await started(undefined, bringer('local', { p: server('p'), q: server('q') }, true)),
    undefined,
  );
  assert.match(warnings.join(), /local\.md are not started \(p, q\)/);
  assert.deepEqual(await started({ p: server('mine') }, bringer('local', { p: server('p') }, true)), {
    p: server('mine'),
  });
  assert.equal(warnings.length, 1);
  const without = knowing();
  assert.equal(await withServersOfSkills(AGENT, without, () => undefined), AGENT);
});

test('a skill is found by its name; an unknown one is reported with those that exist', async () => {
  const knowledge = knowing({ offered: async () => [skill('lint'), skill('test')] });
  assert.equal((await skillNamed('test', knowledge)).name, 'test');
  await assert.rejects(skillNamed('tset', knowledge), {
    name: 'ToolError',
    message: /"tset".*: lint, test\./,
  });
  await assert.rejects(skillNamed('tset', knowing()), /: none\./);
});

test('the latest images are those of the last message of the user that has any', () => {
  const image = (url: string): Content => ({ type: 'image', image_urls: [url], cache_prompt: false });
  const images = (...drafts: readonly Draft[]) => {
    const view = new View();
    for (const [i, draft] of drafts.entries())
      view.append({ ...eventOf(draft, null, countingClock()), id: `e${i}` });
    return latestImages(view);
  };
  const first = message('user', [text('see'), image('one'), image('two')]);
  assert.deepEqual(images(first, message('user', 'and?')), ['one', 'two']);
  assert.deepEqual(images(first, message('user', [image('three')])), ['three']);
  assert.deepEqual(images(first, message('environment', [image('three')])), ['one', 'two']);
  assert.deepEqual(images(message('user', 'go')), []);
});
