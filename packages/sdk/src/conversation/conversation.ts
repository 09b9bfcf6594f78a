import type { Agent } from '../agent/agent.ts';
import type { Content } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import type { RenderObservation } from '../event/projection.ts';
import type { Ledger } from '../llm/accounts/ledger.ts';
import type { LLM } from '../llm/llm.ts';
import { type ReadableLog, readOnly } from '../log/event-log.ts';
import { LogError } from '../log/log-error.ts';
import type { Tool } from '../tool/tool.ts';
import type { View } from '../view/view.ts';
import { isExit } from './exit.ts';
import type { SendOptions } from './inbox.ts';
import { type Members, membersOf } from './members.ts';
import type { OpenOptions } from './open-options.ts';
import { closeParts, openParts, type Parts } from './parts.ts';
import type { Listener } from './run/recorder.ts';
import { movedHead, recover } from './run/recover.ts';
import { type InterruptOptions, Runner } from './runner.ts';
import type { State } from './state/state.ts';
import type { Outcome } from './state/status.ts';
import type { Tags } from './store/base-state.ts';

/**
 * One conversation of an agent with its user: a log, what is folded from it, and the loop that extends it. While it is open it is the
 * log's only writer. It consists of an inbox (what people say), a runner (what the agent does) and a keeper (what is on disk besides the
 * log); this class is the door to them.
 */
export class Conversation {
  readonly #parts: Parts;
  readonly #members: Members;
  readonly #runner: Runner;
  readonly #log: ReadableLog;
  #isClosed = false;

  /**
   * Opens a new conversation, or the one that `place.id` names. Throws LogError `locked` if another process has it open, LLMError if the
   * configured model cannot be reached, and Error for a tool that is not registered.
   */
  static async open(options: OpenOptions): Promise<Conversation> {
    const parts = await openParts(options);
    const { resumed, tools, history, settings, leftovers } = parts;
    try {
      const conversation = new Conversation(parts);
      const { keeper, recorder } = conversation.#members;
      // The specification is stored nowhere else, so it is on disk before the first event.
      if (!resumed) recorder.holdUntil(keeper.saveBaseState(settings.place.durability ?? 'power'));
      else await recorder.record(...movedHead(history), ...recover(history, tools, leftovers));
      parts.lock?.forgetKilled();
      return conversation;
    } catch (error) {
      await tools.close();
      await closeParts(parts);
      throw error;
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#log = readOnly(parts.log);
    this.#members = membersOf(parts, (child) => Conversation.open(child));
    this.#runner = new Runner(parts, this.#members);
  }

  get id(): string {
    return this.#parts.id;
  }

  /** The folder in which it is stored; null if it is not stored. */
  get directory(): string | null {
    return this.#parts.directory;
  }

  /** Whether it was there before it was opened. */
  get resumed(): boolean {
    return this.#parts.resumed;
  }

  /** The length of the log when it was opened: the next event is the first of its recovery, or else the first that happened since. */
  get openedAt(): number {
    return this.#parts.openedAt;
  }

  get tags(): Tags {
    return this.#parts.tags;
  }

  get agent(): Agent {
    return this.#parts.agent;
  }

  get model(): LLM['model'] {
    return this.#parts.llm.model;
  }

  /** Everything that happened. Only the conversation itself appends to it. */
  get log(): ReadableLog {
    return this.#log;
  }

  get state(): State {
    return this.#parts.history.state;
  }

  get view(): View {
    return this.#parts.history.view;
  }

  /** How the tools show their observations to the model. */
  get render(): RenderObservation {
    return this.#parts.tools.render;
  }

  /** What everyone who works for this conversation has spent. */
  get ledger(): Ledger {
    return this.#members.ledger;
  }

  /** One of the agent's tools, by its name. */
  tool(name: string): Tool | undefined {
    return this.#parts.tools.get(name);
  }

  /**
   * The model for a purpose (`agent`, `condenser`, ...), with an account of its own: the one that the specification names for it, else the
   * agent's. Rejects with LLMError.
   */
  llm(usageId: string = this.#parts.llm.usageId): Promise<LLM> {
    return this.#members.models.get(usageId);
  }

  /** The content of `base_state.json`: specification, status, accounts. Keys are redacted. */
  baseState(): { readonly [key: string]: unknown } {
    return JSON.parse(this.#members.keeper.baseState());
  }

  /** Passes on events as they become durable, and notices as they happen. Returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    return this.#members.recorder.subscribe(listener);
  }

  /**
   * Sends a message to the agent. It may be sent while the agent runs: its next step takes it up. The message `/exit` goes to no model: it
   * ends the run after the step in progress, or else the conversation at once, as finished. Rejects with MessageRefused if a hook refuses the
   * message, with an AbortError if the conversation is interrupted before the hook has answered, and with LogError like `run`.
   */
  send(words: string | readonly Content[], options: SendOptions = {}): Promise<void> {
    return this.#whileWritable(async () => {
      if (isExit(words)) return await this.#runner.exit();
      await this.#members.inbox.send(words, options);
      if (options.run === true) this.#runner.start();
    });
  }

  /**
   * Appends an event of a kind that was defined with `defineEventKind`; resolves to the event when it is durable. Rejects with
   * TypeError for a kind of the engine's: only the engine writes those.
   */
  record(draft: Draft): Promise<Event> {
    return this.#whileWritable(() => this.#members.inbox.record(draft));
  }

  /** Consents to the actions that wait for it; the next `run` executes them. Rejects with LogError like `run`. */
  approve(): Promise<void> {
    return this.#whileWritable(() => this.#members.inbox.approve());
  }

  /** Refuses the actions that wait for consent. The agent is given the reason at its next step. */
  reject(reason = 'The user rejected this action.'): Promise<void> {
    return this.#whileWritable(() => this.#members.inbox.reject(reason));
  }

  /**
   * Lets the agent work until the run ends, and resolves to the outcome. A finished conversation stays finished until there is a new
   * message; one that waits for confirmation keeps waiting until `approve` or `reject`. Rejects with LogError if the log cannot be
   * written; every later call then rejects with the same error and executes nothing: close the conversation and open it again.
   */
  run(): Promise<Outcome> {
    return this.#whileWritable(() => this.#runner.run());
  }

  /** Pauses the run after the step in progress. */
  pause(): void {
    this.#runner.pause();
  }

  /**
   * Drops the request to the model, and interrupts running tools and hooks. The run ends with the outcome `interrupted`. To stop waiting for
   * tools that take their time to end, call it again with `abandon`.
   */
  interrupt(options: InterruptOptions = {}): void {
    this.#runner.interrupt(options);
  }

  /**
   * Shortens the history now. Resolves to false if there is nothing to remove. Rejects if a run is in progress, if the condenser does not
   * condense on request, and with an AbortError if it is interrupted.
   */
  condense(): Promise<boolean> {
    return this.#whileWritable(() => this.#runner.condense());
  }

  /** Moves HEAD to an earlier event, or with null before the first. New events continue from there; no event is lost. */
  navigate(id: EventId | null): Promise<void> {
    return this.#whileWritable(() => this.#runner.navigate(id));
  }

  /**
   * Copies the history up to and including event `at` (default: all of it) into a new conversation, stored beside this one. Returns its
   * id; open it like any other.
   */
  fork(options: { readonly at?: number } = {}): Promise<string> {
    return this.#members.keeper.fork(options);
  }

  #whileWritable<T>(act: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new LogError('closed', 'the conversation is closed'));
    const { failure } = this.#members.recorder;
    return failure === null ? act() : Promise.reject(failure);
  }

  /** Interrupts a run, closes tools, workspace and log, and releases the lock. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { recorder, aroundRuns, delegations, onlookers, keeper, requests } = this.#members;
    this.#runner.interrupt();
    await this.#runner.settled();
    requests?.close();
    await delegations.settled();
    const toolsClosed = this.#parts.tools.close();
    try {
      await recorder.record(...(await aroundRuns.onEnd()));
      await recorder.settled();
    } finally {
      await keeper.save();
      keeper.close();
      await onlookers.close();
      await toolsClosed;
      // A sub-agent's workspace belongs to its parent.
      if (this.#parts.settings.parent.depth === 0) await this.#parts.settings.workspace.close();
      await closeParts(this.#parts);
    }
  }
}
