import type {
  ActionEvent,
  Condensation,
  CondensationSummaryEvent,
  Event,
  PromptEvent,
} from '../event/kinds.ts';
import { isPromptEvent, isResult } from '../event/kinds.ts';
import type { Message } from '../event/message.ts';
import { Projection, type RenderObservation } from '../event/projection.ts';
import { essentialsOf } from './essentials.ts';
import { answeredBy, enforceRules } from './rules.ts';

/**
 * What the model sees of one branch of the history: a fold over its events. Condensations are applied as they come, and calls
 * without a result are tracked.
 */
export class View {
  readonly #render: RenderObservation | undefined;
  #events: PromptEvent[] = [];
  #projection: Projection;
  /** By id of the action. */
  readonly #open = new Map<string, ActionEvent>();
  #condensationRequested = false;

  constructor(render?: RenderObservation) {
    this.#render = render;
    this.#projection = new Projection(render);
  }

  append(event: Event): void {
    if (event.kind === 'Condensation') {
      this.#condense(event);
    } else if (event.kind === 'CondensationRequest') {
      this.#condensationRequested = true;
    } else if (isPromptEvent(event)) {
      // A result that answers no open call has no place in a prompt.
      if (!this.#track(event)) return;
      this.#events.push(event);
      this.#projection.append(event);
    }
  }

  /** How observations are shown to the model. */
  get render(): RenderObservation | undefined {
    return this.#render;
  }

  get events(): readonly PromptEvent[] {
    return this.#events;
  }

  /** The prompt. Messages that it already had are the same objects, except after a condensation. */
  messages(): readonly Message[] {
    return this.#projection.messages();
  }

  /** The actions without a result, in order. */
  openActions(): readonly ActionEvent[] {
    return [...this.#open.values()];
  }

  get condensationRequested(): boolean {
    return this.#condensationRequested;
  }

  /** Takes up where another view of the same events stood: see `conversation/store/checkpoint.ts`. */
  restore(
    events: readonly PromptEvent[],
    open: readonly ActionEvent[],
    condensationRequested: boolean,
  ): void {
    this.#events = [...events];
    this.#open.clear();
    for (const action of open) this.#open.set(action.id, action);
    this.#condensationRequested = condensationRequested;
    this.#projectAgain();
  }

  #track(event: PromptEvent): boolean {
    if (event.kind === 'ActionEvent') {
      this.#open.set(event.id, event);
    } else if (isResult(event)) {
      const actionId = answeredBy(event, this.#open);
      return actionId !== undefined && this.#open.delete(actionId);
    }
    return true;
  }

  #condense(event: Condensation): void {
    const forgotten = new Set(event.forgotten_event_ids ?? []);
    const essentials = essentialsOf(this.#events);
    const kept = this.#events.filter((each) => essentials.has(each) || !forgotten.has(each.id));
    if (event.summary !== undefined && event.summary_offset !== undefined) {
      // The offset counts the events that its writer kept, and other writers forget the task.
      const own = kept.filter(({ id }) => !forgotten.has(id));
      const next = own[event.summary_offset];
      let at = next === undefined ? kept.length : kept.indexOf(next);
      while (at < kept.length && essentials.has(kept[at] as PromptEvent)) at += 1;
      kept.splice(at, 0, summaryOf(event, event.summary));
    }
    this.#events = [...enforceRules(kept, this.#events)];
    for (const action of this.openActions()) if (!this.#events.includes(action)) this.#open.delete(action.id);
    this.#condensationRequested = false;
    this.#projectAgain();
  }

  #projectAgain(): void {
    this.#projection = new Projection(this.#render);
    for (const event of this.#events) this.#projection.append(event);
  }
}

/** The summary as an event of the view. It is never stored, so its id is derived from the condensation's. */
function summaryOf(event: Condensation, summary: string): CondensationSummaryEvent {
  return {
    id: `${event.id}-summary`,
    timestamp: event.timestamp,
    source: 'environment',
    summary,
    kind: 'CondensationSummaryEvent',
  };
}
