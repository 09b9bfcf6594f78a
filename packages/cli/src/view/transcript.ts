import type { ActionEvent, Event } from '@longhand/sdk';
import { isResult } from '@longhand/sdk';
import { actionLines } from './action-lines.ts';
import { eventLines, messageLines, thoughtLines } from './event-lines.ts';
import type { LineOptions, Shown } from './lines.ts';

/**
 * Events in reading order: every call stands directly above its result, even if a turn makes several calls, and an
 * empty line separates turns.
 */
export class Transcript {
  readonly #options: LineOptions;
  readonly #waiting = new Map<string, ActionEvent>();
  #isEmpty = true;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  event(event: Event, shown?: Shown): string[] {
    if (event.kind === 'ActionEvent') {
      this.#waiting.set(event.tool_call_id, event);
      return this.#apart(thoughtLines(event, this.#options, shown));
    }
    if (isResult(event)) {
      return [...this.#call(event.tool_call_id), ...eventLines(event, this.#options)];
    }
    if (event.kind === 'MessageEvent') return this.#apart(messageLines(event, this.#options, shown));
    return this.#apart(eventLines(event, this.#options));
  }

  /** A call has started. */
  started(actionId: string): string[] {
    const action = this.#waiting.values().find((each) => each.id === actionId);
    return action === undefined ? [] : this.#call(action.tool_call_id);
  }

  /** The separator before something that is shown by other means. */
  separator(): string[] {
    return this.#apart(['']).slice(1);
  }

  /** Calls that were never executed. */
  rest(): string[] {
    return [...this.#waiting.keys()].flatMap((id) => this.#call(id));
  }

  #call(toolCallId: string): string[] {
    const action = this.#waiting.get(toolCallId);
    this.#waiting.delete(toolCallId);
    return action === undefined ? [] : this.#apart(actionLines(action, this.#options));
  }

  #apart(lines: readonly string[]): string[] {
    if (lines.length === 0) return [];
    const apart = this.#isEmpty ? [...lines] : ['', ...lines];
    this.#isEmpty = false;
    return apart;
  }
}
