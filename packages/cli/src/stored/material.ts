import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, type ExportMaterial, parseEvent, readConversation, serializeEvent } from '@longhand/sdk';
import { maskDeep, masker, readBaseState, secretsOf } from '@longhand/sdk/internal';
import { VERSION } from '../version.ts';
import { toolKnowledge } from './tool-knowledge.ts';

/** A stored conversation as it is exported, with the secrets of the environment masked. */
export async function readMaterial(
  id: string,
  directory: string,
  onWarning: (text: string) => void,
): Promise<ExportMaterial> {
  const conversation = await readConversation(directory, { onWarning });
  try {
    const mask = masker(secretsOf(process.env));
    const masked = (event: Event): Event => {
      const source = serializeEvent(event);
      const hidden = mask(source);
      return hidden === source ? event : parseEvent(hidden);
    };
    const events = [...conversation.log.read()].map(([, event]) => masked(event));
    const branch = conversation.branch().map(masked);
    return {
      id,
      events,
      branch,
      accounts: conversation.accounts(),
      agent: conversation.tags['agent'],
      model: modelOf(directory),
      version: `Longhand ${VERSION}`,
      responses: (responseId) => {
        const found = conversation.response(responseId);
        return found === undefined ? undefined : maskDeep(found, mask);
      },
      baseState: baseStateOf(directory),
      render: async () => (await toolKnowledge(directory)).render,
    };
  } finally {
    await conversation.close();
  }
}

/** The model that the conversation names, if any. */
function modelOf(directory: string): string | undefined {
  return readBaseState(directory)?.agent?.llm.model;
}

function baseStateOf(directory: string): string | undefined {
  const path = join(directory, 'base_state.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
