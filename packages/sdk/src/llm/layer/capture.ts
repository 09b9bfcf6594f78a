/**
 * Writes requests and responses to files: `LONGHAND_DUMP_REQUEST` (the payload of each request, as it was on the wire),
 * `LONGHAND_CAPTURE_RAW_RESPONSE` (address, request and response), and the reference's completion logs. The variables also work with
 * `OPENHANDS_` in place of `LONGHAND_`. Secrets are masked in all files.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { makeFolderAsync } from '../../value/make-folder.ts';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { Completion, Exchange, LLM, Prompt } from '../llm.ts';
import { chatMessage } from '../provider/format/chat-messages.ts';
import type { CaptureOptions } from './capture-options.ts';

/** A file that cannot be written causes a note; the answer is returned all the same. */
export function withCapture(
  llm: LLM,
  config: LlmConfig,
  features: ModelFeatures,
  options: CaptureOptions,
): LLM {
  return {
    ...llm,
    complete: async (prompt, callOptions) => {
      const exchanges: Exchange[] = [];
      const beganAt = performance.now();
      const record = async (outcome: { readonly completion: Completion } | { readonly error: unknown }) => {
        try {
          const call = { prompt, exchanges, outcome, latencyMs: performance.now() - beganAt };
          await write(call, llm, config, features, options);
        } catch (error) {
          callOptions.onNote?.(`the request could not be captured: ${(error as Error).message}`);
        }
      };
      try {
        const completion = await llm.complete(prompt, {
          ...callOptions,
          onExchange: (exchange) => {
            exchanges.push(exchange);
            callOptions.onExchange?.(exchange);
          },
        });
        await record({ completion });
        return completion;
      } catch (error) {
        await record({ error });
        throw error;
      }
    },
  };
}

interface Call {
  readonly prompt: Prompt;
  readonly exchanges: readonly Exchange[];
  readonly outcome: { readonly completion: Completion } | { readonly error: unknown };
  readonly latencyMs: number;
}

async function write(
  call: Call,
  llm: LLM,
  config: LlmConfig,
  features: ModelFeatures,
  { requestsDir, rawResponses, completionsDir, mask }: CaptureOptions,
): Promise<void> {
  const name = fileName(config.model);
  const failed = 'error' in call.outcome;
  const save = async (folder: string, file: string, content: unknown) => {
    await makeFolderAsync(folder, 0o700);
    await writeFile(join(folder, file), mask(JSON.stringify(content, null, 2)), { mode: 0o600 });
  };
  if (requestsDir !== null) {
    for (const [i, exchange] of call.exchanges.entries()) {
      const attempt = call.exchanges.length === 1 ? '' : `-${i + 1}`;
      await save(requestsDir, `${name}${attempt}.json`, parsed(exchange.requestBody));
      if (rawResponses) {
        const { url, requestBody, status } = exchange;
        const raw = {
          url,
          request: parsed(requestBody),
          status,
          response: parsed(await exchange.responseBody),
        };
        await save(requestsDir, `${name}${attempt}.raw.json`, raw);
      }
    }
  }
  if (completionsDir !== null) {
    await save(
      completionsDir,
      `${name}${failed ? '-error' : ''}.json`,
      await completionLog(call, llm, config, features),
    );
  }
}

/** As in the reference: `<model>-<unix time>-<4 hex>`. */
function fileName(model: string): string {
  const words = model.replaceAll('/', '__').replace(/[^\w.:-]/g, '_');
  return `${words}-${(Date.now() / 1_000).toFixed(3)}-${randomBytes(2).toString('hex')}`;
}

/** What the formats of providers call the model, the messages and the tools, which completion logs have in OpenAI's format. */
const CONTENT: ReadonlySet<string> = new Set([
  'model',
  ...['messages', 'input', 'contents'],
  ...['system', 'instructions', 'systemInstruction'],
  'tools',
]);

function kwargsOf(payload: unknown): object {
  if (!isRecord(payload)) return {};
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !CONTENT.has(key)));
}

/** The request in OpenAI's format, whichever endpoint it is for. */
function payloadOf(
  prompt: Prompt,
  config: LlmConfig,
  features: ModelFeatures,
): { readonly [key: string]: unknown } {
  const style = { ...features, toolImages: true };
  return {
    model: config.model,
    messages: prompt.messages.map((message) => chatMessage(message, style)),
    ...(prompt.tools.length === 0
      ? {}
      : { tools: prompt.tools.map((tool) => ({ type: 'function', function: tool })), tool_choice: 'auto' }),
    ...defined({
      stop: prompt.stopSequences,
      temperature: config.sampling?.temperature,
      top_p: config.sampling?.topP,
      max_completion_tokens: config.limits?.maxOutputTokens,
      extra_body: config.endpoint?.extraBody,
    }),
  };
}

async function completionLog(
  { prompt, exchanges, outcome, latencyMs }: Call,
  llm: LLM,
  config: LlmConfig,
  features: ModelFeatures,
): Promise<object> {
  const last = exchanges.at(-1);
  const { messages, tools, ...others } = payloadOf(last?.prompt ?? prompt, config, features);
  // As it was on the wire, in the endpoint's own format.
  const kwargs = kwargsOf(last === undefined ? others : parsed(last.requestBody));
  const isPrompted = last !== undefined && last.prompt.tools.length !== prompt.tools.length;
  const shared = {
    context_window: llm.model.contextWindow ?? 0,
    messages,
    tools: tools ?? [],
    kwargs,
    ...defined({ raw_messages: isPrompted ? payloadOf(prompt, config, features)['messages'] : undefined }),
    timestamp: Date.now() / 1_000,
    latency_sec: latencyMs / 1_000,
  };
  if ('error' in outcome) {
    const { name, message, stack } = outcome.error as Error;
    const type = outcome.error instanceof LLMError ? outcome.error.code : name;
    return {
      ...shared,
      cost: 0,
      error: { type, message, repr: `${type}(${JSON.stringify(message)})`, traceback: stack },
    };
  }
  const { completion } = outcome;
  return {
    ...shared,
    response: {
      id: completion.id,
      model: completion.model ?? config.model,
      choices: [
        {
          index: 0,
          message: chatMessage(completion.message, {
            ...features,
            nativeTools: true,
            replayReasoning: true,
            toolImages: true,
          }),
          finish_reason: completion.finish.raw ?? completion.finish.reason,
        },
      ],
    },
    cost: completion.costUsd ?? 0,
    usage_summary: {
      prompt_tokens: completion.usage.promptTokens,
      completion_tokens: completion.usage.completionTokens,
      reasoning_tokens: completion.usage.reasoningTokens,
      cache_read_tokens: completion.usage.cacheReadTokens,
    },
    ...defined({ raw_response: last && parsed(await last.responseBody) }),
  };
}

/** JSON is parsed; a stream or anything else stays text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
