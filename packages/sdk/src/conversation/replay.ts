/**
 * Drives a conversation again from what is on record of it: the model's answers and the tools' results come from the log,
 * as do the user's words, ids and times. Neither network nor workspace is touched. What the engine makes of them must be
 * the same events again.
 */
import type { Agent } from '../agent/agent.ts';
import { REPHRASE } from '../agent/step.ts';
import type { Knowledge } from '../context/knowledge.ts';
import { serializeEvent } from '../event/codec.ts';
import { textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { type Clock, millisecondsOf } from '../event/identity.ts';
import {
  type ActionEvent,
  type Event,
  isResult,
  type MessageEvent,
  type ToolDescription,
} from '../event/kinds.ts';
import type { Message } from '../event/message.ts';
import { type RecordedExchange, ReplayMismatch, replaying } from '../llm/cassette.ts';
import { LLMError, type LLMErrorCode } from '../llm/errors.ts';
import type { Completion, LLM } from '../llm/llm.ts';
import { modelInfoOf } from '../llm/model-info.ts';
import { UNREADABLE_CALL } from '../llm/prompted/unreadable.ts';
import { type Difference, firstDifference } from '../text/difference.ts';
import type { ToolFactory } from '../tool/tool.ts';
import { type Condenser, KEEP } from '../view/condensers/condenser.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Conversation } from './conversation.ts';
import type { Onlookers } from './hooks/hooks.ts';

export interface ReplaySource {
  readonly id: string;
  /** The active branch, from its root. */
  readonly events: readonly Event[];
  readonly agent: Agent;
  readonly workingDir: string;
  readonly maxIterations?: number;
  /** Of a cassette: the requests are compared as well. */
  readonly exchanges?: readonly RecordedExchange[];
}

export interface ReplayOptions {
  readonly tools: readonly ToolFactory[];
  /** Byte for byte; otherwise ids, times and the system prompt may be others. */
  readonly strict: boolean;
}

export interface ReplayReport {
  /** Events that came out as recorded. */
  readonly reproduced: number;
  readonly recorded: number;
  readonly difference?: Difference & { readonly event: number };
}

export async function replay(source: ReplaySource, options: ReplayOptions): Promise<ReplayReport> {
  const script = new Script(source, options.strict);
  const conversation = await Conversation.open({
    agent: source.agent,
    id: source.id,
    llm: script.llm,
    tools: options.tools.map((factory) => withoutEffects(factory, describedTools(source.events))),
    workspace: untouchable(source),
    clock: script.clock,
    execute: (action) => script.resultOf(action),
    condenser: script.condenser,
    knowledge: script.knowledge,
    onlookers: script.onlookers,
    stuckDetection: true,
    ...(source.maxIterations === undefined ? {} : { maxIterations: source.maxIterations }),
  });
  try {
    await script.drive(conversation);
  } finally {
    await conversation.close();
  }
  return script.report();
}

/** Messages that the engine itself sends in the user's name. */
const OWN_WORDS: ReadonlySet<string> = new Set([REPHRASE, UNREADABLE_CALL]);

/** The recorded events, as the parts that the engine asks for one after another. */
class Script {
  readonly #events: readonly Event[];
  readonly #strict: boolean;
  /** Events that came out, and events that were given their id. */
  #done = 0;
  #stamped = 0;
  #difference: ReplayReport['difference'] | undefined;
  #interrupt: () => void = () => undefined;
  #failure: unknown;
  /** What the user says in between. */
  #said: Promise<void> = Promise.resolve();
  #sayWhileThinking: (() => Promise<void>) | undefined;
  readonly llm: LLM;

  constructor({ events, agent, exchanges }: ReplaySource, strict: boolean) {
    this.#events = events;
    this.#strict = strict;
    const model = modelInfoOf(agent.llm);
    const usageId = agent.llm.usageId ?? 'agent';
    const recorded = exchanges === undefined ? undefined : replaying(exchanges, { model, usageId });
    this.llm = {
      model,
      usageId,
      complete: async (prompt, options) => {
        const say = this.#sayWhileThinking;
        this.#sayWhileThinking = undefined;
        await say?.();
        return await (recorded?.complete(prompt, options) ?? this.#answer(options.signal));
      },
    };
  }

  readonly clock: Clock = {
    now: (draft) => millisecondsOf(this.#stampOf(draft)?.timestamp) ?? Date.now(),
    newId: (draft) => {
      const recorded = this.#stampOf(draft);
      if (draft !== undefined && draft.kind !== BOOKKEEPING) this.#stamped += 1;
      return recorded?.id ?? crypto.randomUUID();
    },
  };

  #stampOf(draft: Draft | undefined): Event | undefined {
    return draft?.kind === BOOKKEEPING ? undefined : this.#events[this.#stamped];
  }

  async drive(conversation: Conversation): Promise<void> {
    this.#interrupt = () => conversation.interrupt();
    conversation.subscribe({
      onEvent: (event) => {
        if (event.kind === BOOKKEEPING || this.#difference !== undefined) return;
        this.#compare(event);
        this.#done += 1;
        if (this.#difference === undefined) this.#prompt(conversation, event);
        else conversation.interrupt();
      },
    });
    const first = this.#events.find(isOfUser);
    if (first !== undefined && !isRequestOfUser(this.#events[0]))
      await conversation.send(first.llm_message.content);
    while (this.#done < this.#events.length && this.#difference === undefined) {
      const before = this.#done;
      if (isRequestOfUser(this.#events[before])) await conversation.condense();
      else await this.#run(conversation);
      await this.#said;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#done === before) return;
    }
  }

  async #run(conversation: Conversation): Promise<void> {
    const outcome = await conversation.run();
    if (outcome.kind === 'error' && outcome.cause instanceof ReplayMismatch) throw outcome.cause;
  }

  report(): ReplayReport {
    const recorded = this.#events.length;
    if (this.#difference !== undefined)
      return { reproduced: this.#difference.event, recorded, difference: this.#difference };
    const missing = this.#events[this.#done];
    if (missing === undefined) return { reproduced: this.#done, recorded };
    const difference = { event: this.#done, path: '', recorded: missing, made: undefined };
    return { reproduced: this.#done, recorded, difference };
  }

  /** What comes next and is not the engine's to do: the user speaks, pauses or interrupts. */
  #prompt(conversation: Conversation, event: Event): void {
    const next = this.#events[this.#done];
    if (next === undefined) return;
    const at = comesWithMessage(event) ? undefined : this.#nextWords();
    if (at !== undefined) {
      const { llm_message: words } = this.#events[at] as MessageEvent;
      const say = () =>
        conversation.send(words.content).catch((error: unknown) => {
          this.#failure = error;
        });
      if (this.#cameWhileThinking(at)) this.#sayWhileThinking = say;
      else this.#said = Promise.resolve().then(say); // when all that was stored with the event is folded
    }
    if (next.kind === 'PauseEvent') conversation.pause();
    else if (next.kind === 'InterruptEvent') conversation.interrupt();
  }

  /** Where the user's are, if nothing stands before them but what is stored with them. */
  #nextWords(): number | undefined {
    let next = this.#done;
    while (comesWithMessage(this.#events[next])) next += 1;
    return isOfUser(this.#events[next]) ? next : undefined;
  }

  /** The answer behind the message did not end the run: the model was asked once more. It may not have heard it then. */
  #cameWhileThinking(message: number): boolean {
    const answer = this.#events[message + 1];
    if (!isOfAgent(answer)) return false;
    const after = this.#events
      .slice(message + 2)
      .find(
        (event) =>
          !isResult(event) &&
          event.kind !== 'HookExecutionEvent' &&
          !(event.kind === 'ActionEvent' && event.llm_response_id === answer.llm_response_id),
      );
    return isOfAgent(after);
  }

  #compare(made: Event): void {
    const recorded = this.#events[this.#done];
    if (this.#strict && recorded !== undefined && serializeEvent(recorded) === serializeEvent(made)) return;
    const difference = firstDifference(this.#comparable(recorded), this.#comparable(made));
    if (difference !== null) this.#difference = { event: this.#done, ...difference };
  }

  #comparable(event: Event | undefined): unknown {
    if (event === undefined) return undefined;
    const value = JSON.parse(serializeEvent(event)) as { [key: string]: unknown };
    if (this.#strict) return value;
    if (event.kind === 'SystemPromptEvent') return { kind: event.kind };
    const { id: _, timestamp: __, parent_id: ___, action_id: ____, ...rest } = value;
    return rest;
  }

  /** What hooks said, where they said it. */
  readonly onlookers: Onlookers = {
    on: async (event, occasion) => {
      const events: Draft[] = [];
      for (let i = this.#done; ; i += 1) {
        const next = this.#events[i];
        if (next?.kind !== 'HookExecutionEvent' || next.hook_event_type !== event) break;
        if (occasion.actionId !== undefined && next.action_id !== occasion.actionId) break;
        const { id: _, timestamp: __, parent_id: ___, ...draft } = next;
        events.push(draft as Draft);
        if (next.blocked === true)
          return { events, additionalContext: contextsOf(events), refusal: next.reason ?? '' };
      }
      // What was added to a message stands in the message.
      return { events, additionalContext: event === 'UserPromptSubmit' ? [] : contextsOf(events) };
    },
    close: async () => undefined,
  };

  /** What was told, when it was told; of files it stands with the results. */
  readonly knowledge: Knowledge = {
    staticPrompt: async () => {
      const prompt = this.#events[this.#stamped];
      const said = prompt?.kind === 'SystemPromptEvent' ? prompt.system_prompt.text : '';
      return [{ section: 'all', text: said, source: 'the log' }];
    },
    dynamicContext: async () => {
      const prompt = this.#events[this.#stamped];
      const told = prompt?.kind === 'SystemPromptEvent' ? (prompt.dynamic_context?.text ?? '') : '';
      return [{ section: 'all', text: told, source: 'the log' }];
    },
    forMessage: async (words) => {
      const said = this.#events
        .slice(this.#done)
        .find((event) => isOfUser(event) && textOf(event.llm_message.content) === words);
      if (said?.kind !== 'MessageEvent') return { names: [], content: [] };
      return { names: said.activated_skills ?? [], content: said.extended_content ?? [] };
    },
    offered: async () => [],
    forPath: async () => ({ names: [], content: [] }),
  };

  /** Condenses where it was condensed. */
  readonly condenser: Condenser = {
    handlesRequests: true,
    condense: async () => {
      const next = this.#events[this.#done];
      if (next?.kind !== 'Condensation') return KEEP;
      const { forgotten_event_ids, summary, summary_offset, llm_response_id } = next;
      return {
        kind: 'condensation',
        condensation: {
          ...(forgotten_event_ids === undefined ? {} : { forgotten_event_ids }),
          ...(summary === undefined ? {} : { summary }),
          ...(summary_offset === undefined ? {} : { summary_offset }),
          llm_response_id,
        },
      };
    },
  };

  /** The next turn of the model, put together from the events that came of it. */
  async #answer(signal: AbortSignal): Promise<Completion> {
    const next = this.#events[this.#done];
    switch (next?.kind) {
      case 'ActionEvent':
        return completionOf(next.llm_response_id, messageOfCalls(this.#siblings(next)));
      case 'MessageEvent':
        if (next.source === 'agent') return this.#spoken(next);
        if (textIn(next) === REPHRASE) throw new LLMError('LLMContentPolicyViolationError', 'refused');
        break;
      case 'CondensationRequest':
        throw new LLMError('LLMContextWindowExceedError', 'too long');
      case 'ConversationErrorEvent':
        throw new LLMError(next.code as LLMErrorCode, next.detail);
      case 'InterruptEvent':
        this.#interrupt();
        signal.throwIfAborted();
        break;
      default:
        break;
    }
    throw new ReplayMismatch(
      `the model is asked where event ${this.#done} was recorded: ${next?.kind ?? 'nothing more'}`,
    );
  }

  #siblings({ llm_response_id: id }: ActionEvent): readonly ActionEvent[] {
    return this.#events
      .slice(this.#done)
      .filter((event) => event.kind === 'ActionEvent')
      .filter((event) => event.llm_response_id === id);
  }

  #spoken(event: MessageEvent): Completion {
    const answer = completionOf(event.llm_response_id ?? '', event.llm_message);
    const reply = this.#events[this.#done + 1];
    const isComplaint = reply?.kind === 'MessageEvent' && textIn(reply) === UNREADABLE_CALL;
    return isComplaint ? { ...answer, complaint: UNREADABLE_CALL } : answer;
  }

  /** In place of carrying an action out. */
  async resultOf(action: ActionEvent): Promise<Draft> {
    const recorded = this.#events
      .slice(this.#done)
      .find((event) => isResult(event) && event.tool_call_id === action.tool_call_id);
    if (recorded === undefined)
      throw new ReplayMismatch(`no result of ${action.tool_name} (${action.tool_call_id}) was recorded`);
    const { id: _, timestamp: __, parent_id: ___, ...draft } = recorded;
    return draft as Draft;
  }
}

function contextsOf(events: readonly Draft[]): string[] {
  return events.flatMap((event) =>
    event.kind === 'HookExecutionEvent' && event.additional_context !== undefined
      ? [event.additional_context]
      : [],
  );
}

const BOOKKEEPING = 'ConversationStateUpdateEvent';

function isOfUser(event: Event | undefined): event is MessageEvent {
  return event?.kind === 'MessageEvent' && event.source === 'user' && !OWN_WORDS.has(textIn(event));
}

function isOfAgent(event: Event | undefined): event is ActionEvent | MessageEvent {
  return event?.kind === 'ActionEvent' || (event?.kind === 'MessageEvent' && event.source === 'agent');
}

function comesWithMessage(event: Event | undefined): boolean {
  if (event?.kind === 'HookExecutionEvent') return event.hook_event_type === 'UserPromptSubmit';
  return event?.kind === 'SystemPromptEvent';
}

/** Nobody but the user asks for it between two runs. */
function isRequestOfUser(event: Event | undefined): boolean {
  return event?.kind === 'CondensationRequest' && event.source === 'user';
}

function textIn({ llm_message: { content } }: MessageEvent): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

function messageOfCalls(calls: readonly ActionEvent[]): Message {
  const [first] = calls;
  return {
    role: 'assistant',
    content: [...(first?.thought ?? [])],
    tool_calls: calls.map((call) => call.tool_call),
    ...(first?.reasoning_content === undefined ? {} : { reasoning_content: first.reasoning_content }),
    thinking_blocks: first?.thinking_blocks ?? [],
    ...(first?.responses_reasoning_item === undefined
      ? {}
      : { responses_reasoning_item: first.responses_reasoning_item }),
  };
}

function completionOf(id: string, message: Message): Completion {
  const usage = {
    promptTokens: 0,
    completionTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  return { id, message, finish: { reason: 'other' }, usage, costUsd: null, latencyMs: 0 };
}

/** The tools are there to be described and to check their arguments; nothing of them is run. */
function withoutEffects(factory: ToolFactory, described: readonly ToolDescription[]): ToolFactory {
  return {
    name: factory.name,
    create: async (environment, params) =>
      (await factory.create({ ...environment, inert: true, described }, params)).map((tool) => {
        const { prepare: _, ...rest } = tool;
        return { ...rest, run: () => Promise.reject(new ReplayMismatch(`${tool.name} was about to run`)) };
      }),
  };
}

/** What the system prompt of a conversation says of its tools. */
export function describedTools(events: Iterable<Event>): readonly ToolDescription[] {
  for (const event of events) if (event.kind === 'SystemPromptEvent') return event.tools;
  return [];
}

/** Has the recorded name and nothing behind it. */
function untouchable({ workingDir, events }: ReplaySource): Workspace {
  const prompt = events.find((event) => event.kind === 'SystemPromptEvent');
  const context = prompt?.kind === 'SystemPromptEvent' ? (prompt.dynamic_context?.text ?? '') : '';
  const platform = (/^Platform: (\w+)$/m.exec(context)?.[1] ?? process.platform) as NodeJS.Platform;
  const refuse = () => Promise.reject(new ReplayMismatch('the workspace was about to be touched'));
  return {
    root: workingDir,
    platform,
    spawn: refuse,
    readFile: refuse,
    writeFile: refuse,
    stat: refuse,
    list: refuse,
    which: refuse,
    remove: refuse,
    rename: refuse,
    makeDirectory: refuse,
    realPath: refuse,
    close: async () => undefined,
  };
}
