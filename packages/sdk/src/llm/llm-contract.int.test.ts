import { type ContractAnswer, llmContract } from '../testing/contracts/llm.ts';
import { startModelServer } from '../testing/model-server.ts';
import { type LlmConfig, withEndpoint } from './config/llm-config.ts';
import { createLlm } from './create-llm.ts';
import { scriptedLlm } from './playback/scripted-llm.ts';

llmContract('scripted', async ({ text, toolCalls }) => {
  const turn = {
    ...(text === undefined ? {} : { text }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  };
  return { llm: scriptedLlm({ turns: [turn] }), close: async () => undefined };
});

const endpoint = { apiKey: 'secret-key' };

/** One for each protocol. */
const PROVIDERS: { readonly [name: string]: LlmConfig } = {
  'OpenAI Responses': { endpoint, model: 'openai/gpt-5.5', capabilities: { apiMode: 'responses' } },
  'OpenAI chat completions': { endpoint, model: 'hosted_vllm/mystery' },
  'Azure chat completions': {
    endpoint: { ...endpoint, apiVersion: '2024-12-01-preview' },
    model: 'azure/gpt-4o',
  },
  'Anthropic Messages': { endpoint, model: 'anthropic/claude-sonnet-4-6' },
  Gemini: { endpoint, model: 'gemini/gemini-3.8-flash' },
  'Bedrock Converse': { endpoint, model: 'bedrock/anthropic.claude-sonnet-4-6' },
  Mistral: { endpoint, model: 'mistral/mistral-medium-latest' },
};

async function answeredBy(config: LlmConfig, answer: ContractAnswer) {
  const server = await startModelServer(() => answer);
  const reachable = { ...withEndpoint(config, { baseUrl: `${server.url}/v1` }), retry: { attempts: 1 } };
  return { llm: await createLlm(reachable, { env: {} }), close: () => server.close() };
}

for (const [name, config] of Object.entries(PROVIDERS))
  llmContract(name, (answer) => answeredBy(config, answer));
