/**
 * `checkpoint.json`: the fold after the first `length` events, so that opening a long conversation reads only the events of its view and
 * later ones. It is a cache: it may be deleted at any time, and one that does not match the log is ignored.
 *
 * Format: `{ version, length, last_id, state, view, open, condensation_requested, prompt_kinds? }`; in `view` a number is the index of
 * an event in the log, an object is an event that was never stored (a summary); `open` holds indices; `prompt_kinds` names the event
 * kinds of the program's own that stand in the prompt, without which the view would differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionEvent, Event, PromptEvent } from '../../event/kinds.ts';
import { isPromptEvent, ownPromptKinds } from '../../event/kinds.ts';
import type { RenderObservation } from '../../event/projection.ts';
import { writeFileAtomic } from '../../log/atomic-file.ts';
import { type Disk, nodeDisk } from '../../log/disk.ts';
import type { EventLog } from '../../log/event-log.ts';
import { View } from '../../view/view.ts';
import { foldLog, History } from '../state/history.ts';
import { INITIAL_STATE, type State } from '../state/state.ts';

const FILE = 'checkpoint.json';
const VERSION = 2;

interface Checkpoint {
  readonly version: typeof VERSION;
  readonly length: number;
  readonly last_id: string;
  readonly state: State;
  readonly view: readonly (number | PromptEvent)[];
  readonly open: readonly number[];
  readonly condensation_requested: boolean;
  readonly prompt_kinds?: readonly string[];
}

/** Writes the checkpoint of a fold; without it the log is folded from the beginning. */
export async function saveCheckpoint(
  directory: string,
  log: EventLog,
  history: History,
  disk: Disk = nodeDisk,
): Promise<void> {
  const last = log.length === 0 ? undefined : log.at(-1);
  if (last === undefined) return;
  const { view, state } = history;
  const kinds = ownPromptKinds();
  const checkpoint: Checkpoint = {
    version: VERSION,
    length: log.length,
    last_id: last.id,
    state,
    view: view.events.map((event) => (log.has(event.id) ? log.indexOf(event.id) : event)),
    open: view.openActions().map((action) => log.indexOf(action.id)),
    condensation_requested: view.condensationRequested,
    ...(kinds.length === 0 ? {} : { prompt_kinds: kinds }),
  };
  await writeFileAtomic(join(directory, FILE), JSON.stringify(checkpoint), 'process', { disk });
}

/** The fold of the whole log, starting from the checkpoint if there is one that matches. */
export function foldFromCheckpoint(directory: string, log: EventLog, render?: RenderObservation): History {
  const checkpoint = readCheckpoint(directory);
  const history = checkpoint === null ? null : restore(checkpoint, log, render);
  if (checkpoint === null || history === null) return foldLog(log, log.length, render);
  for (const [, event] of log.read(checkpoint.length)) history.apply(event);
  return history;
}

function readCheckpoint(directory: string): Checkpoint | null {
  try {
    const json = JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as Partial<Checkpoint>;
    const isOfThisProgram = String(json.prompt_kinds ?? []) === String(ownPromptKinds());
    return json.version === VERSION && isOfThisProgram ? (json as Checkpoint) : null;
  } catch {
    return null; // absent or torn: the log has everything
  }
}

function restore(checkpoint: Checkpoint, log: EventLog, render?: RenderObservation): History | null {
  const { last_id: lastId, length } = checkpoint;
  if (!log.has(lastId) || log.indexOf(lastId) !== length - 1) return null;
  const history = new History(log, render);
  history.resumeFrom({ ...INITIAL_STATE, ...checkpoint.state }, () => restoreView(checkpoint, log, render));
  return history;
}

/** Null if one of its events is missing or cannot be read. */
function restoreView(checkpoint: Checkpoint, log: EventLog, render?: RenderObservation): View | null {
  const events = checkpoint.view.map((each) => (typeof each === 'number' ? eventIn(log, each) : each));
  const open = checkpoint.open.map((index) => eventIn(log, index));
  if (!events.every(isPresent) || !open.every(isAction)) return null;
  const view = new View(render);
  view.restore(events, open, checkpoint.condensation_requested);
  return view;
}

/** The file may be damaged. */
function eventIn(log: EventLog, index: number): Event | undefined {
  return index < log.length ? log.at(index) : undefined;
}

function isPresent(event: Event | PromptEvent | undefined): event is PromptEvent {
  return event !== undefined && isPromptEvent(event);
}

function isAction(event: Event | undefined): event is ActionEvent {
  return event?.kind === 'ActionEvent';
}
