import { type EventId, ROOT } from '../../event/identity.ts';
import { type Event, movesHead } from '../../event/kinds.ts';
import type { RenderObservation } from '../../event/projection.ts';
import type { EventLog } from '../../log/event-log.ts';
import { View } from '../../view/view.ts';
import { evolve, INITIAL_STATE, type State } from './state.ts';

/**
 * The fold: state and view of the active branch, extended by each event of the log in turn. An event that does not continue the active
 * branch (after a navigation, or in a log with branches) rebuilds the view from its own branch.
 */
export class History {
  readonly #log: EventLog;
  readonly #render: RenderObservation | undefined;
  #state: State = INITIAL_STATE;
  /** Made at first use: reading only the state reads no events. */
  #view: View | (() => View);
  #isMoved = false;

  constructor(log: EventLog, render?: RenderObservation) {
    this.#log = log;
    this.#render = render;
    this.#view = new View(render);
  }

  get state(): State {
    return this.#state;
  }

  get view(): View {
    if (typeof this.#view === 'function') this.#view = this.#view();
    return this.#view;
  }

  /** Continues from a stored state and view. `view` returns null if the view cannot be restored; it is then rebuilt. */
  resumeFrom(state: State, view: () => View | null): void {
    this.#state = state;
    this.#view = () => view() ?? this.#viewOf(state.leafId);
  }

  /** Sets what the log does not contain. */
  amend(change: Partial<Pick<State, 'status' | 'stats'>>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Whether HEAD was moved by `moveTo` since the last event, so that the log does not tell where it is. */
  get isMoved(): boolean {
    return this.#isMoved;
  }

  moveTo(leaf: EventId | null): void {
    this.#isMoved = true;
    this.#state = { ...this.#state, leafId: leaf };
    this.#view = this.#viewOf(leaf);
  }

  apply(event: Event): void {
    this.#isMoved = false;
    const before = this.#state.leafId;
    if (movesHead(event)) {
      const parent =
        event.parent_id === undefined ? before : event.parent_id === ROOT ? null : event.parent_id;
      if (parent !== before) this.#view = this.#viewOf(parent);
      this.view.append(event);
      this.#state = evolve(this.#state, event);
    } else {
      this.#state = evolve(this.#state, event);
      if (this.#state.leafId !== before) this.#view = this.#viewOf(this.#state.leafId);
    }
  }

  #viewOf(leaf: EventId | null): View {
    const view = new View(this.#render);
    for (const event of branchOf(this.#log, leaf)) view.append(event);
    return view;
  }
}

/** State and view after the events `[0, to)` of the log. */
export function foldLog(log: EventLog, to: number = log.length, render?: RenderObservation): History {
  const history = new History(log, render);
  for (const [, event] of log.read(0, to)) history.apply(event);
  return history;
}

/** The events from the root to `leaf`, in order. A missing ancestor ends the walk. */
export function branchOf(log: EventLog, leaf: EventId | null): Event[] {
  const branch: Event[] = [];
  const seen = new Set<number>();
  let index = indexIn(log, leaf);
  while (index >= 0 && !seen.has(index)) {
    seen.add(index);
    const event = log.at(index);
    if (event === undefined) break;
    if (movesHead(event)) branch.push(event);
    index = parentIndex(log, event, index);
  }
  return branch.reverse();
}

/** An event without `parent_id` is from a log without a tree: its parent is the event before it. */
function parentIndex(log: EventLog, event: Event, index: number): number {
  return event.parent_id === undefined ? index - 1 : indexIn(log, event.parent_id);
}

/** -1 before the first event, and for an event that is missing. */
function indexIn(log: EventLog, id: EventId | null): number {
  return id !== null && log.has(id) ? log.indexOf(id) : -1;
}
