import { REDACTED } from '../../context/mcp-config.ts';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import { LLM_FIELDS, type LlmField } from '../../llm/config/llm-fields.ts';
import { llmToWire } from '../../llm/config/wire-config.ts';
import { ownValue } from '../../value/own-value.ts';
import { isRecord, type Wire } from './wire-values.ts';

/**
 * A model as `base_state.json` stores it, without its keys. What `before` says about the same model stays unless `llm` sets it, also
 * settings that only the reference has. Only the address is never kept: where a model is reached is a fact of today.
 */
export function modelToWire(llm: LlmConfig, usageId: string, before: unknown): Wire {
  const wire: Wire = { ...llmToWire(llm, () => REDACTED), usage_id: llm.usageId ?? usageId };
  if (!isRecord(before) || before['model'] !== llm.model) return wire;
  const kept = Object.entries(before).filter(([key]) => groupOf(key) !== 'endpoint');
  return { ...Object.fromEntries(kept), ...wire };
}

function groupOf(key: string): LlmField['group'] {
  return ownValue<LlmField>(LLM_FIELDS, key)?.group;
}
