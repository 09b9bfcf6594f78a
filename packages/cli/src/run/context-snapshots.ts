/** What each request was made of, one numbered file for each: V0's context snapshots. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LlmConfig } from '@longhand/sdk';
import {
  makeFolder,
  masker,
  type PromptNotice,
  secretsOf,
  secretsOfConfig,
  wireMessages,
} from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';

/** Numbering continues after existing files. If a file cannot be written, there is one warning. Throws UsageError if the folder cannot be created. */
export function snapshotsTo(
  directory: string,
  llm: LlmConfig,
  policy: string,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): (prompt: PromptNotice) => void {
  try {
    makeFolder(directory, 0o700);
  } catch (error) {
    throw new UsageError(`--context-snapshots: ${directory} cannot be made: ${(error as Error).message}`);
  }
  const mask = masker([...secretsOfConfig(llm), ...secretsOf(env)]);
  let last = Math.max(
    0,
    ...readdirSync(directory).map((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0)),
  );
  let warned = false;
  return (prompt) => {
    const snapshot = {
      model: llm.model,
      condenser: policy,
      masked: prompt.masked,
      event_ids: prompt.eventIds,
      tools: prompt.tools.map(({ name }) => name),
      messages: wireMessages(llm, prompt).map((message) => JSON.parse(message) as unknown),
    };
    try {
      last = writeNext(directory, last + 1, mask(JSON.stringify(snapshot, null, 2)));
    } catch (error) {
      if (!warned) warn(`a context snapshot cannot be written: ${(error as Error).message}`);
      warned = true;
    }
  };
}

/** Returns the number that was used: another run may write to the same folder. */
function writeNext(directory: string, number: number, text: string): number {
  try {
    writeFileSync(join(directory, `${String(number).padStart(5, '0')}.json`), text, {
      flag: 'wx',
      mode: 0o600,
    });
    return number;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return writeNext(directory, number + 1, text);
  }
}
