import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { call, openInMemory } from '../../../test-support/open-in-memory.ts';
import { callDraft, countingClock } from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Event, ToolDescription } from '../../event/kinds.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolEnvironment, ToolFactory } from '../../tool/tool.ts';
import { replay } from './replay.ts';

const done: string[] = [];
const witness = (name: string, environments: ToolEnvironment[] = []): ToolFactory => {
  const noted = (what: string) => async () => void done.push(`${what} ${name}`);
  const tool = defineTool({
    name,
    description: 'd',
    input: z.object({ words: z.string() }),
    endsRun: name === 'finish',
    prepare: noted('prepare'),
    run: async ({ words }) => {
      await noted('run')();
      return words;
    },
    close: noted('close'),
  });
  return {
    name,
    create: (environment) => {
      environments.push(environment);
      return [tool];
    },
  };
};

const AGENT = {
  llm: { model: 'm' },
  tools: ['echo', 'finish'].map((name) => ({ name, params: {} })),
  systemPrompt: 's',
};

test('tools are neither prepared nor run by a replay, and are closed after it', async (t) => {
  const tools = [witness('echo'), witness('finish')];
  const turns = [{ tool_calls: [call('hello')] }, { tool_calls: [call('over', 'finish')] }];
  const { conversation, log } = await openInMemory(t, turns, { agent: AGENT, tools });
  await conversation.send('go');
  assert.equal((await conversation.run()).kind, 'finished');
  assert.ok(done.includes('prepare echo') && done.includes('run echo'));
  done.length = 0;
  const events = log().filter(({ kind }) => kind !== 'ConversationStateUpdateEvent');
  const source = { id: conversation.id, events, agent: AGENT, workingDir: '/' };
  assert.deepEqual(await replay(source, { tools, strict: true }), {
    reproduced: events.length,
    recorded: events.length,
  });
  assert.deepEqual(done, ['close echo', 'close finish']);
});

const mcp = (name: string): Draft =>
  ({ ...callDraft(name, 'r'), tool_name: name, action: { kind: 'MCPToolAction' } }) as Draft;
const described = (...tools: readonly ToolDescription[]): Draft =>
  ({
    source: 'agent',
    system_prompt: { type: 'text', text: 's' },
    tools: [...tools],
    kind: 'SystemPromptEvent',
  }) as Draft;

/**
 * What a tool is given when these events are replayed: first when its names are compared with those of recorded tools, then in the
 * conversation.
 */
async function environmentsIn(...drafts: readonly Draft[]): Promise<readonly ToolEnvironment[]> {
  const clock = countingClock();
  const events: Event[] = drafts.map((draft) => eventOf(draft, null, clock));
  const environments: ToolEnvironment[] = [];
  const agent = { ...AGENT, tools: ['echo', 'recorded'].map((name) => ({ name, params: {} })) };
  const options = { tools: [witness('echo', environments)], strict: true };
  await replay({ id: '0'.repeat(32), events, agent, workingDir: '/there' }, options);
  assert.equal(environments.length, 2);
  return environments;
}

test('tools know what the record describes, and the server’s tools that were called without a description', async () => {
  const known = { description: 'k', kind: 'MCPToolDefinition', mcp_tool: { name: 'known' } };
  const plain = { description: 'p', kind: 'PlainTool', mcp_tool: 'added' };
  const invalid = { ...callDraft('x', 'r'), tool_name: 'invalid', action: undefined } as never as Draft;
  const events = [
    described(known, plain),
    callDraft('c', 'r'),
    invalid,
    mcp('known'),
    mcp('added'),
    mcp('added'),
  ];
  const added = {
    description: '',
    annotations: {},
    mcp_tool: { name: 'added', inputSchema: { type: 'object' } },
    kind: 'MCPToolDefinition',
    title: 'added',
  };
  const tools = async (...drafts: readonly Draft[]) =>
    (await environmentsIn(...drafts)).map((environment) => environment.described);
  assert.deepEqual(await tools(...events), Array(2).fill([known, plain, added]));
  assert.deepEqual(await tools(...events.slice(1, 3)), [[], []]);
});

test('tools are inert in a replay, and the workspace has its recorded name and refuses every access', async () => {
  for (const { files, vision, inert, workspace } of await environmentsIn(described())) {
    assert.deepEqual([files, vision, inert], [null, true, true]);
    const { root, platform, close, ...accesses } = workspace;
    assert.deepEqual([root, platform, await close()], ['/there', process.platform, undefined]);
    assert.equal(Object.keys(accesses).length, 10);
    for (const access of Object.values(accesses) as (() => Promise<unknown>)[])
      await assert.rejects(access(), { name: 'ReplayMismatch', message: /workspace/ });
  }
});
