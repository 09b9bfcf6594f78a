/** What a stored conversation says, where its caller says nothing: it holds until the caller names something else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../agent/agent.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import { ALWAYS_CONFIRM } from '../security/confirmation.ts';
import { defined } from '../value/defined.ts';
import type { OpenOptions, Settings } from './open-options.ts';
import { BASE_STATE_FILE, type StoredBaseState } from './store/base-state.ts';

/** The stored confirmation policy. If it cannot be read, every action needs confirmation: it may have been the strictest. */
export function withStoredPolicy(
  settings: Settings,
  { oversight }: OpenOptions,
  stored: StoredBaseState | undefined,
  directory: string | null,
): Settings {
  if (oversight?.confirmation !== undefined) return settings;
  const path = join(directory ?? '', BASE_STATE_FILE);
  const isUnreadable = stored === undefined && directory !== null && existsSync(path);
  if (isUnreadable) settings.recording.onWarning?.(policyUnknown(path));
  const confirmation = isUnreadable ? ALWAYS_CONFIRM : stored?.confirmation;
  return confirmation === undefined
    ? settings
    : { ...settings, oversight: { ...settings.oversight, confirmation } };
}

function policyUnknown(path: string): string {
  return `the confirmation policy was in ${path}: every action needs confirmation until a policy is named; to resume without confirmation, delete the file`;
}

/** The stored condenser with its model. That of an imported agent was not chosen by the user. */
export function withStoredCondenser(agent: Agent, stored: StoredBaseState | undefined): Agent {
  const before = stored?.isImported === true ? undefined : stored?.agent;
  if (before?.condenser === undefined || agent.condenser !== undefined) return agent;
  const model = agent.llms?.['condenser'] ?? condenserModel(agent, before);
  const llms = model === undefined ? agent.llms : { ...agent.llms, condenser: model };
  return { ...agent, condenser: before.condenser, ...defined({ llms }) };
}

/** With another model of the agent's, the stored one may have no key. At the agent's old address it moves with the agent. */
function condenserModel({ llm }: Agent, before: Agent): LlmConfig | undefined {
  const stored = before.llms?.['condenser'];
  if (stored === undefined || llm.model !== before.llm.model) return undefined;
  const isBeside = stored.endpoint?.baseUrl === before.llm.endpoint?.baseUrl;
  return isBeside ? { ...stored, endpoint: llm.endpoint } : stored;
}
