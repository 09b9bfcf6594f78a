import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '../../agent/agent.ts';
import { agentFromWire, agentToWire } from './agent-wire.ts';
import { modelToWire } from './model-wire.ts';
import type { Wire } from './wire-values.ts';

const tool = (name: string, params = {}) => ({ name, params });
const AGENT: Agent = {
  llm: { model: 'openai/x' },
  tools: [tool('think'), tool('terminal')],
  condenser: { type: 'noop' },
};
const WRITTEN = {
  system_prompt_filename: 'system_prompt.j2',
  security_policy_filename: 'security_policy.j2',
  system_prompt_kwargs: { llm_security_analyzer: true },
  tool_concurrency_limit: 1,
  kind: 'Agent',
  llm: { model: 'openai/x', usage_id: 'agent' },
  tools: [tool('terminal')],
  mcp_config: {},
  include_default_tools: ['ThinkTool'],
  condenser: { kind: 'NoOpCondenser' },
};
const NO_CONTEXT = { skills: [], load_user_skills: false, load_project_skills: false, disabled_skills: [] };

const WRITES: readonly (readonly [string, Partial<Agent>, Wire | undefined, object])[] = [
  ['only what it must say', {}, undefined, {}],
  [
    'its settings',
    {
      mcpConfig: { s: { command: 'c', args: [], env: { TOKEN: 'secret' } } },
      filterToolsRegex: '^s_',
      systemPrompt: 'Be brief.',
      toolConcurrency: 3,
    },
    { mcp_config: { theirs: 1 }, system_prompt: 'Be long.' },
    {
      mcp_config: { s: { command: 'c', args: [], env: { TOKEN: '**********' } } },
      filter_tools_regex: '^s_',
      system_prompt: 'Be brief.',
      tool_concurrency_limit: 3,
    },
  ],
  [
    'the model of its condenser',
    { condenser: { type: 'llm' }, llms: { condenser: { model: 'openai/small' } } },
    undefined,
    {
      condenser: {
        llm: { model: 'openai/small', usage_id: 'condenser' },
        keep_first: 4,
        kind: 'LLMSummarizingCondenser',
      },
    },
  ],
  [
    'an empty context beside skills of the reference',
    { context: {} },
    { agent_context: { skills: ['theirs'], datetime: 'now', load_user_skills: true } },
    { agent_context: { ...NO_CONTEXT, skills: ['theirs'], datetime: 'now' } },
  ],
  ['an empty context in a new folder', { context: {} }, undefined, { agent_context: NO_CONTEXT }],
  [
    'a whole context',
    {
      context: {
        systemMessageSuffix: 'system',
        userMessageSuffix: 'user',
        loadUserSkills: true,
        loadProjectSkills: true,
        disabledSkills: ['lint'],
      },
    },
    { agent_context: 'damaged' },
    {
      agent_context: {
        skills: [],
        system_message_suffix: 'system',
        user_message_suffix: 'user',
        load_user_skills: true,
        load_project_skills: true,
        disabled_skills: ['lint'],
      },
    },
  ],
  [
    'what stood there before, where it sets nothing',
    {},
    {
      kind: 'TheirAgent',
      theirs: 1,
      tool_concurrency_limit: 5,
      mcp_config: { theirs: 1 },
      include_default_tools: ['FinishTool', 'TheirTool'],
      agent_context: { skills: ['theirs'] },
      llm: { model: 'openai/x', native_tool_calling: false },
    },
    {
      kind: 'TheirAgent',
      theirs: 1,
      tool_concurrency_limit: 5,
      mcp_config: { theirs: 1 },
      include_default_tools: ['ThinkTool', 'TheirTool'],
      agent_context: { skills: ['theirs'] },
      llm: { model: 'openai/x', native_tool_calling: false, usage_id: 'agent' },
    },
  ],
];

for (const [name, settings, before, more] of WRITES) {
  test(`an agent is written with ${name}`, () => {
    assert.deepEqual(agentToWire({ ...AGENT, ...settings }, before), { ...WRITTEN, ...more });
  });
}

const READS: readonly (readonly [string, Wire, Partial<Agent>])[] = [
  ['without any setting', {}, {}],
  ['with empty settings', { mcp_config: {}, include_default_tools: [], tools: [] }, {}],
  [
    'with settings of a wrong type',
    {
      mcp_config: null,
      include_default_tools: 'ThinkTool',
      tools: {},
      system_prompt: 7,
      filter_tools_regex: 7,
      agent_context: null,
    },
    {},
  ],
  ['with a context that is text', { agent_context: 'none' }, {}],
  [
    'with tools that are named by their class',
    { tools: [{ name: 'terminal', params: { shell: 'sh' } }], include_default_tools: ['ThinkTool', 'X'] },
    { tools: [tool('terminal', { shell: 'sh' }), tool('think')] },
  ],
  [
    'with all its settings',
    { system_prompt: 'p', filter_tools_regex: '^s', mcp_config: { s: { command: 'c', args: [] } } },
    { systemPrompt: 'p', filterToolsRegex: '^s', mcpConfig: { s: { command: 'c', args: [] } } },
  ],
  [
    'with a context',
    { agent_context: { load_user_skills: true, disabled_skills: ['lint', 7], user_message_suffix: 'u' } },
    { context: { userMessageSuffix: 'u', loadUserSkills: true, disabledSkills: ['lint', '7'] } },
  ],
  [
    'with a context whose values have a wrong type',
    {
      agent_context: {
        load_user_skills: 'yes',
        load_project_skills: 1,
        disabled_skills: 'lint',
        system_message_suffix: 7,
        user_message_suffix: 7,
      },
    },
    { context: {} },
  ],
  [
    'with a context that loads the skills of the project',
    { agent_context: { load_project_skills: true, disabled_skills: [], system_message_suffix: 's' } },
    { context: { systemMessageSuffix: 's', loadProjectSkills: true } },
  ],
];

for (const [name, json, more] of READS) {
  test(`an agent is read ${name}`, () => {
    assert.deepEqual(agentFromWire({ llm: { model: 'openai/x' }, ...json }), {
      llm: { model: 'openai/x' },
      tools: [],
      ...more,
    });
  });
}

test('an agent without a model, or with a tool without a name, cannot be read', () => {
  assert.throws(() => agentFromWire({ llm: { model: 'm' }, tools: [{}] }), {
    message: 'tool.name is not a string',
  });
  assert.throws(() => agentFromWire({}), { name: 'TypeError', message: 'model is missing' });
});

test('settings stay with the same model, except where it is reached; keys are never written', () => {
  const llm = { model: 'openai/x', endpoint: { apiKey: 'sk-secret' }, sampling: { temperature: 1 } };
  const before = {
    model: 'openai/x',
    base_url: 'http://old',
    temperature: 0,
    num_retries: 2,
    theirs: 1,
    usage_id: 'old',
  };
  const written = { model: 'openai/x', api_key: '**********', temperature: 1 };
  assert.deepEqual(modelToWire(llm, 'agent', before), {
    ...written,
    num_retries: 2,
    theirs: 1,
    usage_id: 'agent',
  });
  for (const other of [undefined, 'damaged', { ...before, model: 'openai/y' }])
    assert.deepEqual(modelToWire({ ...llm, usageId: 'mine' }, 'agent', other), {
      ...written,
      usage_id: 'mine',
    });
});
