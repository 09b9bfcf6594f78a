/**
 * Traces each call as a span that follows OpenTelemetry's GenAI conventions, if a tracer is registered in this process. The registry of
 * `@opentelemetry/api` 1.x is a global, so the package itself is not needed.
 */

import { defined } from '../../value/defined.ts';
import type { ResolvedModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { Completion, LLM, Prompt } from '../llm.ts';

type Attributes = { readonly [name: string]: string | number | readonly string[] };

interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

interface TracerProvider {
  getTracer(name: string): {
    startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }): Span;
  };
}

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const CLIENT = 2;
const ERROR = 2;

export function withTracing(llm: LLM, config: LlmConfig, resolved: ResolvedModel): LLM {
  return {
    ...llm,
    complete: async (prompt, options) => {
      const provider = (globalThis as { [REGISTRY]?: { trace?: TracerProvider } })[REGISTRY]?.trace;
      if (provider === undefined) return await llm.complete(prompt, options);
      const span = provider
        .getTracer('longhand')
        .startSpan(`chat ${resolved.id}`, { kind: CLIENT, attributes: requested(prompt, config, resolved) });
      try {
        const completion = await llm.complete(prompt, options);
        span.setAttributes(answered(completion, resolved));
        return completion;
      } catch (error) {
        span.setAttributes({ 'error.type': error instanceof LLMError ? error.code : (error as Error).name });
        span.setStatus({ code: ERROR, message: (error as Error).message });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function requested(prompt: Prompt, config: LlmConfig, { provider, id, baseUrl }: ResolvedModel): Attributes {
  const server = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': id,
    ...defined({
      'gen_ai.conversation.id': prompt.cacheKey,
      'gen_ai.request.max_tokens': config.limits?.maxOutputTokens,
      'gen_ai.request.temperature': config.sampling?.temperature,
      'gen_ai.request.top_p': config.sampling?.topP,
      'server.address': server?.hostname,
      'server.port': server && Number(server.port || 443),
    }),
  };
}

function answered({ id, usage, finish, model }: Completion, resolved: ResolvedModel): Attributes {
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model ?? resolved.id,
    'gen_ai.response.finish_reasons': [finish.raw ?? finish.reason],
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  };
}
