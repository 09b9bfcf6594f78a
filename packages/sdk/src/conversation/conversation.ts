import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../agent/agent.ts';
import { condense } from '../agent/condense.ts';
import { TimeIsUpError } from '../agent/execute.ts';
import { message, type PromptNotice } from '../agent/step.ts';
import { type Knowledge, openKnowledge } from '../context/knowledge.ts';
import { joinParts } from '../context/system-prompt.ts';
import { type Content, text, textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { type Clock, type EventId, ROOT, systemClock } from '../event/identity.ts';
import type { ActionEvent } from '../event/kinds.ts';
import type { RenderObservation } from '../event/projection.ts';
import { LLMError } from '../llm/errors.ts';
import { accounted, Ledger } from '../llm/ledger.ts';
import type { LLM } from '../llm/llm.ts';
import { TokenMeter } from '../llm/token-meter.ts';
import { writeFileAtomic } from '../log/atomic-file.ts';
import type { Durability, EventLog } from '../log/event-log.ts';
import type { WriterLock } from '../log/writer-lock.ts';
import { type ConfirmationPolicy, NEVER_CONFIRM } from '../security/confirmation.ts';
import { describeTool } from '../tool/describe.ts';
import type { ToolFactory } from '../tool/tool.ts';
import { toolSchema } from '../tool/tool-schema.ts';
import { createToolSet, type ToolSet } from '../tool/tool-set.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import { createCondenser, DEFAULT_CONDENSER } from '../view/condensers/spec.ts';
import type { View } from '../view/view.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { BASE_STATE_FILE, serializeBaseState } from './base-state.ts';
import { saveCheckpoint } from './checkpoint.ts';
import { forkDirectory } from './fork.ts';
import type { History } from './history.ts';
import type { HookConfig } from './hooks/hook-config.ts';
import { Hooks, type Onlookers } from './hooks/hooks.ts';
import { conversationDirectory, conversationId } from './location.ts';
import { openLog, openModel, storedAgent } from './open.ts';
import { type Listener, Recorder } from './recorder.ts';
import { recover } from './recover.ts';
import { type RunDeps, run } from './run.ts';
import { STATE_KEYS, type State, stateUpdate, statusUpdate } from './state.ts';
import type { Outcome } from './status.ts';

export interface OpenOptions {
  /** Required for a new conversation; in a resumed one it replaces the stored specification. */
  readonly agent?: Agent;
  /** A ready model; default: made from `agent.llm`. */
  readonly llm?: LLM;
  /** Where the names in `agent.tools` are looked up. */
  readonly tools: readonly ToolFactory[];
  /** In place of the one that the specification names. */
  readonly condenser?: Condenser;
  /** In place of what the specification's context leads to. */
  readonly knowledge?: Knowledge;
  /** Owned by the conversation: `close` closes it. */
  readonly workspace: Workspace;
  /** Absent: nothing is stored. */
  readonly conversationsDir?: string;
  /** UUID, with or without hyphens; a folder that exists is resumed. Default: a new one. */
  readonly id?: string;
  /** Default `power`. */
  readonly durability?: Durability;
  /** Model calls of one run; default 500. */
  readonly maxIterations?: number;
  /** Over the whole life of the conversation. A model without a price is refused then. */
  readonly maxBudgetUsd?: number;
  /** Prompt and completion tokens, over the whole life of the conversation. */
  readonly maxTokens?: number;
  /** Of one run; what is under way then is interrupted. */
  readonly maxTimeMs?: number;
  /** Calls whose price is not known count nothing, instead of being refused. */
  readonly allowUnpriced?: boolean;
  /** Of a conversation that this one works for: what is spent here is spent there too. */
  readonly ledger?: Ledger;
  /** Default true. */
  readonly stuckDetection?: boolean;
  /** Default: nobody is asked. */
  readonly confirmation?: ConfirmationPolicy;
  /** Ask the model for deltas, and tell them to the listeners. */
  readonly stream?: boolean;
  readonly clock?: Clock;
  /** In place of carrying actions out, for replays. */
  readonly execute?: (action: ActionEvent) => Promise<Draft>;
  /** Told of each prompt before it is sent. */
  readonly onPrompt?: (prompt: PromptNotice) => void;
  /** Programs that look on, and may refuse. */
  readonly hooks?: HookConfig;
  /** In place of what `hooks` leads to, for replays. */
  readonly onlookers?: Onlookers;
  /** Told of files that were set aside and the like. */
  readonly onWarning?: (text: string) => void;
}

/** About what it takes to have the first request on its way. */
const REQUEST_UNDER_WAY_MS = 10;

/** What an open conversation is made of; all of it is closed with it. */
interface Parts {
  readonly options: OpenOptions;
  readonly id: string;
  readonly directory: string | null;
  readonly resumed: boolean;
  readonly agent: Agent;
  /** Every call of it stands in the ledger. */
  readonly llm: LLM;
  readonly condenser: Condenser;
  readonly knowledge: Knowledge;
  readonly tools: ToolSet;
  readonly log: EventLog;
  readonly lock: WriterLock | null;
  readonly history: History;
}

/**
 * One conversation of an agent with its user: a log, what is folded from it, and the loop that extends it. It is the
 * log's only writer while it is open.
 */
export class Conversation {
  readonly #parts: Parts;
  readonly #recorder: Recorder;
  readonly #ledger: Ledger;
  readonly #llms = new Map<string, Promise<LLM>>();
  readonly #meter = new TokenMeter();
  readonly #hooks: Onlookers;
  #hasBegun = false;
  readonly #approved = new Set<EventId>();
  #running: { readonly interrupt: AbortController; readonly outcome: Promise<Outcome> } | null = null;
  #pauseRequested = false;
  #savedState: State | null = null;
  #saving: Promise<void> = Promise.resolve();
  #checkpointedLength = -1;
  #closed = false;

  /**
   * Opens a new conversation, or the one that `id` names. Throws LogError `locked` if another process has it open,
   * LLMError if the model cannot be reached by what is configured, and Error for a tool that is not registered.
   */
  static async open(options: OpenOptions): Promise<Conversation> {
    const clock = options.clock ?? systemClock;
    const id = conversationId(options.id ?? clock.newId());
    const directory =
      options.conversationsDir === undefined ? null : conversationDirectory(options.conversationsDir, id);
    const resumed = directory !== null && existsSync(join(directory, 'events'));
    const agent = options.agent ?? storedAgent(directory);
    if (directory !== null) mkdirSync(join(directory, 'events'), { recursive: true });

    const modelOpened = openModel(agent.llm, options.llm);
    modelOpened.catch(() => undefined); // awaited below, after what can fail sooner
    const opened = await openLog(directory, options);
    let tools: ToolSet | null = null;
    try {
      const llm = await modelOpened;
      if (options.maxBudgetUsd !== undefined && options.allowUnpriced !== true) await refuseUnpriced(llm);
      tools = createToolSet(agent.tools, options.tools, {
        workspace: options.workspace,
        directory,
        vision: llm.model.vision,
      });
      const condenser = options.condenser ?? createCondenser(agent.condenser ?? DEFAULT_CONDENSER);
      const knowledge = options.knowledge ?? knowledgeOf(options, agent);
      const history = opened.fold(tools.render);
      const parts: Parts = {
        options,
        id,
        directory,
        resumed,
        agent,
        llm,
        condenser,
        knowledge,
        tools,
        ...opened,
        history,
      };
      const conversation = new Conversation(parts, clock);
      // The specification stands nowhere else: it must be there before the first event is.
      if (directory !== null && !resumed)
        await conversation.#saveBaseState(directory, options.durability ?? 'power');
      await conversation.#recorder.record(...recover(history, tools));
      return conversation;
    } catch (error) {
      await tools?.close();
      await opened.log.close();
      opened.lock?.release();
      throw error;
    }
  }

  private constructor(parts: Parts, clock: Clock) {
    this.#parts = parts;
    this.#recorder = new Recorder(parts.log, parts.history, clock);
    const { maxBudgetUsd, maxTokens, ledger: parent } = parts.options;
    this.#ledger = new Ledger({
      stats: parts.history.state.stats,
      limits: {
        ...(maxBudgetUsd === undefined ? {} : { maxCostUsd: maxBudgetUsd }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      },
      ...(parent === undefined ? {} : { parent }),
      onChange: () => this.#recorder.recordLatest(STATE_KEYS.stats, () => this.#ledger.takeStats()),
    });
    this.#hooks =
      parts.options.onlookers ??
      new Hooks(parts.options.hooks ?? {}, parts.id, {
        workspace: parts.options.workspace,
        llm: () => this.llm('prompt-hook'),
      });
    this.#llms.set(parts.llm.usageId, Promise.resolve(accounted(parts.llm, this.#ledger)));
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

  get agent(): Agent {
    return this.#parts.agent;
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
    const known = this.#llms.get(usageId);
    if (known !== undefined) return known;
    const { agent, options, llm } = this.#parts;
    const config = agent.llms?.[usageId];
    const own = config === undefined && options.llm !== undefined ? { ...llm, usageId } : undefined;
    const opened = openModel({ ...(config ?? agent.llm), usageId }, own).then((model) =>
      accounted(model, this.#ledger),
    );
    this.#llms.set(usageId, opened);
    opened.catch(() => this.#llms.delete(usageId));
    return opened;
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
   * does not let it pass.
   */
  async send(words: string | readonly Content[]): Promise<void> {
    const isEmpty = typeof words === 'string' ? words.trim() === '' : words.length === 0;
    if (isEmpty) throw new TypeError('an empty message cannot be sent');
    const awake = this.state.status === 'finished' || this.state.status === 'stuck';
    const said = typeof words === 'string' ? words : textOf(words);
    const verdict = await this.#hooks.on('UserPromptSubmit', { message: said });
    await this.#recorder.record(...verdict.events);
    if (verdict.refusal !== undefined) throw new MessageRefused(verdict.refusal);
    const { knowledge } = this.#parts;
    const [prompt, recall] = await Promise.all([
      this.#hasSystemPrompt() ? [] : this.#systemPrompt(),
      knowledge.forMessage(said, new Set(this.state.activatedSkills)),
    ]);
    await this.#recorder.record(
      ...[prompt].flat(),
      message('user', words, {
        ...recall,
        content: [...recall.content, ...verdict.additionalContext.map(text)],
      }),
      ...(awake ? [statusUpdate('idle')] : []),
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
    const { maxTimeMs } = this.#parts.options;
    const timer =
      maxTimeMs === undefined ? undefined : setTimeout(() => interrupt.abort(timeIsUp(maxTimeMs)), maxTimeMs);
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

  /** Stops now: the model request is dropped, a running command is interrupted. */
  interrupt(): void {
    this.#running?.interrupt.abort(new DOMException('interrupted by the user', 'AbortError'));
  }

  /** Agrees to the actions that wait; the next `run` carries them out. */
  async approve(): Promise<void> {
    for (const action of this.view.openActions()) this.#approved.add(action.id);
    if (this.state.status === 'waiting_for_confirmation') await this.#recorder.record(statusUpdate('idle'));
  }

  /** Refuses the actions that wait; the agent is told why at its next step. */
  async reject(reason = 'The user did not agree to this action.'): Promise<void> {
    const refused = this.view.openActions().map(
      (action): Draft => ({
        source: 'environment',
        tool_name: action.tool_name,
        tool_call_id: action.tool_call_id,
        rejection_reason: reason,
        rejection_source: 'user',
        action_id: action.id,
        kind: 'UserRejectObservation',
      }),
    );
    const waiting = this.state.status === 'waiting_for_confirmation';
    await this.#recorder.record(...refused, ...(waiting ? [statusUpdate('idle')] : []));
  }

  /**
   * A new conversation with the history up to and including event `at` (default: all of it), stored beside this one.
   * Returns its id; open it like any other.
   */
  async fork(options: { readonly at?: number } = {}): Promise<string> {
    const { directory, options: opened } = this.#parts;
    if (directory === null || opened.conversationsDir === undefined) {
      throw new Error('a conversation that is not stored cannot be forked');
    }
    await this.#recorder.settled();
    await this.#save();
    return await forkDirectory(directory, { ...options, conversationsDir: opened.conversationsDir });
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
    const { options, tools, log, lock } = this.#parts;
    this.interrupt();
    await this.#running?.outcome.catch(() => undefined); // whoever called run() has been told
    const toolsClosed = tools.close();
    try {
      if (this.#hasBegun) await this.#recorder.record(...(await this.#hooks.on('SessionEnd', {})).events);
      await this.#hooks.close();
      await this.#recorder.settled();
      await this.#save();
    } finally {
      await toolsClosed;
      await options.workspace.close();
      await log.close();
      lock?.release();
    }
  }

  async #run(signal: AbortSignal): Promise<Outcome> {
    const { options, agent, tools, history, id, directory } = this.#parts;
    const recorder = this.#recorder;
    const llm = await this.llm();
    await this.#begin();
    // Beside the first model request rather than before it: nothing waits for either.
    const beside = setTimeout(() => {
      if (directory !== null) void this.#saveBaseState(directory); // it tells of its failures by itself
      for (const tool of tools.tools) tool.prepare?.({ workspace: options.workspace });
    }, REQUEST_UNDER_WAY_MS);
    const outcome = await run({
      agent,
      history,
      recorder,
      tools,
      workspace: options.workspace,
      signal,
      llm: noticed(llm, recorder),
      toolSchemas: tools.tools.map((tool) => toolSchema(tool, llm.model.briefTools)),
      cacheKey: id,
      ...(options.stream === true ? { onDelta: (delta) => recorder.notify({ type: 'delta', delta }) } : {}),
      onRetry: (retry) => recorder.notify({ type: 'retry', retry }),
      onNote: (text) => recorder.notify({ type: 'warning', text }),
      onStart: (action) =>
        recorder.notify({ type: 'tool-start', toolName: action.tool_name, actionId: action.id }),
      onProgress: (action, progress) =>
        recorder.notify({ type: 'tool-progress', toolName: action.tool_name, text: progress }),
      ...this.#condenseDeps(),
      ledger: this.#ledger,
      limits: {
        maxIterations: options.maxIterations ?? 500,
        stuckDetection: options.stuckDetection ?? true,
      },
      confirmation: options.confirmation ?? NEVER_CONFIRM,
      approved: this.#approved,
      pauseRequested: () => this.#pauseRequested,
      enrich: (action, result) => this.#enriched(action, result),
      ...this.#hookDeps(signal),
      ...(options.execute === undefined ? {} : { execute: options.execute }),
      ...(options.onPrompt === undefined ? {} : { onPrompt: options.onPrompt }),
    }).finally(() => clearTimeout(beside));
    await this.#save();
    return outcome;
  }

  #condenseDeps() {
    const { agent, condenser } = this.#parts;
    const purpose =
      `${agent.llm.usageId ?? 'agent'}` === 'agent' ? 'condenser' : `${agent.llm.usageId}-condenser`;
    return { condenser, condenserLlm: () => this.llm(purpose), meter: this.#meter };
  }

  /**
   * Makes the history shorter now. False if there is nothing that could go. Rejects if a run is under way, or if the
   * condenser does not do so on request.
   */
  async condense(): Promise<boolean> {
    if (this.#running !== null) throw new Error('the conversation is running: pause it before condensing');
    if (!this.#parts.condenser.handlesRequests)
      throw new Error('the condenser of this conversation does not condense on request');
    await this.#recorder.record({ source: 'user', kind: 'CondensationRequest' });
    const { tools } = this.#parts;
    const llm = await this.llm();
    const prepared = await condense(this.view, {
      ...this.#condenseDeps(),
      llm,
      toolSchemas: tools.tools.map((tool) => toolSchema(tool, llm.model.briefTools)),
      signal: new AbortController().signal,
      onNote: (text) => this.#recorder.notify({ type: 'warning', text }),
    });
    if (prepared.kind === 'events') await this.#recorder.record(...prepared.events);
    await this.#save();
    return prepared.kind === 'events';
  }

  #hasSystemPrompt(): boolean {
    return this.view.events.some((event) => event.kind === 'SystemPromptEvent');
  }

  async #systemPrompt(): Promise<Draft> {
    const { options, agent, tools, knowledge } = this.#parts;
    const now = (options.clock ?? systemClock).now();
    return {
      source: 'agent',
      system_prompt: text(
        agent.systemPrompt ?? joinParts(await knowledge.staticPrompt(tools.tools.map(({ name }) => name))),
      ),
      tools: tools.tools.map(describeTool),
      dynamic_context: text(await knowledge.dynamicContext(now)),
      kind: 'SystemPromptEvent',
    };
  }

  /** Once, when the first run begins. */
  async #begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { events, additionalContext } = await this.#hooks.on('SessionStart', {});
    await this.#recorder.record(
      ...events,
      ...additionalContext.map((words) => message('environment', words)),
    );
  }

  #hookDeps(signal: AbortSignal): Pick<RunDeps, 'beforeTool' | 'afterTool' | 'onStop'> {
    const { hooks, onlookers } = this.#parts.options;
    if (hooks === undefined && onlookers === undefined) return {};
    return {
      beforeTool: ({ id, tool_name: toolName, action }) =>
        this.#hooks.on('PreToolUse', { toolName, toolInput: action, actionId: id }, signal),
      afterTool: async ({ id, tool_name: toolName, action }, result) => {
        const toolResponse = result.kind === 'ObservationEvent' ? result.observation : result;
        const occasion = { toolName, toolInput: action, toolResponse, actionId: id };
        const { events, additionalContext } = await this.#hooks.on('PostToolUse', occasion, signal);
        return [...events, ...additionalContext.map((words) => message('environment', words))];
      },
      onStop: async () => {
        const verdict = await this.#hooks.on('Stop', { metadata: { reason: 'finished' } }, signal);
        const feedback =
          verdict.refusal === undefined ? undefined : (verdict.additionalContext[0] ?? verdict.refusal);
        return { events: verdict.events, ...(feedback === undefined ? {} : { feedback }) };
      },
    };
  }

  /** A result with what is known of the file that it came of, told once. */
  async #enriched(action: ActionEvent, result: Draft): Promise<readonly Draft[]> {
    const path = action.action?.['path'];
    if (result.kind !== 'ObservationEvent' || typeof path !== 'string') return [result];
    const told = this.state.activatedPathRules;
    const { names, content } = await this.#parts.knowledge.forPath(path, new Set(told));
    if (names.length === 0) return [result];
    const enriched = { ...result, extended_content: [...(result.extended_content ?? []), ...content] };
    return [enriched, stateUpdate(STATE_KEYS.pathRules, [...told, ...names])];
  }

  /** What the finished run ended with. */
  #lastWords(): string {
    const last = this.view.messages().findLast((each) => each.role === 'assistant' || each.role === 'tool');
    return last?.content.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n') ?? '';
  }

  async #save(): Promise<void> {
    const { directory, log, history } = this.#parts;
    if (directory === null) return;
    await this.#saveBaseState(directory);
    if (this.#checkpointedLength === log.length) return;
    this.#checkpointedLength = log.length;
    await saveCheckpoint(directory, log, history);
  }

  #serializedState(): string {
    const { id, agent, options, directory } = this.#parts;
    return serializeBaseState({
      id,
      agent,
      workingDir: options.workspace.root,
      directory: directory ?? '',
      maxIterations: options.maxIterations ?? 500,
      stuckDetection: options.stuckDetection ?? true,
      confirmation: options.confirmation ?? NEVER_CONFIRM,
      state: this.state,
    });
  }

  /** Written only when it is out of date; never a reason for a run to fail, since the log has it all. */
  #saveBaseState(directory: string, durability: Durability = 'process'): Promise<void> {
    if (this.#savedState === this.state) return this.#saving;
    const source = this.#serializedState();
    this.#savedState = this.state;
    this.#saving = this.#saving
      .then(() => writeFileAtomic(join(directory, BASE_STATE_FILE), source, durability))
      .catch((error: unknown) => {
        this.#recorder.notify({
          type: 'warning',
          text: `${BASE_STATE_FILE} was not written: ${String(error)}`,
        });
      });
    return this.#saving;
  }
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

/** What a specification's context leads to. */
export function knowledgeOf(
  { workspace, onWarning }: Pick<OpenOptions, 'workspace' | 'onWarning'>,
  { context = {}, llm }: Pick<Agent, 'context' | 'llm'>,
): Knowledge {
  const path = homedir();
  return openKnowledge({
    workspace,
    context,
    model: llm.canonicalName ?? llm.model,
    warn: (text) => onWarning?.(text),
    ...(context.loadUserSkills === true ? { home: { path, files: openLocalWorkspace(path) } } : {}),
  });
}

/** A budget that cannot be kept would be no budget. */
async function refuseUnpriced(llm: LLM): Promise<void> {
  if (llm.pricing !== undefined && (await llm.pricing()) !== null) return;
  throw new LLMError(
    'LLMBadRequestError',
    `nobody knows what ${llm.model.name} costs, so a budget in USD cannot be kept`,
    {
      remedy:
        'Give its prices (input_cost_per_token, output_cost_per_token), limit tokens or steps instead, or allow calls without a price.',
    },
  );
}

/** The same model, with its calls announced. */
function noticed(llm: LLM, recorder: Recorder): LLM {
  return {
    ...llm,
    complete: async (prompt, options) => {
      recorder.notify({ type: 'model-start' });
      try {
        return await llm.complete(prompt, options);
      } finally {
        recorder.notify({ type: 'model-end' });
      }
    },
  };
}
