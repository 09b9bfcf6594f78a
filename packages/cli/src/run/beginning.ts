/** What is known of a run before its workspace is: which conversation, which task, which settings. */
import { randomUUID } from 'node:crypto';
import type { ActionReplay } from '@longhand/sdk/internal';
import { readSettings, type Settings } from '../config/config.ts';
import type { Asked } from '../flags/command.ts';
import type { RUN } from '../flags/table.ts';
import {
  conversationsDirectory,
  type Found,
  findConversation,
  findNamed,
  LATEST,
  latestConversation,
  readSetup,
  storedConversation,
} from '../stored/find-conversation.ts';
import { UsageError } from '../usage-error.ts';
import { isRedirected } from './standard-input.ts';
import { readTask } from './task.ts';
import { readReplay } from './trajectory-file.ts';

/** The command line of a run. `words`: a bare `-` was given, so all of standard input belongs to the task. */
export type RunCommand = Asked<typeof RUN, boolean>;

export interface Beginning {
  readonly asked: RunCommand;
  readonly settings: Settings;
  /** Of the conversation; decided here for a new one. */
  readonly id: string;
  readonly isNew: boolean;
  /** What a resumed conversation was run with. */
  readonly stored: Partial<ReturnType<typeof readSetup>>;
  /** The task, or the next message. */
  readonly message: string | undefined;
  /** Actions that are repeated first, and the file that they come from. */
  readonly replayed: { readonly path: string; readonly actions: ActionReplay } | undefined;
}

/** Null if the task is `/exit`, with which V0 ends without asking or storing anything. Throws UsageError. */
export async function begin(asked: RunCommand, warn: (text: string) => void): Promise<Beginning | null> {
  const settings = await readSettings(asked, process.env, process.cwd());
  const found = foundConversation(asked, settings.place.directory);
  // A config file that names a trajectory means new conversations.
  const path = found === undefined ? settings.trajectories?.replay : asked.recording.replayTrajectory;
  const message = await messageOf(asked, found, path !== undefined, warn);
  if (message === '/exit') return null;
  if (message === undefined && asked.task.images !== undefined)
    throw new UsageError('--image is sent with a task; give one with -t');
  if (message === undefined && found === undefined && path === undefined) {
    settings.warnings.forEach(warn); // one of them may be about a trajectory that was ignored
    throw new UsageError(NO_TASK);
  }
  return {
    asked: found === undefined ? placed(asked, settings.place) : asked,
    settings,
    id: found?.id ?? asked.conversation.id ?? randomUUID(),
    isNew: found === undefined,
    stored: found === undefined ? {} : readSetup(found.directory),
    message,
    replayed: path === undefined ? undefined : { path, actions: replay(path, message, asked, found) },
  };
}

/** The conversation to resume: by `--resume`, or by an id or a name that exists already. */
function foundConversation(
  { conversation, store, place }: RunCommand,
  configured: string | undefined,
): Found | undefined {
  const { resume, id, name } = conversation;
  const directory = conversationsDirectory(store.conversationsDir);
  if (id !== undefined) return storedConversation(directory, id);
  if (name !== undefined) return findNamed(directory, name);
  if (resume === undefined) return undefined;
  if (resume === true) return latestConversation(directory, place.directory ?? configured ?? '.');
  return resume === LATEST ? latestConversation(directory) : findConversation(directory, resume);
}

/** The place that the config file names, unless the command line names one. */
function placed(asked: RunCommand, { repo, directory }: Settings['place']): RunCommand {
  const { place } = asked;
  if (place.repo !== undefined || place.directory !== undefined) return asked;
  if (repo !== undefined) return { ...asked, place: { ...place, repo } };
  return directory === undefined ? asked : { ...asked, place: { ...place, directory } };
}

const NO_TASK = `there is no task
  Give one with -t "...", from a file with -f FILE, or on standard input with -
  See longhand --help`;

/**
 * What is piped in belongs to the task, unless a replay takes its place or the user's replies come from there. A new conversation
 * without a task waits for it.
 */
async function messageOf(
  { task, words: dash, conversation, agent }: RunCommand,
  found: Found | undefined,
  hasReplay: boolean,
  warn: (text: string) => void,
): Promise<string | undefined> {
  const isGiven = task.text !== undefined || task.file !== undefined || dash;
  const isNew = found === undefined && conversation.resume === undefined;
  if (hasReplay && !isGiven) return undefined;
  const stdin =
    !isGiven && isNew && isRedirected(0) ? 'task' : agent.autoContinue === false ? 'unused' : 'extra';
  return await readTask({ task, dash, stdin, warn });
}

/** Throws UsageError. */
function replay(
  path: string,
  message: string | undefined,
  { recording }: RunCommand,
  found: Found | undefined,
): ActionReplay {
  const given = recording.replayTrajectory === undefined ? 'replay_trajectory_path' : '--replay-trajectory';
  if (message !== undefined)
    throw new UsageError(`a task and ${given} exclude each other: a trajectory starts with its own task`);
  if (found !== undefined)
    throw new UsageError(`${given} starts a conversation of its own, and ${found.id} exists already`);
  return readReplay(path);
}
