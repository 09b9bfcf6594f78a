/**
 * A conversation with everything in it that the engine says or decides by itself. `record-golden.ts` stores one for each form of
 * the log that was released; `replay/golden.int.test.ts` replays them all. The tools must stay as they are: they are in the logs.
 */
import * as z from 'zod';
import type { Agent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { parseHookConfig } from '../src/conversation/hooks/hook-config.ts';
import type { OversightOptions } from '../src/conversation/open-options.ts';
import { text } from '../src/event/content.ts';
import type { Completion, LLM } from '../src/llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../src/llm/playback/scripted-llm.ts';
import { UNREADABLE_CALL } from '../src/llm/prompted/unreadable.ts';
import { defineTool } from '../src/tool/define-tool.ts';
import { type Tool, ToolError, type ToolFactory } from '../src/tool/tool.ts';
import { type Condenser, KEEP } from '../src/view/condensers/condenser.ts';
import { openLocalWorkspace } from '../src/workspace/local-workspace.ts';

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const body = (words: string) => ({ content: [text(words)], is_error: false });

const echo = defineTool({
  name: 'echo',
  kind: { tool: 'EchoTool', action: 'EchoAction', observation: 'EchoObservation' },
  description: 'Repeats the words.',
  input: z.object({ words: z.string() }),
  annotations: hints,
  run: async ({ words }, { requestCondensation }) => {
    if (words === 'fail') throw new ToolError('it failed');
    if (words === 'room') requestCondensation();
    return body(words);
  },
});

const task = defineTool({
  name: 'task',
  kind: { tool: 'TaskTool', action: 'TaskAction', observation: 'TaskObservation' },
  description: 'Delegates work.',
  input: z.object({ prompt: z.string() }),
  annotations: hints,
  run: async ({ prompt }, { conversation, signal }) => {
    const work = { agent: 'helper', prompt, signal, onProgress: () => undefined };
    return body((await conversation.delegate(work)).words);
  },
});

const finish = defineTool({
  name: 'finish',
  kind: { tool: 'FinishTool', action: 'FinishAction', observation: 'FinishObservation' },
  description: 'Ends the run.',
  input: z.object({ message: z.string() }),
  annotations: hints,
  endsRun: true,
  run: async ({ message }) => body(message),
});

const factoryOf = (tool: Tool): ToolFactory => ({
  name: tool.name,
  delegates: tool.name === 'task',
  create: () => [tool],
});
export const goldenTools: readonly ToolFactory[] = [echo, task, finish].map((tool) =>
  factoryOf(tool as Tool),
);

const agent: Agent = {
  llm: { model: 'scripted', usageId: 'agent' },
  tools: goldenTools.map(({ name }) => ({ name, params: {} })),
  systemPrompt: 'You are an example.',
};

type Turn = ScriptedTurn & { readonly complaint?: string };
let calls = 0;
let answers = 0;
const call = (name: string, args: string | { readonly [key: string]: unknown }) => {
  calls += 1;
  return { id: `call_${calls}`, name, arguments: args };
};
const says = (...words: readonly string[]): Turn => ({
  tool_calls: words.map((each) => call('echo', { words: each })),
});
const risky = (words: string): Turn => ({ tool_calls: [call('echo', { words, security_risk: 'HIGH' })] });
const done = (message: string): Turn => ({ tool_calls: [call('finish', { message })] });
const failing = (
  code: 'LLMContentPolicyViolationError' | 'LLMContextWindowExceedError' | 'LLMBadRequestError',
): Turn => ({
  error: { code, message: 'refused' },
});

/** Plays the turns one after another, whatever the prompt holds; sub-agents say one word. */
function playing(turns: readonly Turn[]): LLM {
  const model = scriptedLlm({ turns: [] });
  let played = 0;
  return {
    ...model,
    complete: async (prompt, options): Promise<Completion> => {
      const isHelper = prompt.messages.some(({ content }) => JSON.stringify(content).includes('You help.'));
      const turn = isHelper ? { text: 'helped' } : turns[played];
      if (!isHelper) played += 1;
      answers += 1;
      const script = scriptedLlm({ turns: turn === undefined ? [] : [turn] });
      const completion = await script.complete({ ...prompt, messages: [] }, options);
      const { complaint } = turn as Turn;
      return { ...completion, id: `answer_${answers}`, ...(complaint === undefined ? {} : { complaint }) };
    },
  };
}

/** Forgets what stands between the task and the last event, when it is asked to. */
const forgetting: Condenser = {
  handlesRequests: true,
  condense: async ({ events, condensationRequested }) => {
    const forgotten = events.slice(3, -6).map(({ id }) => id);
    if (!condensationRequested || forgotten.length === 0) return KEEP;
    const summary = { summary: 'It went well so far.', summary_offset: 2, llm_response_id: 'summary' };
    return { kind: 'condensation', condensation: { forgotten_event_ids: forgotten, ...summary } };
  },
};

const hook = (command: string, matcher = '*') => [{ matcher, hooks: [{ type: 'command', command }] }];
const once = (file: string) => `[ -e ${file} ] || { touch ${file}; echo "there is more to do" >&2; exit 2; }`;
const hooks = parseHookConfig({
  session_start: hook(`echo '{"additionalContext": "The session has begun."}'`),
  user_prompt_submit: hook(`echo '{"additionalContext": "The user is polite."}'`),
  pre_tool_use: hook(`if grep -q forbidden; then echo "not that" >&2; exit 2; fi`),
  post_tool_use: hook(`if grep -q remarkable; then echo '{"additionalContext": "That was remarkable."}'; fi`),
  stop: hook(once('stopped')),
  session_end: hook('true'),
});

const FIRST: readonly Turn[] = [
  { ...says('one', 'two'), text: 'Two at once.', reasoning: 'hm' },
  { tool_calls: [call('echo', '{"words": "cut'), call('echo', { words: 'remarkable' })] },
  says('forbidden'),
  says('fail'),
  says('fail'),
  says('fail'),
  says('something else'),
  done('too early'),
  done('finished'),
  { text: '' },
  failing('LLMContentPolicyViolationError'),
  says('otherwise'),
  { text: '<function=echo', complaint: UNREADABLE_CALL },
  { tool_calls: [call('task', { prompt: 'Help.' })] },
  failing('LLMContextWindowExceedError'),
  says('room'),
  { tool_calls: [call('finish', { message: 'done' }), call('echo', { words: 'too late' })] },
  failing('LLMBadRequestError'),
];
const SECOND: readonly Turn[] = [
  { text: 'Shall I?' },
  risky('approved'),
  risky('rejected'),
  done('that was it'),
  ...['a', 'b'].map((words) => says(words)),
];
const THIRD: readonly Turn[] = Array.from({ length: 12 }, (_, i) => says(`turn ${i}`));
const FOURTH: readonly Turn[] = [...Array.from({ length: 4 }, () => says('the same')), { text: 'Well.' }];

/** Stores the conversation under `conversationsDir`; the folder that it works in is `folder`. */
export async function recordGoldenRun(conversationsDir: string, folder: string): Promise<string> {
  let id: string | undefined;
  const session = async (
    turns: readonly Turn[],
    oversight: OversightOptions,
    drive: (conversation: Conversation) => Promise<void>,
  ) => {
    const conversation = await Conversation.open({
      agent,
      tools: goldenTools,
      agents: [{ name: 'helper', description: 'helps', instructions: 'You help.' }],
      workspace: openLocalWorkspace(folder),
      model: { llm: playing(turns) },
      limits: { maxIterations: 12 },
      place: { conversationsDir, id, durability: 'process' },
      oversight,
      standIns: { condenser: forgetting },
    });
    id = conversation.id;
    await drive(conversation);
    await conversation.close();
    return conversation.directory ?? '';
  };
  const says = async (conversation: Conversation, words: string, ...kinds: readonly string[]) => {
    await conversation.send(words);
    await runs(conversation, ...kinds);
  };
  await session(FIRST, { hooks }, async (conversation) => {
    await says(conversation, 'Begin.', 'finished');
    await says(conversation, 'Now the rest.', 'finished');
    await says(conversation, 'And one that fails.', 'error');
    await conversation.condense();
  });
  const confirmation = { threshold: 'HIGH', confirm_unknown: false, kind: 'ConfirmRisky' } as const;
  await session(SECOND, { confirmation, autoContinue: true }, async (conversation) => {
    await says(conversation, 'Do something dangerous.', 'waiting');
    await conversation.approve();
    await runs(conversation, 'waiting');
    await conversation.reject('rather not');
    await runs(conversation, 'finished');
    const off = conversation.subscribe({
      onEvent: ({ kind }) => kind === 'ActionEvent' && conversation.pause(),
    });
    await says(conversation, 'Stop soon.', 'paused');
    off();
    conversation.subscribe({ onEvent: ({ kind }) => kind === 'ActionEvent' && conversation.interrupt() });
    await runs(conversation, 'interrupted');
  });
  await session(THIRD, {}, async (conversation) => {
    await says(conversation, 'Take your time.', 'limit');
  });
  return await session(FOURTH, {}, async (conversation) => {
    await says(conversation, 'Again.', 'stuck');
    await says(conversation, 'And now?', 'finished');
  });
}

async function runs(conversation: Conversation, ...kinds: readonly string[]): Promise<void> {
  for (const kind of kinds) {
    const outcome = await conversation.run();
    if (outcome.kind !== kind)
      throw new Error(`the run was to end with ${kind}, not with ${JSON.stringify(outcome)}`);
  }
}
