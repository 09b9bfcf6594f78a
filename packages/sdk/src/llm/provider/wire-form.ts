import type { Message } from '../../event/message.ts';
import { decideFeatures, featuresOf, ruleName } from '../catalogue/features.ts';
import { resolveModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import type { ToolSchema } from '../llm.ts';
import { alternating } from '../prompted/alternating.ts';
import { promptedConverter } from '../prompted/convert.ts';
import { KNOWS_THE_FORM } from '../prompted/with-prompted-tools.ts';
import { sendable } from '../sendable.ts';
import { chatSerializer, chatStyle } from './format/chat-messages.ts';

/**
 * A prompt's messages as JSON in OpenAI's chat format, one text each: byte for byte what an endpoint with that format receives, and for
 * other endpoints the equivalent in that format. Throws LLMError for an unknown model.
 */
export function wireMessages(
  config: LlmConfig,
  { messages, tools }: { readonly messages: readonly Message[]; readonly tools: readonly ToolSchema[] },
): readonly string[] {
  const resolved = resolveModel(config.model, config.endpoint);
  const features = featuresOf(decideFeatures(config, resolved));
  const example = !KNOWS_THE_FORM.test(ruleName(config));
  const sent = sendable(messages);
  const said = features.nativeTools ? sent : alternating()(promptedConverter(tools, { example })(sent));
  return chatSerializer(chatStyle(features, resolved))(said).map((bytes) => bytes.toString('utf8'));
}
