/** The tool `task`, in real conversations that are stored. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Content, Conversation, type Observation, openLocalWorkspace, textOf } from '@longhand/sdk';
import { contentText, type Reply, startModelServer } from '@longhand/sdk/testing';
import { builtinAgents, builtinTools } from './index.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const finish = (message: string): Reply => ({ toolCalls: [{ name: 'finish', arguments: { message } }] });

const task = (args: object) => ({ name: 'task', arguments: { ...args } });

/** An agent that makes these calls, turn by turn; whoever works for it says what it was told, and on which model. */
async function handOn(t: TestContext, ...turns: readonly NonNullable<Reply['toolCalls']>[]) {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-task-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startModelServer(({ body }) => {
    const messages = body['messages'] as readonly Message[];
    const first = contentText(messages.find(({ role }) => role === 'user')?.content);
    if (first !== 'hand on') return first === 'fail' ? BROKEN : finish(`${body['model']} was told: ${first}`);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const toolCalls = turns[turn];
    return toolCalls === undefined ? finish('done') : { toolCalls };
  });
  t.after(() => server.close());
  const llm = {
    model: 'openai/x',
    endpoint: { baseUrl: `${server.url}/v1`, apiKey: 'key' },
    retry: { attempts: 1 },
  };
  const conversation = await Conversation.open({
    agent: {
      llm,
      tools: ['task_tool_set', 'switch_llm', 'finish'].map((name) => ({ name, params: {} })),
    },
    tools: builtinTools,
    agents: builtinAgents,
    model: { profile: (name) => ({ ...llm, model: `openai/${name}` }) },
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process' },
  });
  t.after(() => conversation.close());
  await conversation.send('hand on');
  assert.equal((await conversation.run()).kind, 'finished');
  return conversation;
}

const BROKEN: Reply = { error: { status: 400, message: 'the model is out' } };

const observations = ({ view }: Conversation) =>
  view.events.flatMap((event) =>
    event.kind === 'ObservationEvent' && event.tool_name === 'task' ? [event.observation] : [],
  );

const wordsOf = (observation: Observation | undefined) => textOf((observation?.content ?? []) as Content[]);
const fieldsOf = (observation: Observation | undefined) =>
  ['is_error', 'task_id', 'subagent', 'status', 'kind'].map((key) => observation?.[key as 'kind']);

test('the result names the task, the agent and the outcome, also of a failure', async (t) => {
  const conversation = await handOn(t, [
    task({ prompt: 'count' }),
    task({ prompt: 'fail', subagent_type: 'bash-runner' }),
  ]);
  const [first, second] = observations(conversation);
  assert.deepEqual(fieldsOf(first), [
    false,
    'task_00000001',
    'general-purpose',
    'completed',
    'TaskObservation',
  ]);
  assert.equal(wordsOf(first), '[task_00000001, general-purpose, completed]\nx was told: count');
  assert.deepEqual(fieldsOf(second), [true, 'task_00000002', 'bash-runner', 'error', 'TaskObservation']);
  assert.match(
    wordsOf(second),
    /^\[task_00000002, bash-runner, error\]\n.*did not finish .*the model is out/,
  );
});

test('a blank type is the default, a blank resume a new task, and a blank prompt starts nothing', async (t) => {
  const conversation = await handOn(t, [
    task({ prompt: 'count', subagent_type: ' ', resume: '', description: '' }),
    task({ prompt: ' \n' }),
    task({ prompt: 'x', subagent_type: 'default' }),
  ]);
  assert.deepEqual(
    observations(conversation).map(({ task_id, subagent }) => [task_id, subagent]),
    [['task_00000001', 'general-purpose']],
  );
  assert.equal(readdirSync(join(conversation.directory ?? '', 'subagents')).length, 1);
  const said = conversation.view
    .messages()
    .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content as Content[])] : []));
  assert.match(said[1] ?? '', /prompt: must not be blank/);
  assert.match(said[2] ?? '', /There is no agent "default".*general-purpose/);
});

test('a sub-agent has the model that the agent currently has', async (t) => {
  const conversation = await handOn(
    t,
    [{ name: 'switch_llm', arguments: { profile_name: 'larger', reason: 'it is hard' } }],
    [task({ prompt: 'count' })],
  );
  assert.match(wordsOf(observations(conversation)[0]), /larger was told: count/);
});
