/**
 * Folders that both programs have written in turns, as files for the tests: `--freeze` of check.ts. Places of this machine and the sentences
 * of the reference are replaced.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversationDirectory } from '@longhand/sdk/internal';
import type { FrozenFolder } from '../../packages/sdk/test-support/frozen-folder.ts';
import type { Driver, Folder } from './drivers.ts';

const FIXTURES = join(import.meta.dirname, '../../packages/sdk/src/conversation/store/fixtures/turns');

/** Writes the folder, and what the reference reads in it. */
export async function freeze(name: string, folder: Folder, reference: Driver): Promise<void> {
  const directory = conversationDirectory(folder.conversations, folder.id);
  const events = join(directory, 'events');
  const names = readdirSync(events).filter((each) => each.endsWith('.json'));
  const frozen: FrozenFolder = {
    id: folder.id,
    baseState: JSON.parse(readFileSync(join(directory, 'base_state.json'), 'utf8')),
    events: names.sort().map((each) => withoutTools(JSON.parse(readFileSync(join(events, each), 'utf8')))),
    facts: await reference.facts(folder),
  };
  const { events: lines, ...rest } = withoutSentences(withoutPlaces(frozen, folder));
  const head = JSON.stringify(rest).slice(0, -1);
  mkdirSync(FIXTURES, { recursive: true });
  const path = join(FIXTURES, `${name.replaceAll(' ', '-')}.json`);
  writeFileSync(path, `${head},"events":[\n${lines.map((each) => JSON.stringify(each)).join(',\n')}\n]}\n`);
}

/** The descriptions of the reference's tools are its own. */
function withoutTools(event: { readonly kind: string }): object {
  return event.kind === 'SystemPromptEvent' ? { ...event, tools: [] } : event;
}

function withoutPlaces(frozen: FrozenFolder, { conversations, workspace }: Folder): FrozenFolder {
  return eachText(frozen, (text) =>
    text.replaceAll(conversations, '/home/user/conversations').replaceAll(workspace, '/home/user/project'),
  );
}

/** How results, errors and messages of the reference begin. */
const SENTENCE = /^(?:Error |Tool '|Your thought|You've called|\[An error|litellm\.)/;
const MALFORMED = /"error": "((?:[^"\\]|\\.)*)"/;

/** The same sentence becomes the same replacement, alone and within arguments. */
function withoutSentences(frozen: FrozenFolder): FrozenFolder {
  const found = new Set<string>();
  eachText(frozen, (text) => {
    const sentence = MALFORMED.exec(text)?.[1] ?? text;
    if (SENTENCE.test(sentence)) found.add(sentence);
    return text;
  });
  const longestFirst = [...found].sort((a, b) => b.length - a.length);
  return eachText(frozen, (text) =>
    longestFirst.reduce((rest, words, i) => rest.replaceAll(words, `Result ${i + 1}.`), text),
  );
}

/** A copy with every text replaced. */
function eachText<T>(value: T, replace: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'string' ? replace(each) : each,
  ) as T;
}
