import { storableArguments } from '../../agent/tool-calls.ts';
import { STATE_KEYS, stateUpdate } from '../../conversation/state/state.ts';
import { text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import type { EventId } from '../../event/identity.ts';
import type { ActionEvent, Event, Risk } from '../../event/kinds.ts';
import { pythonJson } from '../../tool/python-json.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';
import { type Imported, withEnding } from '../imported.ts';
import type { Importer } from '../importer.ts';
import { type Json, lineOfValue, parseJson } from '../json-text.ts';
import { historyOf, stamped } from '../make-events.ts';
import { TrajectoryError } from '../trajectory-error.ts';
import { V0Accounts } from './accounts.ts';
import { actionFromV0 } from './action-in.ts';
import { type CallMetadata, callMetadata } from './call-metadata.ts';
import { RISKS, THOUGHTLESS } from './format.ts';
import { condensationDraft, messageDraft, systemDraft, wordsDraft } from './message-in.ts';
import { originalDraft, type V0Original } from './original.ts';
import { ownResponses } from './own-response.ts';
import { reasoningText, withoutReasoning } from './reasoning.ts';
import { Recalls } from './recall-in.ts';
import { observationDraft, resultDraft } from './result-in.ts';

/**
 * Reads what `save_trajectory_path` wrote. Throws TrajectoryError that names the element and its line. An action that waited
 * for confirmation appears twice in such a file; the second one is used.
 */
export function fromV0(source: string): Imported {
  const elements = parseJson(source);
  if (!Array.isArray(elements) || elements.length === 0)
    throw new TrajectoryError('expected a list of actions and observations', lineOfValue(source, []));
  const reader = new Reader(elements);
  for (const [i, element] of elements.entries()) {
    try {
      reader.read(element, i);
    } catch (error) {
      if (!(error instanceof TrajectoryError)) throw error;
      throw new TrajectoryError(`element ${i}: ${error.message}`, lineOfValue(source, [i]));
    }
  }
  const where: Imported['where'] = (id) => {
    const element = reader.elementOf.get(id);
    return element === undefined ? '' : `element ${element} (line ${lineOfValue(source, [element])})`;
  };
  const { events, agentName, model } = reader.end(where);
  return { events, ...defined({ agentName, model }), where };
}

interface Call {
  readonly event: ActionEvent;
  answered: boolean;
}

class Reader {
  readonly #events: Event[] = [];
  readonly #eventOfId = new Map<unknown, Event>();
  readonly #calls = new Map<string, Call>();
  readonly #seenResponses = new Set<string>();
  readonly #accounts = new V0Accounts();
  readonly #recalls = new Recalls();
  readonly #originals = new Map<EventId, V0Original>();
  /** The originals of responses, by the id of their first call's event. */
  readonly #responses = new Map<EventId, Json>();
  /** Results by the ids of the actions that they answer. */
  readonly #results = new Map<unknown, Json>();
  /** The last position of each action. */
  readonly #lastAt = new Map<string, number>();
  readonly elementOf = new Map<string, number>();
  #at = 0;
  #timestamp: string | undefined;
  #agentName: string | undefined;

  constructor(elements: readonly unknown[]) {
    for (const [i, element] of elements.entries()) {
      if (!isRecord(element)) continue;
      if ('observation' in element) this.#results.set(element['cause'], element);
      if (typeof element['action'] === 'string') this.#lastAt.set(signOf(element), i);
    }
  }

  /** Throws TrajectoryError. */
  read(element: unknown, index: number): void {
    if (!isRecord(element)) throw new TrajectoryError('expected an object');
    const { action, observation, timestamp } = element;
    this.#at = index;
    if (typeof timestamp === 'string') this.#timestamp = timestamp;
    if (typeof action === 'string') this.#action(action, element);
    else if (typeof observation === 'string') this.#observation(observation, element);
    else throw new TrajectoryError('it has neither "action" nor "observation"');
  }

  /** Throws TrajectoryError. */
  end(where: Imported['where']): {
    readonly events: Event[];
    readonly agentName: string | undefined;
    readonly model: string | undefined;
  } {
    for (const call of this.#calls.values()) if (!call.answered) this.#endRun(call.event);
    const stats = this.#accounts.stats();
    const { model } = this.#accounts;
    const accounts =
      stats === undefined ? [] : [stamped(stateUpdate(STATE_KEYS.stats, stats), this.#timestamp)];
    const told = historyOf(this.#events, where);
    for (const [id, response] of ownResponses([...told, ...accounts], this.#responses, model))
      this.#originals.set(id, { response });
    const history = told.flatMap((event) => {
      const original = this.#originals.get(event.id);
      return original === undefined
        ? [event]
        : [event, stamped(originalDraft(event.id, original), event.timestamp)];
    });
    const events = [...withEnding(history), ...accounts];
    return { events, agentName: this.#agentName, model };
  }

  #push(draft: Draft): Event {
    const event = stamped(draft, this.#timestamp);
    this.#events.push(event);
    this.elementOf.set(event.id, this.#at);
    return event;
  }

  #action(name: string, element: Json): void {
    const { args: given, id } = element;
    if (given !== undefined && given !== null && !isRecord(given))
      throw new TrajectoryError('"args" must be an object');
    const args = isRecord(given) ? given : {};
    switch (name) {
      case 'message': {
        const responseId = `v0-response-${words(id)}`;
        if (element['source'] === 'agent') this.#accounts.add(element, responseId);
        const event = this.#push(messageDraft(element, args, responseId));
        this.#eventOfId.set(id, event);
        this.#recalls.said(event.id);
        return;
      }
      case 'system': {
        if (typeof args['agent_class'] === 'string') this.#agentName = args['agent_class'];
        const event = this.#push(systemDraft(args));
        this.#eventOfId.set(id, event);
        const { content: _, ...system } = args;
        this.#originals.set(event.id, { system });
        return;
      }
      case 'condensation':
        this.#eventOfId.set(id, this.#push(condensationDraft(args, this.#eventOfId)));
        return;
      case 'condensation_request':
        // With the metadata of a call it is a tool call; without, the engine requested it.
        if (isRecord(element['tool_call_metadata'])) this.#call(name, element, args);
        else this.#eventOfId.set(id, this.#push({ source: 'agent', kind: 'CondensationRequest' }));
        return;
      case 'recall':
        this.#recalls.asked(id);
        return;
      case 'change_agent_state':
      case 'loop_recovery':
        return;
      default:
        this.#call(name, element, args);
    }
  }

  #call(name: string, element: Json, args: Json): void {
    const metadata = callMetadata(element);
    if (name === 'null' && metadata === undefined) return;
    const isAwaiting = args['confirmation_state'] === 'awaiting_confirmation';
    if (isAwaiting && this.#lastAt.get(signOf(element)) !== this.#at) return;
    const { id } = element;
    const written = metadata?.written ?? {};
    const ours = actionFromV0(name, { args, timeout: element['timeout'], written }, this.#results.get(id));
    if (ours === undefined && name !== 'null')
      throw new TrajectoryError(`${JSON.stringify(name)} is not an action of a V0 trajectory`);
    const toolName = metadata?.name ?? ours?.toolName ?? '';
    const callId = metadata?.id ?? `v0-${words(id)}`;
    const responseId = metadata?.responseId ?? `v0-response-${words(id)}`;
    const isFirst = metadata?.isFirst ?? !this.#seenResponses.has(responseId);
    this.#seenResponses.add(responseId);
    this.#accounts.add(element, responseId);
    const said = thoughtOf(name, args, isFirst, metadata);
    const { kind: _, ...fields } = ours?.action ?? { kind: '' };
    const event = this.#push({
      source: 'agent',
      thought: said === '' ? [] : [text(said)],
      ...(isFirst && metadata?.reasoning !== undefined ? { reasoning_content: metadata.reasoning } : {}),
      thinking_blocks: isFirst ? (metadata?.thinking ?? []) : [],
      ...(ours === undefined ? {} : { action: ours.action }),
      tool_name: toolName,
      tool_call_id: callId,
      tool_call: {
        id: callId,
        name: metadata?.name ?? toolName,
        arguments:
          metadata?.arguments === undefined
            ? pythonJson('data' in fields ? fields['data'] : fields)
            : storableArguments(metadata.name, metadata.arguments),
        origin: 'completion',
      },
      llm_response_id: responseId,
      security_risk: riskOf(args['security_risk']),
      ...(ours === undefined ? {} : { summary: summaryOf(toolName, written, fields) }),
      kind: 'ActionEvent',
    } as Draft) as ActionEvent;
    if (isFirst && metadata?.response !== undefined) this.#responses.set(event.id, metadata.response);
    this.#eventOfId.set(id, event);
    this.#calls.set(event.id, { event, answered: false });
  }

  #observation(name: string, element: Json): void {
    const extras = isRecord(element['extras']) ? element['extras'] : {};
    const content = words(element['content']);
    if (name === 'recall') {
      const found = this.#recalls.found(element['cause'], extras, this.#events);
      if (found !== undefined) this.#originals.set(found, { recall: { content, extras } });
      return;
    }
    if (name === 'null' || name === 'agent_state_changed' || name === 'condense' || name === 'loop_detection')
      return;
    const call = this.#callOf(element);
    if (call === undefined) {
      // An error of a response, or a command of another program: the model was sent it as a message.
      this.#push(wordsDraft('environment', [text(content)]));
      return;
    }
    call.answered = true;
    this.#eventOfId.set(element['id'], this.#push(resultDraft(name, content, extras, call.event)));
  }

  #callOf(element: Json): Call | undefined {
    const caused = this.#eventOfId.get(element['cause']);
    const call = caused === undefined ? undefined : this.#calls.get(caused.id);
    if (call !== undefined) return call.answered ? undefined : call;
    const id = callMetadata(element)?.id;
    return [...this.#calls.values()].findLast(
      (each) => !each.answered && id !== undefined && each.event.tool_call_id === id,
    );
  }

  /** Adds the result of `finish`, which V0 does not store; without it the call would stay open. */
  #endRun({ action, tool_name, tool_call_id, id, timestamp }: ActionEvent): void {
    if (action?.kind !== 'FinishAction') return;
    const observation = {
      content: [text(words(action['message']))],
      is_error: false,
      kind: 'FinishObservation',
    };
    const result = stamped(observationDraft({ tool_name, tool_call_id, id }, observation), timestamp);
    const at = this.#events.findIndex((event) => event.id === id);
    this.#events.splice(at + 1, 0, result);
  }
}

/** Identifies an action that occurs twice: by the id of its call, or else by its name and arguments. */
function signOf({ action, args, tool_call_metadata: metadata }: Json): string {
  if (isRecord(metadata) && typeof metadata['tool_call_id'] === 'string') return metadata['tool_call_id'];
  return JSON.stringify([action, args], (key, value: unknown) =>
    key === 'confirmation_state' ? undefined : value,
  );
}

/** The text before a call. The argument `thought` also contains the reasoning of the turn; for `think` it is the argument of the call. */
function thoughtOf(name: string, args: Json, isFirst: boolean, metadata: CallMetadata | undefined): string {
  if (THOUGHTLESS.has(name) || name === 'think') return isFirst ? (metadata?.said ?? '') : '';
  const thought = words(args['thought']);
  if (metadata === undefined || !isFirst) return thought;
  const { reasoning, thinking } = metadata;
  return withoutReasoning(
    thought,
    reasoningText({ reasoning_content: reasoning, thinking_blocks: thinking }),
  );
}

function riskOf(number: unknown): Risk {
  const names = Object.keys(RISKS) as Risk[];
  return names.find((name) => RISKS[name] === number) ?? 'UNKNOWN';
}

/** The summary of a call, as the engine makes it if the model wrote none. */
function summaryOf(name: string, written: Json, fields: Json): string {
  const { summary, security_risk: _, ...own } = written;
  if (typeof summary === 'string' && summary.trim() !== '') return summary;
  return `${name}: ${pythonJson(Object.keys(own).length === 0 ? fields : own)}`;
}

export const v0Importer: Importer = {
  about: 'a trajectory of OpenHands V0 (a list of actions and observations)',
  recognises: (_, json) => {
    const element: unknown = Array.isArray(json) ? json[0] : undefined;
    return isRecord(element) && ('action' in element || 'observation' in element);
  },
  text: fromV0,
};
