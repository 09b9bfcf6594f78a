import { accountsIn } from '../../conversation/state/accounts.ts';
import type { FindResponse } from '../../conversation/store/responses.ts';
import { textOf } from '../../event/content.ts';
import type { EventId } from '../../event/identity.ts';
import type {
  ActionEvent,
  Event,
  MessageEvent,
  Observation,
  ObservationEvent,
  ResultEvent,
} from '../../event/kinds.ts';
import type { Stats } from '../../llm/accounts/metrics.ts';
import { defined } from '../../value/defined.ts';
import type { Exporter, ExportMaterial } from '../exporter.ts';
import type { Json } from '../json-text.ts';
import { type ModelCall, modelCalls } from '../model-calls.ts';
import { passagesOf, type Turn } from '../passages.ts';
import { COUNTS } from './accounts.ts';
import { actionToV0, type V0Action } from './action-out.ts';
import { classOf } from './agent-class.ts';
import { RISKLESS, RISKS, THOUGHTLESS, type V0CallMetadata, type V0Draft, type V0Event } from './format.ts';
import { condensationOut, messageOut, type Opening, openingOf, recallOut, systemOut } from './message-out.ts';
import { responseOf, withKept } from './model-response.ts';
import { observationToV0 } from './observation-out.ts';
import { originalsIn, type V0Original } from './original.ts';
import { joined, reasoningText } from './reasoning.ts';

export interface ToV0Options {
  /** The name of the model if no account has it. */
  readonly model?: string;
  /** Name of the agent. Default: `DEFAULT_AGENT_NAME`. */
  readonly agent?: string;
  /** The accounts, if the events do not contain them. */
  readonly accounts?: readonly Stats[];
  /** What wrote the conversation, for `openhands_version`; default null. */
  readonly version?: string | undefined;
  /** The whole log, if the events are only one branch of it. */
  readonly log?: readonly Event[];
  /** The whole responses of the model's provider. */
  readonly responses?: FindResponse | undefined;
  /** Whether to include screenshots of the browser; default true. */
  readonly screenshots?: boolean;
}

/**
 * A branch as V0 writes it. What V0 cannot express is omitted: pauses, hooks, errors of the conversation, states. A call
 * is followed by its result; `finish` has none, as in V0.
 */
export function toV0(events: readonly Event[], options: ToV0Options = {}): V0Event[] {
  return new Writer(events, options).write(events);
}

class Writer {
  readonly #written: V0Event[] = [];
  /** The ids of the elements in V0, by the ids of our events; a message has up to three. */
  readonly #numbers = new Map<EventId, readonly number[]>();
  readonly #calls = new Map<string, ModelCall>();
  readonly #options: ToV0Options;
  readonly #opening: Opening;
  readonly #originals: ReadonlyMap<EventId, V0Original>;
  readonly #spent: { costUsd: number; tokens: { [name: string]: number } } = { costUsd: 0, tokens: {} };

  constructor(events: readonly Event[], options: ToV0Options) {
    this.#options = options;
    this.#opening = openingOf(events);
    this.#originals = originalsIn(options.log ?? events);
    for (const call of modelCalls(options.accounts ?? accountsIn(events)))
      this.#calls.set(call.responseId, call);
  }

  write(events: readonly Event[]): V0Event[] {
    for (const passage of passagesOf(events)) {
      if (passage.kind === 'turn') this.#turn(passage);
      else this.#event(passage.event);
    }
    return this.#written;
  }

  /** Keys in V0's order. */
  #add({ timestamp, source, message, ...own }: V0Draft, cause?: number): number {
    const id = this.#written.length;
    const head = { id, timestamp, source, ...defined({ message }) };
    this.#written.push({ ...head, ...defined({ cause }), ...own });
    return id;
  }

  #event(event: Event): void {
    const { timestamp } = event;
    switch (event.kind) {
      case 'SystemPromptEvent': {
        const original = this.#originals.get(event.id);
        this.#keep(
          event,
          systemOut(event, this.#opening, {
            version: this.#options.version ?? null,
            agentClass: classOf(this.#options.agent),
            original,
          }),
        );
        break;
      }
      case 'MessageEvent':
        this.#message(event);
        break;
      case 'Condensation':
        this.#keep(event, condensationOut(event, this.#numbers));
        break;
      case 'CondensationRequest':
        this.#keep(event, {
          timestamp,
          source: 'agent',
          message: 'Condensation requested',
          action: 'condensation_request',
          args: {},
        });
    }
  }

  #keep(event: Event, draft: V0Draft, cause?: number): number {
    const number = this.#add(draft, cause);
    this.#numbers.set(event.id, [...(this.#numbers.get(event.id) ?? []), number]);
    return number;
  }

  #message(event: MessageEvent): void {
    if (event.source === 'agent') this.#spend(this.#calls.get(event.llm_response_id ?? ''));
    const { args = {}, ...head } = messageOut(event);
    this.#keep(event, { ...head, ...(event.source === 'agent' ? this.#metrics() : {}), args });
    const recall = recallOut(event, this.#opening, this.#originals.get(event.id)?.recall);
    if (recall === undefined) return;
    const [asked, found] = recall;
    this.#keep(event, found, this.#keep(event, asked));
  }

  #turn({ responseId, calls }: Turn): void {
    const call = this.#calls.get(responseId);
    this.#spend(call);
    const actions = calls.map(({ action }) => action);
    const made = responseOf(responseId, actions, call, this.#options.model);
    const original = this.#originals.get(actions[0]?.id ?? '')?.response;
    const response = original ?? withKept(made, actions, this.#options.responses?.(responseId));
    for (const [i, { action, result }] of calls.entries()) {
      const metadata: V0CallMetadata = {
        function_name: action.tool_name,
        tool_call_id: action.tool_call_id,
        model_response: response,
        total_calls_in_response: calls.length,
      };
      const written = actionToV0(action.tool_name, action.action);
      const id = this.#keep(action, this.#actionDraft(action, i === 0, written, metadata));
      if (result !== undefined) this.#result(result, action, written, metadata, id);
    }
  }

  #spend(call: ModelCall | undefined): void {
    const { tokens } = this.#spent;
    this.#spent.costUsd = rounded(this.#spent.costUsd + (call?.costUsd ?? 0));
    for (const name of COUNTS) tokens[name] = (tokens[name] ?? 0) + (call?.usage?.[name] ?? 0);
  }

  /** The totals so far, if any call was counted; V0 stores no single calls with an action. */
  #metrics(): { readonly llm_metrics?: Json } {
    if (this.#calls.size === 0) return {};
    const metrics = {
      accumulated_cost: this.#spent.costUsd,
      max_budget_per_task: null,
      accumulated_token_usage: { model: '', ...this.#spent.tokens, response_id: '' },
      costs: [],
      response_latencies: [],
      token_usages: [],
    };
    return { llm_metrics: metrics };
  }

  #actionDraft(
    event: ActionEvent,
    isFirst: boolean,
    { action, args, timeout, message }: V0Action,
    metadata: V0CallMetadata,
  ): V0Draft {
    const own = typeof args['thought'] === 'string' ? args['thought'] : '';
    const thought = joined([isFirst ? reasoningText(event) : '', textOf(event.thought), own]);
    return {
      timestamp: event.timestamp,
      source: 'agent',
      message,
      action,
      tool_call_metadata: metadata,
      ...this.#metrics(),
      args: {
        ...args,
        ...(THOUGHTLESS.has(action) ? {} : { thought }),
        ...(RISKLESS.has(action) ? {} : { security_risk: RISKS[event.security_risk ?? 'UNKNOWN'] }),
      },
      ...defined({ timeout }),
    };
  }

  #result(
    result: ResultEvent,
    call: ActionEvent,
    action: V0Action,
    metadata: V0CallMetadata,
    cause: number,
  ): void {
    const { timestamp } = result;
    const head = { timestamp, source: 'agent' as const, tool_call_metadata: metadata };
    if (result.kind === 'AgentErrorEvent') {
      const { error } = result;
      this.#keep(
        result,
        { ...head, message: error, observation: 'error', content: error, extras: { error_id: '' } },
        cause,
      );
    } else if (result.kind === 'UserRejectObservation') {
      const reason = result.rejection_reason ?? '';
      this.#keep(
        result,
        { ...head, message: reason, observation: 'user_rejected', content: reason, extras: {} },
        cause,
      );
    } else if (!isPlainFinish(call, result)) {
      const written = observationToV0(action, call.tool_name, withKnowledge(result));
      const { message, ...own } = this.#options.screenshots === false ? withoutPictures(written) : written;
      this.#keep(result, { ...head, message, ...own }, cause);
    }
  }
}

/** Knowledge added to a result becomes part of its text: V0 recalls nothing for a result. */
function withKnowledge({ observation, extended_content: extended = [] }: ObservationEvent): Observation {
  return extended.length === 0
    ? observation
    : { ...observation, content: [...observation.content, ...extended] };
}

/** V0 stores no result for `finish`: it would only repeat the message. */
function isPlainFinish({ action }: ActionEvent, result: ResultEvent): boolean {
  return (
    action?.kind === 'FinishAction' &&
    result.kind === 'ObservationEvent' &&
    result.observation.kind === 'FinishObservation' &&
    result.observation.is_error !== true &&
    textOf(result.observation.content as never) === action['message']
  );
}

const PICTURES = new Set(['screenshot', 'set_of_marks']);

function withoutPictures<T extends { readonly extras: Json }>(observation: T): T {
  const kept = Object.entries(observation.extras).filter(([name]) => !PICTURES.has(name));
  return { ...observation, extras: Object.fromEntries(kept) };
}

/** Rounded, so that differences of totals give the costs of the calls. */
function rounded(usd: number): number {
  return Number(usd.toFixed(10));
}

export const v0Exporter: Exporter = {
  about: 'a trajectory of OpenHands V0',
  text: (material) => v0Text(material),
};

/** A trajectory as V0 writes its files: indented by four. */
export function v0Text(
  {
    branch,
    events,
    accounts,
    agent,
    model,
    version,
    responses,
  }: Omit<ExportMaterial, 'id' | 'baseState' | 'render'>,
  options: Pick<ToV0Options, 'screenshots'> = {},
): string {
  const material = { log: events, accounts, ...defined({ agent, model, version, responses }) };
  return `${JSON.stringify(toV0(branch, { ...options, ...material }), null, 4)}\n`;
}
