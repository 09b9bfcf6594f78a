/** How endpoints say that a prompt exceeds the model's context window. `overflow-texts.test.ts` holds the messages themselves. */
const OVERFLOW_TEXTS = new RegExp(
  [
    'context[_ ]length[_ ]exceeded',
    'maximum (context|prompt) length',
    'greater than the context length',
    'longer than the (maximum model length|model.s context length)',
    'too long to fit into the model',
    'inputs` tokens .* must be <=',
    'must have less than \\d+ tokens',
    'trying to keep the first \\d+ tokens',
    'model only supports up to \\d+',
    'exceeded model token limit',
    'prompt exceeds max length',
    'range of input length',
    'context window',
    'prompt is too long',
    'input is too long',
    'exceeds? (the (model|context|maximum|limit)|context limit)',
    'too many (input )?tokens',
    'token count .* exceeds',
    'request too large.*token',
    'reduce the length of',
    'exceed_context_size',
    'larger than the (maximum|context)',
    'model_max_prompt_tokens_exceeded',
    'available context size',
  ].join('|'),
  'i',
);

export function isOverflow(words: string): boolean {
  return OVERFLOW_TEXTS.test(words);
}
