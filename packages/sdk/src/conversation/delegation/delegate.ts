/** Work that an agent delegates to another, in a conversation of its own, stored below the parent's. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../agent/agent.ts';
import { type AgentDefinition, specialise } from '../../agent/definition.ts';
import { textOf } from '../../event/content.ts';
import type { ActionEvent } from '../../event/kinds.ts';
import type { Ledger } from '../../llm/accounts/ledger.ts';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import type { LLM } from '../../llm/llm.ts';
import { type ConfirmationPolicy, NEVER_CONFIRM } from '../../security/confirmation.ts';
import type { Locks } from '../../tool/locks.ts';
import { type Delegated, type Delegation, ToolError, type ToolFactory } from '../../tool/tool.ts';
import { defined } from '../../value/defined.ts';
import type { View } from '../../view/view.ts';
import { type Hook, type HookConfig, mergeHooks, parseHookConfig } from '../hooks/hook-config.ts';
import { DEFAULT_MAX_ITERATIONS, type OpenOptions, type Settings } from '../open-options.ts';
import type { ModelCall } from '../run/model-calls.ts';
import type { Listener } from '../run/recorder.ts';
import { unlessAborted } from '../run/unless-aborted.ts';
import type { Outcome } from '../state/status.ts';
import { conversationDirectory } from '../store/location.ts';
import { storedTags } from '../store/open.ts';

/** How many levels deep agents may delegate. */
const MAX_DEPTH = 3;

/** Calls of a sub-agent that wait for a person's consent. */
export interface Waiting {
  /** The sub-agent's conversation. */
  readonly conversationId: string;
  readonly task: string;
  readonly actions: readonly ActionEvent[];
}

export type Consent = 'approve' | { readonly reject: string };

/** The part of a sub-agent's conversation that is used here. */
interface Worker {
  readonly id: string;
  readonly view: View;
  send(words: string): Promise<void>;
  run(): Promise<Outcome>;
  approve(): Promise<void>;
  reject(reason: string): Promise<void>;
  interrupt(): void;
  subscribe(listener: Listener): () => void;
  close(): Promise<void>;
}

export interface DelegateDeps {
  readonly id: string;
  readonly directory: string | null;
  readonly agent: Agent;
  /** A sub-agent has the model that the agent has when it delegates. */
  readonly models: { readonly main: LLM; readonly current: LlmConfig };
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly locks: Locks;
  readonly open: (options: OpenOptions) => Promise<Worker>;
  /** Hears of each call to a sub-agent's model. */
  readonly onCall?: ((call: ModelCall) => void) | undefined;
}

/** The sub-agents of one conversation. */
export class Delegations {
  readonly #deps: DelegateDeps;
  readonly #underWay = new Set<Promise<Delegated>>();
  #count = 0;

  constructor(deps: DelegateDeps) {
    this.#deps = deps;
  }

  /** Resolves when all sub-agents have closed, including those of calls that were abandoned. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Runs a sub-agent. Rejects with ToolError for an unknown agent or task. Its costs count here as they arise. */
  async run(request: Delegation): Promise<Delegated> {
    const definition = this.#definitionOf(request.agent);
    const hooks = hooksOf(this.#deps.settings.oversight.hooks, definition.hooks);
    return await this.#noted(this.#work(definition, request, hooks));
  }

  /** Runs an agent for a hook, without hooks of its own: they would recurse. */
  async investigate(hook: Hook, prompt: string, signal: AbortSignal): Promise<string> {
    const { name = 'hook', tools = [], systemPrompt, maxIterations } = hook;
    const definition: AgentDefinition = {
      name,
      description: 'Looks into what a hook asks.',
      tools: tools.map((tool) => ({ name: tool, params: {} })),
      ...defined({ instructions: systemPrompt, maxIterations }),
    };
    const request = { agent: name, prompt, signal, onProgress: () => undefined };
    return (await this.#noted(this.#work(definition, request))).words;
  }

  async #noted(work: Promise<Delegated>): Promise<Delegated> {
    this.#underWay.add(work);
    return await work.finally(() => this.#underWay.delete(work));
  }

  async #work(definition: AgentDefinition, request: Delegation, hooks?: HookConfig): Promise<Delegated> {
    const { task, id } = this.#taskOf(request.resume);
    const options = await this.#optionsOf(definition, task, id, hooks);
    const worker = await this.#deps.open(options);
    const onAbort = () => worker.interrupt();
    const unsubscribe = worker.subscribe({
      onNotice: (notice) => {
        if (notice.type === 'tool-start') request.onProgress(`${task}: ${notice.toolName}`);
        else if (notice.type === 'model-call') this.#deps.onCall?.(notice.call);
      },
    });
    try {
      request.signal.throwIfAborted();
      request.signal.addEventListener('abort', onAbort, { once: true });
      await worker.send(request.prompt);
      const outcome = await this.#runToItsEnd(worker, task, request.signal, options.limits?.maxIterations);
      request.signal.throwIfAborted();
      return { task, agent: definition.name, ...resultOf(outcome, worker.view) };
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      unsubscribe();
      await worker.close();
    }
  }

  #definitionOf(name: string): AgentDefinition {
    const agents = subAgents(this.#deps.settings.agents);
    const found = agents.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new ToolError(
      `There is no agent "${name}". Available agents: ${agents.map((each) => each.name).join(', ') || 'none'}.`,
    );
  }

  #taskOf(resume: string | undefined): { readonly task: string; readonly id: string } {
    const { directory } = this.#deps;
    const named = (task: string) => ({ task, id: taskConversationId(this.#deps.id, task) });
    const isStored = (id: string) => directory !== null && existsSync(folderOf(directory, id));
    if (resume !== undefined) {
      if (isStored(named(resume).id)) return named(resume);
      throw new ToolError(
        directory === null
          ? 'This conversation is not stored, so tasks cannot be resumed. Start a new task.'
          : `There is no task "${resume}". Tasks that can be resumed: ${storedTasks(directory).join(', ') || 'none'}.`,
      );
    }
    do this.#count += 1;
    while (isStored(named(taskName(this.#count)).id));
    return named(taskName(this.#count));
  }

  async #optionsOf(
    definition: AgentDefinition,
    task: string,
    id: string,
    hooks: HookConfig | undefined,
  ): Promise<OpenOptions> {
    const { directory, settings, ledger, locks } = this.#deps;
    const { tools, agents, workspace, limits, oversight } = settings;
    const depth = settings.parent.depth + 1;
    const { agent, llm } = await this.#modelOf(definition, task);
    const { maxIterations = limits.maxIterations, maxBudgetUsd } = definition;
    const { allowUnpriced, stuckDetection } = limits;
    const { profile } = settings.model;
    const { durability } = settings.place;
    const { secrets, onWarning } = settings.recording;
    return {
      agent: depth < MAX_DEPTH ? agent : withoutDelegation(agent, tools),
      ...{ tools, agents, workspace },
      model: { llm, profile },
      limits: { maxIterations, maxBudgetUsd, allowUnpriced, stuckDetection },
      place: {
        conversationsDir: directory === null ? undefined : join(directory, SUBAGENTS),
        id,
        tags: { parent: this.#deps.id, task },
        durability,
      },
      oversight: {
        confirmation: stricter(oversight.confirmation, definition.confirmation ?? NEVER_CONFIRM),
        onConfirmation: oversight.onConfirmation,
        hooks,
      },
      recording: { secrets, onWarning },
      parent: { ledger, locks, depth },
      standIns: { clock: settings.standIns.clock },
    };
  }

  /** The definition's model, else the one for delegation, else the parent's; its account is named after the task. */
  async #modelOf(
    definition: AgentDefinition,
    task: string,
  ): Promise<{ readonly agent: Agent; readonly llm?: LLM }> {
    const { agent: parent, models, settings } = this.#deps;
    const usageId = `task:${task}`;
    const { systemPrompt: _, ...base } = parent;
    const profile =
      definition.model === undefined ? undefined : await settings.model.profile?.(definition.model);
    if (definition.model !== undefined && profile === undefined)
      throw new ToolError(
        `The agent ${definition.name} needs the model profile "${definition.model}", which does not exist.`,
      );
    const config = profile ?? parent.llms?.['delegate'];
    const llm = { ...(config ?? models.current), usageId };
    const agent = specialise({ ...base, llm }, definition, settings.tools);
    return config === undefined ? { agent, llm: { ...models.main, usageId } } : { agent };
  }

  /**
   * A sub-agent never approves its own actions: without a person to ask, they are rejected. However often it asks, it takes no more steps
   * than one run may have. Rejects with the signal's reason.
   */
  async #runToItsEnd(
    worker: Worker,
    task: string,
    signal: AbortSignal,
    maxAnswers = DEFAULT_MAX_ITERATIONS,
  ): Promise<Outcome> {
    for (let answers = 0; ; answers += 1) {
      signal.throwIfAborted(); // between two runs nothing else checks the signal
      const outcome = await worker.run();
      if (outcome.kind !== 'waiting') return outcome;
      if (answers >= maxAnswers) return tooManyAnswers(answers);
      const consent = await this.#consentTo(worker, task, signal);
      if (consent === 'approve') await worker.approve();
      else await worker.reject(consent.reject);
    }
  }

  /** Rejects with the signal's reason: an interrupt does not wait for the person who is asked. */
  async #consentTo({ id, view }: Worker, task: string, signal: AbortSignal): Promise<Consent> {
    const { onConfirmation } = this.#deps.settings.oversight;
    if (onConfirmation === undefined) return { reject: NOBODY };
    const asked = onConfirmation({ conversationId: id, task, actions: view.openActions() });
    return await unlessAborted(asked, signal);
  }
}

function tooManyAnswers(answers: number): Outcome {
  const detail = `It asked for consent more than ${answers} times, which is the limit of one run.`;
  return { kind: 'limit', code: 'MaxIterationsReached', detail };
}

const NOBODY =
  'This action needs the consent of a user, and no user is available. Use another approach, or skip this step.';
const SUBAGENTS = 'subagents';

/** The agents that other agents may select. */
export function subAgents(agents: readonly AgentDefinition[] = []): readonly AgentDefinition[] {
  return agents.filter(({ isForUsers }) => isForUsers !== true);
}

function withoutDelegation(agent: Agent, registry: readonly ToolFactory[]): Agent {
  const delegates = new Set(registry.flatMap((tool) => (tool.delegates === true ? [tool.name] : [])));
  return { ...agent, tools: agent.tools.filter(({ name }) => !delegates.has(name)) };
}

const STRICTNESS: { readonly [K in ConfirmationPolicy['kind']]: number } = {
  NeverConfirm: 0,
  ConfirmRisky: 1,
  AlwaysConfirm: 2,
};

/** A definition may require more consent than the user does, never less. */
function stricter(first: ConfirmationPolicy, second: ConfirmationPolicy): ConfirmationPolicy {
  return STRICTNESS[second.kind] > STRICTNESS[first.kind] ? second : first;
}

function hooksOf(own: HookConfig | undefined, defined: unknown): HookConfig | undefined {
  if (defined === undefined) return own;
  return mergeHooks(own ?? {}, parseHookConfig(defined));
}

function taskName(number: number): string {
  return `task_${number.toString(16).padStart(8, '0')}`;
}

/** The same for the same task of a conversation, so that it is found without an index. */
function taskConversationId(parent: string, task: string): string {
  return createHash('sha256').update(`${parent}/${task}`).digest('hex').slice(0, 32);
}

function folderOf(directory: string, id: string): string {
  return conversationDirectory(join(directory, SUBAGENTS), id);
}

function storedTasks(directory: string): readonly string[] {
  try {
    const folder = join(directory, SUBAGENTS);
    return readdirSync(folder)
      .flatMap((id) => storedTags(join(folder, id))['task'] ?? [])
      .toSorted();
  } catch {
    return []; // nothing was delegated
  }
}

function resultOf(outcome: Outcome, view: View): Pick<Delegated, 'status' | 'words'> {
  if (outcome.kind === 'finished') return { status: 'completed', words: outcome.message };
  const why = 'detail' in outcome ? `${outcome.kind}: ${outcome.detail}` : outcome.kind;
  const said = view
    .messages()
    .findLast(({ role, content }) => role === 'assistant' && textOf(content).trim() !== '');
  const partial = said === undefined ? '' : `\nIts last message: ${textOf(said.content)}`;
  return { status: 'error', words: `The agent did not finish (${why}).${partial}` };
}
