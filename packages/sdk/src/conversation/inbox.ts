import { message } from '../agent/message.ts';
import { rejection } from '../agent/results.ts';
import { type Content, text, textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { thawed } from '../event/freeze.ts';
import type { EventId } from '../event/identity.ts';
import { type Event, isBuiltInKind, kindOf } from '../event/kinds.ts';
import { systemPrompt } from './briefing.ts';
import type { AroundRuns } from './hooks/around-runs.ts';
import type { Parts } from './parts.ts';
import type { Recorder } from './run/recorder.ts';
import { agentUpdate, statusUpdate } from './state/state.ts';

export interface SendOptions {
  /** Who speaks in the user's name. It is stored with the message, and the model does not see it. */
  readonly sender?: string | undefined;
  /** Lets the agent work when the message is stored, without waiting for the outcome; if it works already, it goes on. Default false. */
  readonly run?: boolean | undefined;
}

/** A hook refused a message. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';

  constructor(reason: string) {
    super(`a hook refused the message: ${reason}`);
  }
}

/** What people have to say: messages, consent, and events of their own. It may arrive while the agent works. */
export class Inbox {
  readonly #parts: Parts;
  readonly #recorder: Recorder;
  readonly #aroundRuns: AroundRuns;
  readonly #approved = new Set<EventId>();
  #arriving: Promise<void> = Promise.resolve();
  #underWay = 0;

  constructor(parts: Parts, recorder: Recorder, aroundRuns: AroundRuns) {
    this.#parts = parts;
    this.#recorder = recorder;
    this.#aroundRuns = aroundRuns;
  }

  /** Whether something is on its way into the log. */
  get isArriving(): boolean {
    return this.#underWay > 0;
  }

  /** Resolves when everything that was sent so far is in the log, or was refused. */
  get arrived(): Promise<void> {
    return this.#arriving;
  }

  /** Actions to which the user has agreed. */
  get approved(): ReadonlySet<EventId> {
    return this.#approved;
  }

  /** Stored events are frozen, so what the caller passes is copied. */
  send(words: string | readonly Content[], { sender }: SendOptions): Promise<void> {
    return this.#inTurn((before) => this.#take(thawed(words), sender, before));
  }

  record(draft: Draft): Promise<Event> {
    return this.#inTurn((before) => this.#recordOwn(thawed(draft), before));
  }

  /** Records the system prompt if the history has messages but no prompt, as one that was imported. */
  async introduce(): Promise<void> {
    if (this.#parts.history.view.events.length > 0)
      await this.#recorder.record(...(await this.#systemPrompt()));
  }

  async approve(): Promise<void> {
    const { view, state } = this.#parts.history;
    for (const action of view.openActions()) this.#approved.add(action.id);
    if (state.status === 'waiting_for_confirmation') await this.#recorder.record(statusUpdate('idle'));
  }

  async reject(reason: string): Promise<void> {
    const { view, state } = this.#parts.history;
    const refused = view.openActions().map((action) => rejection(action, reason, 'user'));
    const isWaiting = state.status === 'waiting_for_confirmation';
    await this.#recorder.record(...refused, ...(isWaiting ? [statusUpdate('idle')] : []));
  }

  /** Takes in what arrives one after another, however long a hook takes over it. */
  #inTurn<T>(take: (before: Promise<void>) => Promise<T>): Promise<T> {
    const taken = take(this.#arriving);
    this.#underWay += 1;
    this.#arriving = Promise.allSettled([this.#arriving, taken]).then(() => {
      this.#underWay -= 1;
    });
    return taken;
  }

  async #take(
    words: string | readonly Content[],
    sender: string | undefined,
    before: Promise<void>,
  ): Promise<void> {
    const isEmpty = typeof words === 'string' ? words.trim() === '' : words.length === 0;
    if (isEmpty) throw new TypeError('an empty message cannot be sent');
    const said = typeof words === 'string' ? words : textOf(words);
    const [verdict] = await Promise.all([this.#aroundRuns.onMessage(said), before]);
    await this.#recorder.record(...verdict.events);
    if (verdict.refusal !== undefined) throw new MessageRefused(verdict.refusal);
    const { knowledge, history } = this.#parts;
    const [prompt, recall] = await Promise.all([
      this.#systemPrompt(),
      knowledge.forMessage(said, new Set(history.state.activatedSkills)),
    ]);
    const content = [...recall.content, ...verdict.additionalContext.map(text)];
    const drafts = [...prompt, message('user', words, { ...recall, content, sender })];
    // A run may have ended since, or may be about to.
    await this.#recorder.recordNext((state) => [
      ...drafts,
      ...agentUpdate(state, this.#parts.tags['agent']),
      ...(state.status === 'finished' || state.status === 'stuck' ? [statusUpdate('idle')] : []),
    ]);
  }

  async #recordOwn(draft: Draft, before: Promise<void>): Promise<Event> {
    const kind = isBuiltInKind(draft.kind) ? undefined : kindOf(draft.kind);
    if (kind === undefined)
      throw new TypeError(`${draft.kind} is not a kind of event that was defined with defineEventKind`);
    await before;
    const prompt = kind.toMessage === undefined ? [] : await this.#systemPrompt();
    const events = await this.#recorder.record(...prompt, draft);
    return events.at(-1) as Event;
  }

  /** None if the history has one already. */
  async #systemPrompt(): Promise<readonly Draft[]> {
    const { agent, knowledge, clock, tools, history } = this.#parts;
    if (history.view.events.some(({ kind }) => kind === 'SystemPromptEvent')) return [];
    return [await systemPrompt(agent, tools, knowledge, clock.now())];
  }
}
