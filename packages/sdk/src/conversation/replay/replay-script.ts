import type { ExecuteOptions } from '../../agent/execute.ts';
import type { Knowledge } from '../../context/knowledge.ts';
import { serializeEvent } from '../../event/codec.ts';
import type { Draft } from '../../event/draft.ts';
import { type Clock, millisecondsOf } from '../../event/identity.ts';
import type { ActionEvent, Event, MessageEvent } from '../../event/kinds.ts';
import { modelInfoOf } from '../../llm/catalogue/model-info.ts';
import type { Completion, LLM, Prompt } from '../../llm/llm.ts';
import { ReplayMismatch, replaying } from '../../llm/playback/cassette.ts';
import { firstDifference } from '../../value/difference.ts';
import type { Condenser } from '../../view/condensers/condenser.ts';
import type { Conversation } from '../conversation.ts';
import type { Onlookers } from '../hooks/hooks.ts';
import type { AutoContinue } from '../run/auto-continue.ts';
import { digestOf, type RecordedRequests } from '../store/request-record.ts';
import type { ReplayReport, ReplaySource } from './replay.ts';
import {
  answerAt,
  autoReplyAt,
  cameWhileThinking,
  comesWithMessage,
  condensedAt,
  endsBeforeResult,
  hooksAt,
  isAutoReply,
  isOfUser,
  isRequestOfUser,
  isSpeech,
  nextWords,
  recallAt,
  resultAt,
  tellsTurnsLeft,
  toolChangeAt,
} from './replay-record.ts';
import { reworded } from './reworded.ts';

const BOOKKEEPING = 'ConversationStateUpdateEvent';

/** Plays the recorded events as the parts that the engine asks for: model, clock, hooks, knowledge, tools. */
export class ReplayScript {
  readonly #events: readonly Event[];
  readonly #strict: boolean;
  readonly #requests: RecordedRequests | undefined;
  readonly #hasAutoReplies: boolean;
  /** How many events were made, and how many were given their recorded id. */
  #done = 0;
  #stamped = 0;
  #difference: ReplayReport['difference'] | undefined;
  #interrupt: () => void = () => undefined;
  #failure: unknown;
  /** The record ends where the run goes on: its process was killed, or is still running. */
  #isCut = false;
  /** The user's message that is being sent. */
  #said: Promise<void> = Promise.resolve();
  #sayWhileThinking: (() => Promise<void>) | undefined;
  readonly llm: LLM;

  constructor({ events, agent, exchanges, requests }: ReplaySource, strict: boolean) {
    this.#events = events;
    this.#requests = strict ? requests : undefined;
    this.#strict = strict;
    this.#hasAutoReplies = events.some(isAutoReply);
    const model = modelInfoOf(agent.llm);
    const usageId = agent.llm.usageId ?? 'agent';
    const recorded = exchanges === undefined ? undefined : replaying(exchanges, { model, usageId });
    this.llm = {
      model,
      usageId,
      complete: async (prompt, options) => {
        this.#compareRequest(prompt, options.signal);
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
        if (event.kind === BOOKKEEPING || this.#difference !== undefined || this.#isCut) return;
        this.#compare(event);
        this.#done += 1;
        if (this.#difference === undefined) this.#prompt(conversation, event);
        else conversation.interrupt();
      },
    });
    const first = this.#events.find(isOfUser);
    if (first !== undefined && !isRequestOfUser(this.#events[0]))
      await conversation.send(first.llm_message.content, { sender: first.sender });
    while (this.#done < this.#events.length && this.#difference === undefined) {
      const before = this.#done;
      if (isRequestOfUser(this.#events[before])) await conversation.condense();
      else await this.#run(conversation);
      await this.#said;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#done === before || this.#isCut) return;
    }
  }

  async #run(conversation: Conversation): Promise<void> {
    const running = conversation.run();
    // The user paused before the first step.
    if (this.#events[this.#done]?.kind === 'PauseEvent') conversation.pause();
    const outcome = await running;
    if (outcome.kind === 'error' && outcome.cause instanceof ReplayMismatch) throw outcome.cause;
    // The run ended before the model was asked: the message begins another run.
    const say = this.#sayWhileThinking;
    this.#sayWhileThinking = undefined;
    await say?.();
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

  /** Does what the user did next: sends a message, pauses or interrupts. */
  #prompt(conversation: Conversation, event: Event): void {
    const next = this.#events[this.#done];
    if (next === undefined) return;
    const at = comesWithMessage(event) ? undefined : nextWords(this.#events, this.#done);
    if (at !== undefined) {
      const { llm_message: words, sender } = this.#events[at] as MessageEvent;
      const say = () =>
        conversation.send(words.content, { sender }).catch((error: unknown) => {
          this.#failure = error;
        });
      // With automatic replies, a person's message to an agent that spoke comes after the run.
      const isReply = this.#hasAutoReplies && isSpeech(event);
      if (isReply || cameWhileThinking(this.#events, at)) this.#sayWhileThinking = say;
      else this.#said = Promise.resolve().then(say); // after everything stored with the event is folded
    }
    if (next.kind === 'PauseEvent') conversation.pause();
    else if (next.kind === 'InterruptEvent') conversation.interrupt();
  }

  #compare(made: Event): void {
    const recorded = this.#events[this.#done];
    if (this.#strict && recorded !== undefined && serializeEvent(recorded) === serializeEvent(made)) return;
    const difference = firstDifference(this.#comparable(recorded), this.#comparable(made));
    if (difference !== null) this.#difference = { event: this.#done, ...difference };
  }

  /** A request of which nothing is on record is not compared: folders of earlier versions record none. */
  #compareRequest({ messages }: Prompt, signal: AbortSignal): void {
    const recorded = this.#requests?.behind(this.#events[this.#done - 1]?.id ?? '') ?? [];
    const made = messages.map(digestOf);
    const differing = recorded.map((each) => firstUnequal(each, made));
    const place = differing.at(-1);
    if (place === undefined || differing.includes(-1)) return;
    this.#difference = {
      event: this.#done,
      path: `request.messages[${place}]`,
      recorded: recorded.at(-1)?.[place],
      made: messages[place],
    };
    this.#interrupt();
    signal.throwIfAborted();
  }

  #comparable(event: Event | undefined): unknown {
    if (event === undefined) return undefined;
    const value = JSON.parse(serializeEvent(event)) as { [key: string]: unknown };
    if (this.#strict) return value;
    if (event.kind === 'SystemPromptEvent') return { kind: event.kind };
    const { id: _, timestamp: __, parent_id: ___, action_id: ____, ...rest } = value;
    return rest;
  }

  /** A draft as the record words it; see `reworded.ts`. */
  reword(draft: Draft): Draft {
    return reworded(draft, this.#events[this.#stamped]);
  }

  /** The recorded automatic replies; false if there are none. */
  get autoContinue(): AutoContinue {
    return this.#hasAutoReplies && (() => autoReplyAt(this.#events, this.#done));
  }

  /** Whether the record says here how many turns are left. */
  readonly tellsTurnsLeft = (): boolean => tellsTurnsLeft(this.#events, this.#done);

  /** What the record says here of tools that have changed. */
  readonly toolChange = (): string | null => toolChangeAt(this.#events, this.#done) ?? null;

  readonly onlookers: Onlookers = {
    on: async (event, { actionId }) => hooksAt(this.#events, this.#done, event, actionId),
    close: async () => undefined,
  };

  /** The recorded prompt and skills. Knowledge about files is part of the results. */
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
    forMessage: async (words) => recallAt(this.#events, this.#done, words),
    offered: async () => [],
    forPath: async () => ({ names: [], content: [] }),
  };

  /** Condenses where the record does. After an overflow that ended the run, there was nothing that could condense. */
  get condenser(): Condenser {
    const next = () => this.#events[this.#done];
    return {
      get handlesRequests() {
        return next()?.kind !== 'ConversationErrorEvent';
      },
      condense: async () => condensedAt(this.#events, this.#done),
    };
  }

  /** The model's next recorded turn. */
  async #answer(signal: AbortSignal): Promise<Completion> {
    const next = this.#events[this.#done];
    if (next === undefined) this.#cut();
    if (this.#isCut || next?.kind === 'InterruptEvent') {
      this.#interrupt();
      signal.throwIfAborted();
    }
    return answerAt(this.#events, this.#done);
  }

  #cut(): void {
    this.#isCut = true;
    this.#interrupt();
  }

  /** Replaces the execution of an action. */
  async resultOf(action: ActionEvent, { requestCondensation }: ExecuteOptions): Promise<Draft> {
    if (endsBeforeResult(this.#events, action)) this.#cut();
    const { draft, wantsRoom } = resultAt(this.#events, this.#done, action);
    if (wantsRoom) requestCondensation();
    return draft;
  }
}

/** The place of the first difference; -1 if there is none. */
function firstUnequal(a: readonly string[], b: readonly string[]): number {
  const places = Math.max(a.length, b.length);
  for (let i = 0; i < places; i += 1) if (a[i] !== b[i]) return i;
  return -1;
}
