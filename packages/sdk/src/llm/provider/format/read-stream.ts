import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { LLMError } from '../../errors.ts';
import type { Delta } from '../../llm.ts';
import type { Answer } from './to-completion.ts';
import { wholeResponse } from './whole-response.ts';

type Block = { type: 'text' | 'reasoning'; text: string; providerMetadata?: SharedV4ProviderMetadata };

/**
 * Assembles a streamed answer, identical to an unstreamed one, and passes its deltas on. Throws the error that the stream reports, and
 * LLMError `LLMNoResponseError` if the stream ends before the answer is complete: half a call is never used.
 */
export async function readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onDelta: (delta: Delta) => void,
): Promise<Answer> {
  const content: LanguageModelV4Content[] = [];
  const chunks: unknown[] = [];
  const open = new Map<string, Block>();
  const toolNames = new Map<string, string>();
  let id: string | undefined;
  let end: Pick<Answer, 'finish' | 'usage' | 'metadata'> | undefined;

  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
        addMetadata(block, part.providerMetadata);
        open.set(part.id, block);
        content.push(block as LanguageModelV4Content);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(part.id);
        if (block === undefined) break;
        block.text += part.delta;
        addMetadata(block, part.providerMetadata);
        if (part.delta !== '') onDelta({ type: block.type, text: part.delta });
        break;
      }
      case 'text-end':
      case 'reasoning-end': {
        const block = open.get(part.id);
        if (block !== undefined) addMetadata(block, part.providerMetadata);
        open.delete(part.id);
        break;
      }
      case 'tool-input-start':
        toolNames.set(part.id, part.toolName);
        break;
      case 'tool-input-delta':
        onDelta({
          type: 'tool-input',
          toolCallId: part.id,
          toolName: toolNames.get(part.id) ?? '',
          text: part.delta,
        });
        break;
      case 'tool-call':
        content.push(part);
        break;
      case 'response-metadata':
        id = part.id ?? id;
        break;
      case 'finish':
        end = { finish: part.finishReason, usage: part.usage, metadata: part.providerMetadata };
        break;
      case 'raw':
        chunks.push(part.rawValue);
        break;
      case 'error':
        throw part.error;
      default:
        break; // sources, files and the like are of no use to an agent
    }
  }
  if (end === undefined || (end.finish.raw === undefined && end.finish.unified === 'other')) {
    throw new LLMError('LLMNoResponseError', "the model's answer broke off", { retryable: true });
  }
  return { id, content, ...end, raw: wholeResponse(chunks) };
}

function addMetadata(block: Block, metadata: SharedV4ProviderMetadata | undefined): void {
  if (metadata === undefined) return;
  const merged: SharedV4ProviderMetadata = { ...block.providerMetadata };
  for (const [provider, values] of Object.entries(metadata))
    merged[provider] = { ...merged[provider], ...values };
  block.providerMetadata = merged;
}
