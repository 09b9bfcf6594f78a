import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentSection } from '../config/agent-sections.ts';
import { configDirectory } from '../config/home.ts';
import { UsageError } from '../usage-error.ts';

/** V0's name for its built-in prompt. */
const BUILT_IN = 'system_prompt.j2';

/** The template of the flag, else that of the config file; undefined: the built-in prompt. Throws UsageError. */
export function systemPromptFile(flag: string | undefined, section: AgentSection): string | undefined {
  const named = section.systemPrompt;
  if (flag !== undefined || named === undefined) return flag;
  const path = named.includes('/') ? resolve(named) : join(configDirectory(), 'prompts', named);
  if (existsSync(path)) return path;
  if (named === BUILT_IN) return undefined;
  throw new UsageError(`system_prompt_filename: there is no file ${path}`);
}
