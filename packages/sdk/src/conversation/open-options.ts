import type { Agent } from '../agent/agent.ts';
import type { PromptNotice } from '../agent/ask.ts';
import type { AgentDefinition } from '../agent/definition.ts';
import type { ExecuteOptions } from '../agent/execute.ts';
import type { Knowledge } from '../context/knowledge.ts';
import type { Draft } from '../event/draft.ts';
import type { Clock } from '../event/identity.ts';
import type { ActionEvent } from '../event/kinds.ts';
import type { Ledger } from '../llm/accounts/ledger.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import type { LLM } from '../llm/llm.ts';
import type { Durability } from '../log/event-log.ts';
import { type ConfirmationPolicy, NEVER_CONFIRM } from '../security/confirmation.ts';
import type { Locks } from '../tool/locks.ts';
import type { ToolFactory } from '../tool/tool.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Consent, Waiting } from './delegation/delegate.ts';
import type { HookConfig } from './hooks/hook-config.ts';
import type { Onlookers } from './hooks/hooks.ts';
import type { AutoContinue } from './run/auto-continue.ts';
import type { Tags } from './store/base-state.ts';

/** Model calls of one run, unless `limits.maxIterations` says otherwise. */
export const DEFAULT_MAX_ITERATIONS = 500;

/** What a conversation is opened with. The groups travel whole: whoever opens conversations for others hands them on as they are. */
export interface OpenOptions {
  /** The specification of the agent. Required for a new conversation; in a resumed one it replaces the stored specification. */
  readonly agent?: Agent | undefined;
  /** Factories in which the names in `agent.tools` are looked up. */
  readonly tools: readonly ToolFactory[];
  /** Agents to which this one can delegate work. */
  readonly agents?: readonly AgentDefinition[] | undefined;
  /** Where the tools work. Owned by the conversation: `close` closes it, except in a sub-agent's conversation (`parent`). */
  readonly workspace: Workspace;
  readonly model?: ModelOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  readonly place?: PlaceOptions | undefined;
  readonly oversight?: OversightOptions | undefined;
  readonly recording?: RecordingOptions | undefined;
  /** The conversation that this one works for, as its sub-agent. */
  readonly parent?: ParentOptions | undefined;
  /** Replacements of the engine's parts, for tests and replays. */
  readonly standIns?: StandIns | undefined;
}

/** How the models are reached. */
export interface ModelOptions {
  /** A model that is open already. Default: made from `agent.llm`. */
  readonly llm?: LLM | undefined;
  /** Looks a stored model up by its name, for agents and calls that name one. */
  readonly profile?: ((name: string) => LlmConfig | undefined | Promise<LlmConfig | undefined>) | undefined;
  /** Asks the model for deltas and passes them to the listeners. Default false. */
  readonly stream?: boolean | undefined;
}

/** When a run ends although the agent has not finished. */
export interface LimitOptions {
  /** Model calls of one run. Default 500. */
  readonly maxIterations?: number | undefined;
  /** US dollars over the whole life of the conversation. A model without a price is refused, unless `allowUnpriced`. */
  readonly maxBudgetUsd?: number | undefined;
  /** Prompt and completion tokens over the whole life of the conversation. */
  readonly maxTokens?: number | undefined;
  /** Milliseconds of one run; whatever is in progress then is interrupted. */
  readonly maxTimeMs?: number | undefined;
  /** Counts calls whose price is unknown as free instead of refusing them. Default false. */
  readonly allowUnpriced?: boolean | undefined;
  /** Ends a run that goes round in circles. Default true. */
  readonly stuckDetection?: boolean | undefined;
}

/** Where the conversation is stored, and under which names. */
export interface PlaceOptions {
  /** The folder of all conversations; each has a folder in it, named by its id. Default: nothing is stored. */
  readonly conversationsDir?: string | undefined;
  /** UUID, with or without hyphens. A conversation that is stored under it is resumed. Default: a new id. */
  readonly id?: string | undefined;
  /** Labels by which the conversation can be found; added to those that it already has. */
  readonly tags?: Tags | undefined;
  /** What an event on disk survives. Default `power`. */
  readonly durability?: Durability | undefined;
}

/** Who watches the agent, consents to its actions and answers it. */
export interface OversightOptions {
  /** Which actions need a person's consent. Default: as in the stored conversation, in a new one none. */
  readonly confirmation?: ConfirmationPolicy | undefined;
  /** Asked for the consent that a sub-agent needs. Default: such calls are refused. */
  readonly onConfirmation?: ((waiting: Waiting) => Promise<Consent>) | undefined;
  /** Commands that are run when something happens, and that may refuse it. */
  readonly hooks?: HookConfig | undefined;
  /** What is sent in the user's place when the agent speaks instead of calling a tool. Default false: the run ends. */
  readonly autoContinue?: AutoContinue | undefined;
}

/** What is written down, and what the caller hears of it besides the events. */
export interface RecordingOptions {
  /** Values that are masked in every event before it is stored or shown. Those shorter than 6 characters are not. */
  readonly secrets?: readonly string[] | undefined;
  /** Called with each prompt before it is sent. */
  readonly onPrompt?: ((prompt: PromptNotice) => void) | undefined;
  /** Called with warnings that belong to no run, for instance that a file was set aside. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** What a sub-agent's conversation shares with the one that it works for. */
export interface ParentOptions {
  /** Whatever is spent here is spent there too. */
  readonly ledger?: Ledger | undefined;
  readonly locks?: Locks | undefined;
  /** How many conversations are above this one. Default 0. */
  readonly depth?: number | undefined;
}

/** Parts of the engine that are replaced. */
export interface StandIns {
  /** Replaces the system's time and random ids. */
  readonly clock?: Clock | undefined;
  /** Replaces the execution of actions. */
  readonly execute?: ((action: ActionEvent, options: ExecuteOptions) => Promise<Draft>) | undefined;
  /** Replaces when the model is told how many turns are left. */
  readonly tellsTurnsLeft?: (() => boolean) | undefined;
  /** Replaces how the tools have changed: what the model is told, or null. */
  readonly toolChange?: (() => string | null) | undefined;
  /** Replaces the words of what the engine itself says, before it is stored. */
  readonly reword?: ((draft: Draft) => Draft) | undefined;
  /** Replaces what `oversight.hooks` leads to. */
  readonly onlookers?: Onlookers | undefined;
  /** Replaces what `agent.context` leads to. */
  readonly knowledge?: Knowledge | undefined;
  /** Replaces the condenser that `agent.condenser` names. */
  readonly condenser?: Condenser | undefined;
}

/** The options with every group present and the defaults of limits and consent filled in. */
export interface Settings extends Required<Omit<OpenOptions, 'agent' | 'agents'>> {
  readonly agent: Agent | undefined;
  readonly agents: readonly AgentDefinition[];
  readonly model: ModelOptions;
  readonly limits: LimitOptions & { readonly maxIterations: number; readonly stuckDetection: boolean };
  readonly place: PlaceOptions;
  readonly oversight: OversightOptions & { readonly confirmation: ConfirmationPolicy };
  readonly recording: RecordingOptions;
  readonly parent: ParentOptions & { readonly depth: number };
  readonly standIns: StandIns;
}

export function settingsOf(options: OpenOptions): Settings {
  const { agent, tools, agents = [], workspace } = options;
  const { model = {}, limits = {}, place = {}, oversight = {}, recording = {} } = options;
  const { parent = {}, standIns = {} } = options;
  const { maxIterations = DEFAULT_MAX_ITERATIONS, stuckDetection = true } = limits;
  return {
    ...{ agent, tools, agents, workspace, model, place, recording, standIns },
    limits: { ...limits, maxIterations, stuckDetection },
    oversight: { ...oversight, confirmation: oversight.confirmation ?? NEVER_CONFIRM },
    parent: { ...parent, depth: parent.depth ?? 0 },
  };
}
