import type { Message } from '../../event/message.ts';
import { decideFeatures, featuresOf, ruleName } from '../catalogue/features.ts';
import { resolveModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import type { ToolSchema } from '../llm.ts';
import { alternating } from '../prompted/alternating.ts';
import { promptedConverter } from '../prompted/convert.ts';
import { KNOWS_THE_FORM } from '../prompted/with-prompted-tools.ts';
import { chatSerializer, chatStyle } from './format/chat-messages.ts';

/**
 * A prompt's messages as JSON in OpenAI's chat form, one text each: to the byte what an endpoint of that form is sent, and
 * for all others the same in that form. Throws LLMError for a name of a model that leads nowhere.
 */
export function wireMessages(
  config: LlmConfig,
  { messages, tools }: { readonly messages: readonly Message[]; readonly tools: readonly ToolSchema[] },
): readonly string[] {
  const resolved = resolveModel(config.model, config.endpoint);
  const features = featuresOf(decideFeatures(config, resolved));
  const example = !KNOWS_THE_FORM.test(ruleName(config));
  const said = features.nativeTools
    ? messages
    : alternating()(promptedConverter(tools, { example })(messages));
  return chatSerializer(chatStyle(features, resolved))(said).map((bytes) => bytes.toString('utf8'));
}
