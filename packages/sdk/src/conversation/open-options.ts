import type { Agent } from '../agent/agent.ts';
import type { AgentDefinition } from '../agent/definition.ts';
import type { ExecuteOptions } from '../agent/execute.ts';
import type { PromptNotice } from '../agent/step.ts';
import type { Knowledge } from '../context/knowledge.ts';
import type { Draft } from '../event/draft.ts';
import type { Clock } from '../event/identity.ts';
import type { ActionEvent } from '../event/kinds.ts';
import type { Ledger } from '../llm/accounts/ledger.ts';
import type { LlmConfig } from '../llm/config/config.ts';
import type { LLM } from '../llm/llm.ts';
import type { Durability } from '../log/event-log.ts';
import type { ConfirmationPolicy } from '../security/confirmation.ts';
import type { Locks } from '../tool/locks.ts';
import type { ToolFactory } from '../tool/tool.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Consent, Waiting } from './delegation/delegate.ts';
import type { HookConfig } from './hooks/hook-config.ts';
import type { Onlookers } from './hooks/hooks.ts';
import type { AutoContinue } from './run/auto-continue.ts';
import type { Tags } from './store/base-state.ts';

/** Model calls of one run, if nobody says otherwise. */
export const DEFAULT_MAX_ITERATIONS = 500;

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
  /** Owned by the conversation: `close` closes it, unless the conversation works for another (`depth`). */
  readonly workspace: Workspace;
  /** Absent: nothing is stored. */
  readonly conversationsDir?: string;
  /** UUID, with or without hyphens; a folder that exists is resumed. Default: a new one. */
  readonly id?: string;
  /** Names, and what it belongs to; added to those that the conversation has. */
  readonly tags?: Tags;
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
  /** Default false: a run ends when the agent speaks instead of calling a tool. */
  readonly autoContinue?: AutoContinue;
  /** Default true. */
  readonly stuckDetection?: boolean;
  /** Default: nobody is asked. */
  readonly confirmation?: ConfirmationPolicy;
  /** Ask the model for deltas, and tell them to the listeners. */
  readonly stream?: boolean;
  readonly clock?: Clock;
  /** In place of carrying actions out, for replays. */
  readonly execute?: (action: ActionEvent, options: ExecuteOptions) => Promise<Draft>;
  /** Told of each prompt before it is sent. */
  readonly onPrompt?: (prompt: PromptNotice) => void;
  /** Programs that look on, and may refuse. */
  readonly hooks?: HookConfig;
  /** In place of what `hooks` leads to, for replays. */
  readonly onlookers?: Onlookers;
  /** Agents that work can be handed to. */
  readonly agents?: readonly AgentDefinition[];
  /** A stored model by its name. */
  readonly profile?: (name: string) => LlmConfig | undefined | Promise<LlmConfig | undefined>;
  /** Asked for the consent that a sub-agent needs; absent: such calls are refused. */
  readonly onConfirmation?: (waiting: Waiting) => Promise<Consent>;
  /** How many conversations stand above this one; default 0. */
  readonly depth?: number;
  /** Of the conversation that this one works for. */
  readonly locks?: Locks;
  /** Hidden in every event, wherever they stand, before it is stored or anybody sees it; shorter than 6 characters: not. */
  readonly secrets?: readonly string[];
  /** Told of files that were set aside and the like. */
  readonly onWarning?: (text: string) => void;
}
