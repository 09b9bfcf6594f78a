import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOverflow } from './overflow-texts.ts';

/** Messages of real endpoints. */
const OVERFLOWS: { readonly [provider: string]: string } = {
  OpenAI:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  'OpenAI Responses':
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  Anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
  'Anthropic, with the answer':
    'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again',
  Gemini: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  Vertex:
    'Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.',
  Bedrock: 'Input is too long for requested model.',
  Mistral: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
  Groq: 'Please reduce the length of the messages or completion.',
  OpenRouter:
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 50000 tokens.",
  Copilot: 'prompt token count of 140000 exceeds the limit of 128000',
  Cohere: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.',
  Ollama: 'the input length exceeds the context length',
  'llama.cpp': 'the request exceeds the available context size, try increasing it',
  'LM Studio': 'The number of tokens to keep from the initial prompt is greater than the context length.',
  'LM Studio, loaded too small':
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
  'vLLM, a decoder prompt':
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
  'vLLM, an older release':
    'The prompt (total length 5000) is too long to fit into the model (context length 4096).',
  SGLang: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  TGI: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
  xAI: "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
  Together: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000',
  Moonshot: 'Invalid request: Your request exceeded model token limit: 8192',
  'Z.ai': 'Prompt exceeds max length',
  DashScope: 'Range of input length should be [1, 129024]',
  MiniMax: 'invalid params, context window exceeds limit',
};

for (const [provider, words] of Object.entries(OVERFLOWS)) {
  test(`a prompt that is too long, as ${provider} reports it`, () => {
    assert.ok(isOverflow(words));
  });
}

const OTHERS: readonly string[] = [
  "Invalid schema for function 'terminal': None is not of type 'array'.",
  'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
  'Rate limit reached for requests per minute.',
  'registry.ollama.ai/library/x does not support tools',
  'The model `gpt-99` does not exist or you do not have access to it.',
];

for (const words of OTHERS) {
  test(`not an overflow: ${words}`, () => {
    assert.ok(!isOverflow(words));
  });
}
