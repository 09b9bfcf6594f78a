import { accountsIn } from '../../conversation/state/accounts.ts';
import { textOf } from '../../event/content.ts';
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
import { actionToV0, observationToV0, type V0Action } from './action-out.ts';
import { RISKLESS, RISKS, type V0CallMetadata, type V0Event } from './format.ts';
import { responseOf } from './model-response.ts';

type V0Draft = Omit<V0Event, 'id' | 'cause'>;

export interface ToV0Options {
  /** Name of the model, where no account names it. */
  readonly model?: string;
  /** The accounts, if the events do not contain them. */
  readonly accounts?: readonly Stats[];
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
  /** V0's number of each of our events. */
  readonly #numbers = new Map<string, number>();
  readonly #calls = new Map<string, ModelCall>();
  readonly #options: ToV0Options;
  readonly #spent: { costUsd: number; tokens: { [name: string]: number } } = { costUsd: 0, tokens: {} };

  constructor(events: readonly Event[], options: ToV0Options) {
    this.#options = options;
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
        const { system_prompt, dynamic_context, tools } = event;
        const content = textOf(
          dynamic_context === undefined ? [system_prompt] : [system_prompt, dynamic_context],
        );
        const args = { content, tools, openhands_version: null, agent_class: 'CodeActAgent' };
        this.#keep(event, { timestamp, source: 'agent', message: content, action: 'system', args });
        break;
      }
      case 'MessageEvent':
        this.#message(event);
        break;
      case 'Condensation': {
        const forgotten = (event.forgotten_event_ids ?? [])
          .flatMap((id) => this.#numbers.get(id) ?? [])
          .sort((a, b) => a - b);
        const { summary, summary_offset: offset } = event;
        const args = {
          forgotten_event_ids: forgotten,
          forgotten_events_start_id: null,
          forgotten_events_end_id: null,
          summary: summary ?? null,
          summary_offset: summary === undefined ? null : (offset ?? 0),
        };
        const message = `Condensation of ${forgotten.length} events`;
        this.#keep(event, { timestamp, source: 'agent', message, action: 'condensation', args });
        break;
      }
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

  #keep(event: Event, draft: V0Draft): void {
    this.#numbers.set(event.id, this.#add(draft));
  }

  /** Knowledge that came with a message is what V0 recalls for it. */
  #message(event: MessageEvent): void {
    const { timestamp, source, llm_message: said, extended_content: extended = [] } = event;
    const content = textOf(said.content);
    const images = said.content.flatMap((block) => (block.type === 'image' ? [...block.image_urls] : []));
    if (source === 'agent') this.#spend(this.#calls.get(event.llm_response_id ?? ''));
    this.#keep(event, {
      timestamp,
      source: source === 'hook' ? 'environment' : source,
      message: content,
      action: 'message',
      ...(source === 'agent' ? this.#metrics() : {}),
      args: {
        content,
        file_urls: null,
        image_urls: images.length === 0 ? null : images,
        wait_for_response: source === 'agent',
        security_risk: -1,
      },
    });
    if (extended.length === 0) return;
    const names = event.activated_skills ?? [];
    const recall = { recall_type: 'knowledge', query: content };
    const cause = this.#add({
      timestamp,
      source: 'user',
      message: 'Retrieving knowledge',
      action: 'recall',
      args: { ...recall, thought: '' },
    });
    const length = Math.max(names.length, extended.length);
    this.#add(
      {
        timestamp,
        source: 'environment',
        message: 'Added knowledge',
        observation: 'recall',
        content: '',
        extras: {
          recall_type: 'knowledge',
          microagent_knowledge: Array.from({ length }, (_, i) => ({
            name: names[i] ?? '',
            trigger: '',
            content: extended[i]?.text ?? '',
          })),
        },
      },
      cause,
    );
  }

  #turn({ responseId, calls }: Turn): void {
    const call = this.#calls.get(responseId);
    this.#spend(call);
    const response = responseOf(
      responseId,
      calls.map(({ action }) => action),
      call,
      this.#options.model,
    );
    for (const { action, result } of calls) {
      const metadata: V0CallMetadata = {
        function_name: action.tool_name,
        tool_call_id: action.tool_call_id,
        model_response: response,
        total_calls_in_response: calls.length,
      };
      const written = actionToV0(action.tool_name, action.action);
      const id = this.#add(this.#actionDraft(action, written, metadata));
      this.#numbers.set(action.id, id);
      if (result !== undefined) this.#result(result, action, written, metadata, id);
    }
  }

  #spend(call: ModelCall | undefined): void {
    const { tokens } = this.#spent;
    this.#spent.costUsd = rounded(this.#spent.costUsd + (call?.costUsd ?? 0));
    for (const name of COUNTS) tokens[name] = (tokens[name] ?? 0) + (call?.usage?.[name] ?? 0);
  }

  /** The sums as they stand, if any call was counted; V0 keeps no single calls with an action. */
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
    { action, args, timeout, message }: V0Action,
    metadata: V0CallMetadata,
  ): V0Draft {
    const thought = textOf(event.thought);
    const own = typeof args['thought'] === 'string' ? args['thought'] : undefined;
    const thoughts = own === undefined ? thought : [thought, own].filter((each) => each !== '').join('\n');
    const isCall = action !== 'null';
    return {
      timestamp: event.timestamp,
      source: 'agent',
      message,
      action,
      tool_call_metadata: metadata,
      ...this.#metrics(),
      args: {
        ...args,
        ...(isCall ? { thought: thoughts } : {}),
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
      this.#number(
        result,
        { ...head, message: error, observation: 'error', content: error, extras: { error_id: '' } },
        cause,
      );
    } else if (result.kind === 'UserRejectObservation') {
      const reason = result.rejection_reason ?? '';
      this.#number(
        result,
        { ...head, message: reason, observation: 'user_rejected', content: reason, extras: {} },
        cause,
      );
    } else if (!isPlainFinish(call, result)) {
      const written = observationToV0(action, call.tool_name, withKnowledge(result));
      const { message, ...own } = this.#options.screenshots === false ? withoutPictures(written) : written;
      this.#number(result, { ...head, message, ...own }, cause);
    }
  }

  #number(event: Event, draft: V0Draft, cause: number): void {
    this.#numbers.set(event.id, this.#add(draft, cause));
  }
}

/** Knowledge added to a result becomes part of its text: V0 recalls nothing for a result. */
function withKnowledge({ observation, extended_content: extended = [] }: ObservationEvent): Observation {
  return extended.length === 0
    ? observation
    : { ...observation, content: [...observation.content, ...extended] };
}

/** V0 gives no result of `finish`: it would only say the message again. */
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

/** Sums of cents that can be taken apart again. */
function rounded(usd: number): number {
  return Number(usd.toFixed(10));
}

export const v0Exporter: Exporter = {
  about: 'a trajectory of OpenHands V0',
  text: (material) => v0Text(material),
};

/** A trajectory as V0 writes its files: indented by four. */
export function v0Text(
  { branch, accounts, model }: Pick<ExportMaterial, 'branch' | 'accounts' | 'model'>,
  options: Pick<ToV0Options, 'screenshots'> = {},
): string {
  return `${JSON.stringify(toV0(branch, { ...options, accounts, ...defined({ model }) }), null, 4)}\n`;
}
