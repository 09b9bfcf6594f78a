/** What each request was made of, one numbered file for each: V0's context snapshots. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LlmConfig, masker, type PromptNotice, secretsOf, wireMessages } from '@longhand/sdk';
import { UsageError } from '../usage-error.ts';

/** Goes on behind the files that are there. Throws UsageError if the folder cannot be made. */
export function snapshotsTo(
  directory: string,
  llm: LlmConfig,
  policy: string,
  env: NodeJS.ProcessEnv,
): (prompt: PromptNotice) => void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`--context-snapshots: ${directory} cannot be made: ${(error as Error).message}`);
  }
  const mask = masker([llm.apiKey, ...secretsOf(env)]);
  let count = readdirSync(directory).filter((name) => /^\d+\.json$/.test(name)).length;
  return (prompt) => {
    const snapshot = {
      model: llm.model,
      condenser: policy,
      masked: prompt.masked,
      event_ids: prompt.eventIds,
      tools: prompt.tools.map(({ name }) => name),
      messages: wireMessages(llm, prompt).map((message) => JSON.parse(message) as unknown),
    };
    count += 1;
    writeFileSync(
      join(directory, `${String(count).padStart(5, '0')}.json`),
      mask(JSON.stringify(snapshot, null, 2)),
    );
  };
}
