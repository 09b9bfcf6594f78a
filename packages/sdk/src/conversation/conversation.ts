import type { Agent } from '../agent/agent.ts';
import { condense } from '../agent/condense.ts';
import { message } from '../agent/message.ts';
import { rejection, TimeIsUpError } from '../agent/results.ts';
import { SENDERS } from '../agent/sender.ts';
import { type Content, text, textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { type EventId, ROOT } from '../event/identity.ts';
import { type Event, isBuiltInKind, kindOf } from '../event/kinds.ts';
import type { RenderObservation } from '../event/projection.ts';
import { Ledger } from '../llm/accounts/ledger.ts';
import type { LLM } from '../llm/llm.ts';
import { TokenMeter } from '../llm/tokens/token-meter.ts';
import type { Durability, EventLog } from '../log/event-log.ts';
import { Locks } from '../tool/locks.ts';
import type { Tool } from '../tool/tool.ts';
import { schemasOf } from '../tool/tool-schema.ts';
import { defined } from '../value/defined.ts';
import { LONGEST_TIMER_MS } from '../value/longest-timer.ts';
import type { View } from '../view/view.ts';
import { latestImages, skillNamed, systemPrompt, withFileKnowledge } from './briefing.ts';
import { Delegations } from './delegation/delegate.ts';
import { AroundRuns } from './hooks/around-runs.ts';
import { duringRun } from './hooks/during-run.ts';
import { Hooks, type Onlookers } from './hooks/hooks.ts';
import type { OpenOptions } from './open-options.ts';
import { openParts, type Parts } from './parts.ts';
import { type Reply, replyOf } from './run/auto-continue.ts';
import { Models, noticed } from './run/models.ts';
import { type Listener, Recorder } from './run/recorder.ts';
import { recover } from './run/recover.ts';
import { run } from './run/run.ts';
import { unlessAborted } from './run/unless-aborted.ts';
import { STATE_KEYS, type State, stateUpdate, statusUpdate } from './state/state.ts';
import type { Outcome } from './state/status.ts';
import { serializeBaseState, type Tags } from './store/base-state.ts';
import { BaseStateFile } from './store/base-state-file.ts';
import { saveCheckpoint } from './store/checkpoint.ts';
import { forkDirectory } from './store/fork.ts';

/** About what it takes to have the first request on its way. */
const REQUEST_UNDER_WAY_MS = 10;

/**
 * One conversation of an agent with its user: a log, what is folded from it, and the loop that extends it. It is the
 * log's only writer while it is open.
 */
export class Conversation {
  readonly #parts: Parts;
  readonly #recorder: Recorder;
  readonly #ledger: Ledger;
  readonly #models: Models;
  readonly #meter = new TokenMeter();
  readonly #hooks: Onlookers;
  readonly #aroundRuns: AroundRuns;
  /** Resolves when no message is on its way into the log: the next step is to hear what was said before it. */
  #arriving: Promise<void> = Promise.resolve();
  #underWay = 0;
  readonly #locks: Locks;
  readonly #delegations: Delegations;
  readonly #approved = new Set<EventId>();
  #running: { readonly interrupt: AbortController; readonly outcome: Promise<Outcome> } | null = null;
  #condensing: { readonly interrupt: AbortController; readonly done: Promise<boolean> } | null = null;
  #pauseRequested = false;
  readonly #baseStateFile: BaseStateFile | null;
  #checkpointedLength = -1;
  #closed = false;

  /**
   * Opens a new conversation, or the one that `id` names. Throws LogError `locked` if another process has it open,
   * LLMError if the model cannot be reached by what is configured, and Error for a tool that is not registered.
   */
  static async open(options: OpenOptions): Promise<Conversation> {
    const parts = await openParts(options);
    const { directory, resumed, tools, log, lock, history } = parts;
    try {
      const conversation = new Conversation(parts);
      // The specification stands nowhere else: it must be there before the first event is.
      if (directory !== null && !resumed)
        await conversation.#saveBaseState(options.place?.durability ?? 'power');
      await conversation.#recorder.record(...recover(history, tools));
      return conversation;
    } catch (error) {
      await tools.close();
      await log.close();
      lock?.release();
      throw error;
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#recorder = new Recorder(parts.log, parts.history, parts.clock, {
      secrets: parts.settings.recording.secrets,
      reword: parts.settings.standIns.reword,
    });
    const { model, limits, oversight, parent, standIns, workspace } = parts.settings;
    this.#ledger = new Ledger({
      stats: parts.history.state.stats,
      limits: defined({ maxCostUsd: limits.maxBudgetUsd, maxTokens: limits.maxTokens }),
      ...defined({ parent: parent.ledger }),
      onChange: () => this.#recorder.recordLatest(STATE_KEYS.stats, () => this.#ledger.takeStats()),
    });
    const { agent, llm: main, directory } = parts;
    this.#baseStateFile =
      directory === null ? null : new BaseStateFile(directory, (text) => this.#warn(text));
    this.#models = new Models({
      agent,
      main,
      isGiven: model.llm !== undefined,
      ledger: this.#ledger,
      ...defined({ profile: model.profile }),
    });
    this.#locks = parent.locks ?? new Locks();
    this.#delegations = new Delegations({
      ...parts,
      models: this.#models,
      ledger: this.#ledger,
      locks: this.#locks,
      open: (child) => Conversation.open(child),
    });
    this.#hooks =
      standIns.onlookers ??
      new Hooks(oversight.hooks ?? {}, parts.id, {
        workspace,
        llm: () => this.llm('prompt-hook'),
        investigate: (hook, prompt, signal) => this.#delegations.investigate(hook, prompt, signal),
      });
    this.#aroundRuns = new AroundRuns(this.#hooks);
  }

  get id(): string {
    return this.#parts.id;
  }

  /** Where it is stored; null if nowhere. */
  get directory(): string | null {
    return this.#parts.directory;
  }

  get resumed(): boolean {
    return this.#parts.resumed;
  }

  get tags(): Tags {
    return this.#parts.tags;
  }

  get agent(): Agent {
    return this.#parts.agent;
  }

  /** One of the agent's tools. */
  tool(name: string): Tool | undefined {
    return this.#parts.tools.get(name);
  }

  get model(): LLM['model'] {
    return this.#parts.llm.model;
  }

  /** What everybody who works for this conversation has spent. */
  get ledger(): Ledger {
    return this.#ledger;
  }

  /**
   * The model for a purpose (`agent`, `condenser`, ...): the one that the specification names for it, else the agent's, with
   * an account of its own. Throws LLMError like `open`.
   */
  llm(usageId: string = this.#parts.llm.usageId): Promise<LLM> {
    return this.#models.get(usageId);
  }

  /** As `base_state.json` has it: specification, status, accounts; keys are redacted. */
  baseState(): { readonly [key: string]: unknown } {
    return JSON.parse(this.#serializedState());
  }

  get log(): EventLog {
    return this.#parts.log;
  }

  get state(): State {
    return this.#parts.history.state;
  }

  get view(): View {
    return this.#parts.history.view;
  }

  get render(): RenderObservation {
    return this.#parts.tools.render;
  }

  /** Events as they become durable, notices as they happen. Returns what ends the subscription. */
  subscribe(listener: Listener): () => void {
    return this.#recorder.subscribe(listener);
  }

  /**
   * The user speaks. May be called while the agent runs; it hears it at its next step. Rejects with MessageRefused if a hook
   * does not let it pass, and with an AbortError if it is interrupted before a hook has said so.
   */
  send(words: string | readonly Content[], { sender }: SendOptions = {}): Promise<void> {
    return this.#inTurn((before) => this.#take(words, sender, before));
  }

  /**
   * Appends an event of a kind that was defined with `defineEventKind`; resolves to the event when it is durable. Rejects with
   * TypeError for a kind of the engine's: only the engine writes those.
   */
  record(draft: Draft): Promise<Event> {
    return this.#inTurn((before) => this.#recordOwn(draft, before));
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

  /** What arrives is served in order. */
  #inTurn<T>(serve: (before: Promise<void>) => Promise<T>): Promise<T> {
    const served = serve(this.#arriving);
    this.#underWay += 1;
    this.#arriving = Promise.allSettled([this.#arriving, served]).then(() => {
      this.#underWay -= 1;
    });
    return served;
  }

  /** None if there is one already. */
  async #systemPrompt(): Promise<readonly Draft[]> {
    if (this.#hasSystemPrompt()) return [];
    const { agent, knowledge, clock, tools } = this.#parts;
    return [await systemPrompt(agent, tools, knowledge, clock.now())];
  }

  /** Behind those that were sent `before`, however long they take. */
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
    const [prompt, recall] = await Promise.all([
      this.#systemPrompt(),
      this.#parts.knowledge.forMessage(said, new Set(this.state.activatedSkills)),
    ]);
    const drafts = [
      ...prompt,
      message('user', words, {
        ...recall,
        sender,
        content: [...recall.content, ...verdict.additionalContext.map(text)],
      }),
    ];
    // A run may have ended since, or may be about to.
    await this.#recorder.recordNext(({ status }) =>
      status === 'finished' || status === 'stuck' ? [...drafts, statusUpdate('idle')] : drafts,
    );
  }

  /**
   * Lets the agent work until the run ends; how, is the outcome. A finished conversation stays finished until there is a
   * message; one that waits for confirmation goes on waiting until `approve` or `reject`. Rejects with LogError if the
   * log cannot be written.
   */
  run(): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new Error('the conversation is closed'));
    if (this.#running !== null) return this.#running.outcome;
    if (this.state.status === 'finished') {
      return Promise.resolve({ kind: 'finished', message: this.#lastWords() });
    }
    const interrupt = new AbortController();
    this.#pauseRequested = false;
    const { maxTimeMs } = this.#parts.settings.limits;
    const timer =
      maxTimeMs === undefined
        ? undefined
        : setTimeout(() => interrupt.abort(timeIsUp(maxTimeMs)), Math.min(maxTimeMs, LONGEST_TIMER_MS));
    const outcome = this.#run(interrupt.signal).finally(() => {
      clearTimeout(timer);
      this.#running = null;
    });
    this.#running = { interrupt, outcome };
    return outcome;
  }

  /** Stops between two steps. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** Stops now: the model request is dropped, a running command or hook is interrupted. */
  interrupt(): void {
    const reason = new DOMException('interrupted by the user', 'AbortError');
    this.#running?.interrupt.abort(reason);
    this.#condensing?.interrupt.abort(reason);
    this.#aroundRuns.interrupt(reason);
  }

  /** Agrees to the actions that wait; the next `run` carries them out. */
  async approve(): Promise<void> {
    for (const action of this.view.openActions()) this.#approved.add(action.id);
    if (this.state.status === 'waiting_for_confirmation') await this.#recorder.record(statusUpdate('idle'));
  }

  /** Refuses the actions that wait; the agent is told why at its next step. */
  async reject(reason = 'The user did not agree to this action.'): Promise<void> {
    const refused = this.view.openActions().map((action) => rejection(action, reason, 'user'));
    const waiting = this.state.status === 'waiting_for_confirmation';
    await this.#recorder.record(...refused, ...(waiting ? [statusUpdate('idle')] : []));
  }

  /**
   * A new conversation with the history up to and including event `at` (default: all of it), stored beside this one.
   * Returns its id; open it like any other.
   */
  async fork(options: { readonly at?: number } = {}): Promise<string> {
    const { directory, settings } = this.#parts;
    const { conversationsDir } = settings.place;
    if (directory === null || conversationsDir === undefined) {
      throw new Error('a conversation that is not stored cannot be forked');
    }
    await this.#recorder.settled();
    await this.#save();
    return await forkDirectory(directory, { ...options, conversationsDir });
  }

  /** Moves HEAD to an earlier event, or before the first; what follows grows from there. Nothing is lost. */
  async navigate(id: EventId | null): Promise<void> {
    if (this.#running !== null) throw new Error('the conversation is running: pause it before navigating');
    if (id !== null && this.log.indexOf(id) === -1) throw new Error(`the conversation has no event ${id}`);
    const { tools, history } = this.#parts;
    await this.#recorder.record(stateUpdate(STATE_KEYS.leaf, id ?? ROOT), statusUpdate('idle'));
    await this.#recorder.record(...recover(history, tools));
  }

  /** Ends a run, closes tools, workspace and log, and lets others write. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { settings, tools, log, lock } = this.#parts;
    this.interrupt();
    // Whoever called run() or condense() has been told.
    await this.#running?.outcome.catch(() => undefined);
    await this.#condensing?.done.catch(() => undefined);
    await this.#delegations.settled();
    const toolsClosed = tools.close();
    try {
      await this.#recorder.record(...(await this.#aroundRuns.onEnd()));
      await this.#recorder.settled();
      await this.#save();
    } finally {
      await this.#hooks.close();
      await toolsClosed;
      // That of a sub-agent belongs to whoever lent it.
      if (settings.parent.depth === 0) await settings.workspace.close();
      await log.close();
      lock?.release();
    }
  }

  async #run(signal: AbortSignal): Promise<Outcome> {
    const { settings, agent, knowledge, tools, history, id, files } = this.#parts;
    const { limits, model, oversight, recording, standIns, workspace } = settings;
    const recorder = this.#recorder;
    // An agent that cannot finish ends by speaking.
    const canFinish = tools.tools.some(({ endsRun }) => endsRun === true);
    const reply = canFinish ? replyOf(oversight.autoContinue) : undefined;
    const llm = await this.llm();
    const schemas = schemasOf(tools, llm.model.briefTools);
    await this.#condensing?.done.catch(() => undefined); // whoever called condense() has been told
    await this.#recorder.record(...(await this.#aroundRuns.onBegin(signal)));
    // Beside the first model request rather than before it: nothing waits for either.
    const beside = setTimeout(() => {
      void this.#saveBaseState(); // it tells of its failures by itself
      for (const tool of tools.tools) void this.#prepare(tool);
    }, REQUEST_UNDER_WAY_MS);
    const outcome = await run({
      history,
      recorder,
      tools,
      workspace,
      signal,
      llm: async () => noticed(await this.llm(), recorder),
      arrived: () => unlessAborted(this.#arriving, signal),
      get toolSchemas() {
        return schemas();
      },
      cacheKey: id,
      conversation: {
        id,
        files,
        llm: (usageId, profile) => this.#models.for(usageId, profile),
        useModel: (profile) => this.#models.use(profile),
        skill: (name) => skillNamed(name, knowledge),
        images: () => latestImages(this.view),
        delegate: (work) => this.#delegations.run(work),
      },
      locks: this.#locks,
      ...defined({ toolConcurrency: agent.toolConcurrency }),
      ...(model.stream === true ? { onDelta: (delta) => recorder.notify({ type: 'delta', delta }) } : {}),
      onRetry: (retry) => recorder.notify({ type: 'retry', retry }),
      onNote: (text) => this.#warn(text),
      onStart: (action) =>
        recorder.notify({ type: 'tool-start', toolName: action.tool_name, actionId: action.id }),
      onProgress: (action, progress) =>
        recorder.notify({ type: 'tool-progress', toolName: action.tool_name, text: progress }),
      ...this.#condenseDeps(),
      ledger: this.#ledger,
      limits,
      confirmation: oversight.confirmation,
      approved: this.#approved,
      isPauseRequested: () => this.#pauseRequested,
      isMessageArriving: () => this.#underWay > 0,
      ...(reply === undefined ? {} : { reply: (said) => this.#answered(reply, said, signal) }),
      enrich: (action, result) =>
        withFileKnowledge(action, result, this.#parts, this.state.activatedPathRules),
      ...(oversight.hooks === undefined && standIns.onlookers === undefined
        ? {}
        : duringRun(this.#hooks, signal)),
      ...defined({ execute: standIns.execute, onPrompt: recording.onPrompt }),
    }).finally(() => clearTimeout(beside));
    await this.#save();
    return outcome;
  }

  async #prepare(tool: Tool): Promise<void> {
    try {
      await tool.prepare?.({ workspace: this.#parts.settings.workspace });
    } catch (error) {
      this.#warn(`the tool ${tool.name} is not ready: ${String(error)}`);
    }
  }

  #warn(text: string): void {
    this.#recorder.notify({ type: 'warning', text });
  }

  /** Whoever is asked may take as long as he likes: an interrupt is not kept waiting. */
  async #answered(reply: Reply, said: string, signal: AbortSignal): Promise<boolean> {
    const words = await unlessAborted(reply(said), signal);
    if (words === undefined) return false;
    await this.send(words, { sender: SENDERS.autoContinue });
    return true;
  }

  #condenseDeps() {
    const { agent, condenser } = this.#parts;
    const purpose =
      `${agent.llm.usageId ?? 'agent'}` === 'agent' ? 'condenser' : `${agent.llm.usageId}-condenser`;
    return { condenser, condenserLlm: () => this.llm(purpose), meter: this.#meter };
  }

  /**
   * Makes the history shorter now. False if there is nothing that could go. Rejects if a run is under way, if the condenser
   * does not do so on request, and with an AbortError if it is interrupted.
   */
  condense(): Promise<boolean> {
    if (this.#condensing !== null) return this.#condensing.done;
    const interrupt = new AbortController();
    const done = this.#condense(interrupt.signal).finally(() => {
      this.#condensing = null;
    });
    this.#condensing = { interrupt, done };
    return done;
  }

  async #condense(signal: AbortSignal): Promise<boolean> {
    if (this.#running !== null) throw new Error('the conversation is running: pause it before condensing');
    if (!this.#parts.condenser.handlesRequests)
      throw new Error('the condenser of this conversation does not condense on request');
    await this.#recorder.record({ source: 'user', kind: 'CondensationRequest' });
    const { tools } = this.#parts;
    const llm = await this.llm();
    const prepared = await condense(this.view, {
      ...this.#condenseDeps(),
      llm,
      tools,
      toolSchemas: schemasOf(tools, llm.model.briefTools)(),
      signal,
      onNote: (text) => this.#warn(text),
    });
    if (prepared.kind === 'events') await this.#recorder.record(...prepared.events);
    await this.#recorder.settled(); // what it has cost
    await this.#save();
    return prepared.kind === 'events';
  }

  #hasSystemPrompt(): boolean {
    return this.view.events.some((event) => event.kind === 'SystemPromptEvent');
  }

  /** What the finished run ended with. */
  #lastWords(): string {
    const last = this.view.messages().findLast((each) => each.role === 'assistant' || each.role === 'tool');
    return textOf(last?.content ?? []);
  }

  async #save(): Promise<void> {
    const { directory, log, history } = this.#parts;
    if (directory === null) return;
    await this.#saveBaseState();
    if (this.#checkpointedLength === log.length) return;
    this.#checkpointedLength = log.length;
    // The log has it all: that the next opening takes longer is no reason for a run to fail.
    await saveCheckpoint(directory, log, history).catch((error: unknown) =>
      this.#warn(`the checkpoint was not written: ${String(error)}`),
    );
  }

  #saveBaseState(durability?: Durability): Promise<void> | undefined {
    return this.#baseStateFile?.save(this.state, () => this.#serializedState(), durability);
  }

  #serializedState(): string {
    const { id, agent, settings, directory } = this.#parts;
    const { limits, oversight, workspace } = settings;
    return serializeBaseState({
      id,
      agent: { ...agent, llm: this.#models.current },
      workingDir: workspace.root,
      directory: directory ?? '',
      maxIterations: limits.maxIterations,
      stuckDetection: limits.stuckDetection,
      confirmation: oversight.confirmation,
      tags: this.#parts.tags,
      state: this.state,
      before: this.#parts.stored,
    });
  }
}

export interface SendOptions {
  /** Who speaks in the user's name, if that matters; stored with the message, and not told the model. */
  readonly sender?: string | undefined;
}

/** A hook did not let a message pass. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';

  constructor(reason: string) {
    super(`a hook refused the message: ${reason}`);
  }
}

function timeIsUp(ms: number): TimeIsUpError {
  return new TimeIsUpError(`The time of the run is up: ${ms / 1_000} s.`);
}
