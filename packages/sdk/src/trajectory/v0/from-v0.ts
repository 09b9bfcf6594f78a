import { STATE_KEYS, stateUpdate } from '../../conversation/state/state.ts';
import { AGENT_ACTION } from '../../event/classification.ts';
import { text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import type { ActionEvent, Event, MessageEvent, Risk } from '../../event/kinds.ts';
import { pythonJson } from '../../tool/python-json.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';
import { type Imported, withEnding } from '../imported.ts';
import { type Json, lineOfValue, parseJson } from '../json-text.ts';
import { historyOf, stamped } from '../make-events.ts';
import { TrajectoryError } from '../trajectory-error.ts';
import { V0Accounts } from './accounts.ts';
import { actionFromV0 } from './action-in.ts';
import { type CallMetadata, callMetadata } from './call-metadata.ts';
import { RISKS } from './format.ts';
import { messageDraft, systemDraft, wordsDraft } from './message-drafts.ts';
import { observationFromV0 } from './observation-in.ts';

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
  const { events, model } = reader.end(where);
  return { events, ...defined({ model }), where };
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
  /** Results by the ids of the actions that they answer. */
  readonly #results = new Map<unknown, Json>();
  /** The last position of each action. */
  readonly #lastAt = new Map<string, number>();
  readonly elementOf = new Map<string, number>();
  #at = 0;
  #timestamp: string | undefined;

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
  end(where: Imported['where']): { readonly events: Event[]; readonly model: string | undefined } {
    for (const call of this.#calls.values()) if (!call.answered) this.#endRun(call.event);
    const events = withEnding(historyOf(this.#events, where));
    const stats = this.#accounts.stats();
    const { model } = this.#accounts;
    if (stats !== undefined) events.push(stamped(stateUpdate(STATE_KEYS.stats, stats), this.#timestamp));
    return { events, model };
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
        this.#eventOfId.set(id, this.#push(messageDraft(element, args, responseId)));
        return;
      }
      case 'system':
        this.#eventOfId.set(id, this.#push(systemDraft(args)));
        return;
      case 'condensation':
        this.#eventOfId.set(id, this.#push(this.#condensation(args)));
        return;
      case 'condensation_request':
        this.#eventOfId.set(id, this.#push({ source: 'agent', kind: 'CondensationRequest' }));
        return;
      case 'recall':
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
    const said = isFirst || name !== 'think' ? thoughtOf(name, args, metadata) : '';
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
        arguments: metadata?.arguments ?? pythonJson('data' in fields ? fields['data'] : fields),
        origin: 'completion',
      },
      llm_response_id: responseId,
      security_risk: riskOf(args['security_risk']),
      ...(ours === undefined ? {} : { summary: summaryOf(toolName, written, fields) }),
      kind: 'ActionEvent',
    } as Draft) as ActionEvent;
    this.#eventOfId.set(id, event);
    this.#calls.set(event.id, { event, answered: false });
  }

  #observation(name: string, element: Json): void {
    const extras = isRecord(element['extras']) ? element['extras'] : {};
    const content = words(element['content']);
    if (name === 'recall') {
      this.#recall(extras);
      return;
    }
    if (name === 'null' || name === 'agent_state_changed' || name === 'condense' || name === 'loop_detection')
      return;
    const call = this.#callOf(element);
    if (call === undefined) {
      // A complaint about an answer of the model, or a command of somebody else's: the model was told of it.
      this.#push(wordsDraft('environment', [text(content)]));
      return;
    }
    call.answered = true;
    const { event } = call;
    const head = { tool_name: event.tool_name, tool_call_id: event.tool_call_id };
    const result = ((): Draft => {
      if (name === 'error')
        return {
          source: 'agent',
          ...head,
          error: content,
          classification: AGENT_ACTION,
          kind: 'AgentErrorEvent',
        };
      if (name === 'user_rejected')
        return {
          source: 'environment',
          ...head,
          rejection_reason: content,
          rejection_source: 'user',
          action_id: event.id,
          kind: 'UserRejectObservation',
        };
      return {
        source: 'environment',
        ...head,
        observation: observationFromV0(name, content, extras, {
          toolName: event.tool_name,
          action: event.action,
        }),
        action_id: event.id,
        extended_content: [],
        kind: 'ObservationEvent',
      } as Draft;
    })();
    this.#eventOfId.set(element['id'], this.#push(result));
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

  /** V0 stores no result for `finish`; without one the call would stay open. */
  #endRun({ action, tool_name, tool_call_id, id, timestamp }: ActionEvent): void {
    if (action?.kind !== 'FinishAction') return;
    const result = stamped(
      {
        source: 'environment',
        tool_name,
        tool_call_id,
        observation: {
          content: [text(words(action['message']))],
          is_error: false,
          kind: 'FinishObservation',
        },
        action_id: id,
        extended_content: [],
        kind: 'ObservationEvent',
      },
      timestamp,
    );
    const at = this.#events.findIndex((event) => event.id === id);
    this.#events.splice(at + 1, 0, result);
  }

  /** Recalled knowledge is added to its message. */
  #recall(extras: Json): void {
    const at = this.#events.findLastIndex(
      (event) => event.kind === 'MessageEvent' && event.source !== 'agent',
    );
    const message = this.#events[at] as MessageEvent | undefined;
    if (message === undefined) return;
    const { microagent_knowledge: knowledge } = extras;
    const entries = Array.isArray(knowledge) ? knowledge.filter(isRecord) : [];
    const names = entries.map(({ name }) => words(name)).filter((name) => name !== '');
    const surroundings = [
      extras['repo_instructions'],
      extras['additional_agent_instructions'],
      extras['conversation_instructions'],
    ];
    const blocks = [...surroundings, ...entries.map(({ content }) => content)]
      .map(words)
      .filter((each) => each !== '');
    this.#events[at] = {
      ...message,
      activated_skills: [...(message.activated_skills ?? []), ...names],
      extended_content: [...(message.extended_content ?? []), ...blocks.map(text)],
    };
  }

  #condensation(args: Json): Draft {
    const { forgotten_event_ids: ids, forgotten_events_start_id: from, forgotten_events_end_id: to } = args;
    const { summary, summary_offset: offset } = args;
    const wanted = new Set<unknown>(Array.isArray(ids) ? ids : []);
    const inRange = (id: unknown) =>
      typeof from === 'number' && typeof to === 'number' && typeof id === 'number' && id >= from && id <= to;
    const forgotten = [...this.#eventOfId].filter(([id]) =>
      Array.isArray(ids) ? wanted.has(id) : inRange(id),
    );
    return {
      source: 'environment',
      forgotten_event_ids: forgotten.map(([, event]) => event.id),
      ...(typeof summary === 'string' ? { summary } : {}),
      ...(typeof offset === 'number' ? { summary_offset: offset } : {}),
      llm_response_id: 'v0-condensation',
      kind: 'Condensation',
    };
  }
}

/** By what an action is known when it stands there a second time: its call, or else all that it does. */
function signOf({ action, args, tool_call_metadata: metadata }: Json): string {
  if (isRecord(metadata) && typeof metadata['tool_call_id'] === 'string') return metadata['tool_call_id'];
  return JSON.stringify([action, args], (key, value: unknown) =>
    key === 'confirmation_state' ? undefined : value,
  );
}

/** Of `think` the argument is the thought itself. */
function thoughtOf(name: string, args: Json, metadata: CallMetadata | undefined): string {
  if (name === 'null' || name === 'think') return metadata?.said ?? '';
  return words(args['thought']);
}

function riskOf(number: unknown): Risk {
  const names = Object.keys(RISKS) as Risk[];
  return names.find((name) => RISKS[name] === number) ?? 'UNKNOWN';
}

/** As it is made for a call whose model wrote none. */
function summaryOf(name: string, written: Json, fields: Json): string {
  const { summary, security_risk: _, ...own } = written;
  if (typeof summary === 'string' && summary.trim() !== '') return summary;
  return `${name}: ${pythonJson(Object.keys(own).length === 0 ? fields : own)}`;
}
