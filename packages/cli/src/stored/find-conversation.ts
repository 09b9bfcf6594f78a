import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { McpConfig } from '@longhand/sdk';
import { conversationDirectory, conversationIds, llmFromStored } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { dataDirectory } from '../config/home.ts';
import type { StoredModel } from '../config/model-choice.ts';
import { UsageError } from '../usage-error.ts';
import { isSameFolder } from './directory.ts';

export interface Found {
  readonly id: string;
  readonly directory: string;
}

export function conversationsDirectory(given: string | undefined): string {
  return given ?? join(dataDirectory(), 'conversations');
}

/** Ids are shown with at least this many digits. */
const SHOWN_DIGITS = 8;

/**
 * Finds it by its name, or by the beginning of its id, with or without hyphens. A short word such as `add` is looked up as a name first. Throws
 * UsageError if there is none or more than one.
 */
export function findConversation(conversationsDir: string, prefix: string): Found {
  const wanted = prefix.replaceAll('-', '').toLowerCase();
  const called = wanted.length < SHOWN_DIGITS ? findNamed(conversationsDir, prefix) : undefined;
  if (called !== undefined) return called;
  const matches = allIn(conversationsDir).filter(({ id }) => hexOf(id).startsWith(wanted));
  const [found, ...others] = matches;
  if (found === undefined || wanted === '') {
    const named = findNamed(conversationsDir, prefix);
    if (named !== undefined) return named;
    throw new UsageError(
      `there is no conversation "${prefix}" in ${conversationsDir}; longhand ls lists them`,
    );
  }
  if (others.length > 0) {
    const some = matches
      .slice(0, 5)
      .map(({ id }) => hexOf(id))
      .join(', ');
    throw new UsageError(`"${prefix}" is the beginning of ${matches.length} ids; write more of one: ${some}`);
  }
  return found;
}

function allIn(conversationsDir: string): readonly Found[] {
  return conversationIds(conversationsDir).map((id) => ({
    id,
    directory: conversationDirectory(conversationsDir, id),
  }));
}

/** The conversation with exactly this id, once it has a folder of events. */
export function storedConversation(conversationsDir: string, id: string): Found | undefined {
  const directory = conversationDirectory(conversationsDir, id);
  return existsSync(join(directory, 'events')) ? { id, directory } : undefined;
}

/** The conversation with this name; of several, the one that changed last. */
export function findNamed(conversationsDir: string, name: string): Found | undefined {
  return newestFirst(allIn(conversationsDir)).find(({ directory }) => readSetup(directory).name === name);
}

/** The word for `latestConversation` where an id is asked for. */
export const LATEST = 'latest';

/** The conversation that changed last; with `folder`, of those that worked there. Throws UsageError if there is none. */
export function latestConversation(conversationsDir: string, folder?: string): Found {
  const found = newestFirst(allIn(conversationsDir));
  const latest = folder === undefined ? found[0] : found.find((each) => workedIn(each, folder));
  if (latest !== undefined) return latest;
  if (folder === undefined || found.length === 0)
    throw new UsageError(`there is no conversation to resume in ${conversationsDir}`);
  throw new UsageError(
    `no conversation worked in ${resolve(folder)}\n  --resume ${LATEST} resumes the latest one of any folder; longhand ls lists them all`,
  );
}

/** The last changed first; those without an event are left out. */
function newestFirst(all: readonly Found[]): readonly Found[] {
  return all
    .map((each) => ({ each, changed: changedMs(join(each.directory, 'events')) }))
    .filter(({ changed }) => changed > 0)
    .sort((a, b) => b.changed - a.changed)
    .map(({ each }) => each);
}

function workedIn({ directory }: Found, folder: string): boolean {
  return isSameFolder(readSetup(directory).workingDir, folder);
}

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** A unique prefix of an id: eight digits, or more if necessary. */
export function shortId(conversationsDir: string, id: string): string {
  const hex = hexOf(id);
  const others = conversationIds(conversationsDir)
    .map(hexOf)
    .filter((other) => other !== hex);
  let length = SHOWN_DIGITS;
  while (length < hex.length && others.some((other) => other.startsWith(hex.slice(0, length)))) length += 1;
  return hex.slice(0, length);
}

function hexOf(id: string): string {
  return id.replaceAll('-', '');
}

/**
 * Where and with what a conversation was run last; what cannot be read is left out. An imported conversation was run by others: their
 * model, its address and their servers were not chosen by the user.
 */
export function readSetup(directory: string): {
  readonly workingDir?: string;
  readonly model?: StoredModel;
  readonly agentName?: string;
  readonly name?: string;
  readonly mcp?: McpConfig;
  readonly organisation?: string;
} {
  try {
    const state = JSON.parse(readFileSync(join(directory, 'base_state.json'), 'utf8')) as StoredSetup;
    const workingDir = state.workspace?.working_dir;
    const agent = state.agent_state?.longhand?.imported === true ? undefined : state.agent;
    const { agent: agentName, name, organisation } = state.tags ?? {};
    const mcp = agent?.mcp_config;
    return {
      ...(typeof agentName === 'string' ? { agentName } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof organisation === 'string' && /^\w+$/.test(organisation) ? { organisation } : {}),
      ...(typeof workingDir === 'string' ? { workingDir } : {}),
      ...(typeof mcp === 'object' && mcp !== null ? { mcp: mcp as McpConfig } : {}),
      ...defined({ model: agent?.llm === undefined ? undefined : storedModel(agent.llm) }),
    };
  } catch {
    return {}; // only a convenience: the log has what matters
  }
}

/** Undefined if it cannot be read. Whether calls are logged to files is decided for each run. */
function storedModel(wire: { readonly [key: string]: unknown }): StoredModel | undefined {
  try {
    const { completionLog: _, ...model } = llmFromStored(wire);
    return model;
  } catch {
    return undefined;
  }
}

interface StoredSetup {
  readonly tags?: { readonly agent?: unknown; readonly name?: unknown; readonly organisation?: unknown };
  readonly workspace?: { readonly working_dir?: unknown };
  readonly agent?: {
    readonly llm?: { readonly [key: string]: unknown };
    readonly mcp_config?: unknown;
  };
  readonly agent_state?: { readonly longhand?: { readonly imported?: unknown } };
}
