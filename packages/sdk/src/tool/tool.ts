import type * as z from 'zod';
import type { Content } from '../event/content.ts';
import type { Observation, ToolDescription } from '../event/kinds.ts';
import type { LLM } from '../llm/llm.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ConversationFiles } from './conversation-files.ts';
import type { ToolTraits } from './traits.ts';

/** Hints for policies and people, as MCP defines them (2025-06-18); wire names. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool is given besides its input. */
export interface ToolContext {
  /** The provider's identifier of the call. */
  readonly callId: string;
  readonly workspace: Workspace;
  /** Aborted when the user interrupts. A tool then returns or throws soon, and leaves nothing half-done. */
  readonly signal: AbortSignal;
  /** Something to show while it runs; never stored, never sent to the model. */
  readonly onProgress: (text: string) => void;
  /** Has the history condensed before the model is asked again. */
  readonly requestCondensation: () => void;
  readonly conversation: ToolConversation;
}

/** What a tool may ask of the conversation that it works for. */
export interface ToolConversation {
  readonly id: string;
  /** What a tool keeps beside the conversation; null if nothing is stored. */
  readonly files: ConversationFiles | null;
  /**
   * The model that the specification names for a purpose, else that of the profile, else the agent's; with an account of its
   * own. Throws ToolError for a profile that there is not.
   */
  llm(usageId: string, profile?: string): Promise<LLM>;
  /** The agent's model from its next turn on. Resolves to its name. Throws ToolError for a profile that there is not. */
  useModel(profile: string): Promise<string>;
  /** What is known under a name. Throws ToolError with the names that there are. */
  skill(name: string): Promise<{ readonly content: string; readonly source?: string }>;
  /** Addresses (or data URLs) of the images in the user's latest message that has any. */
  images(): readonly string[];
  /** Has another agent do a piece of work, and waits for it. Throws ToolError for an agent or a task that there is not. */
  delegate(work: Delegation): Promise<Delegated>;
}

/** Work for another agent. */
export interface Delegation {
  /** Name of a definition. */
  readonly agent: string;
  readonly prompt: string;
  /** A task that goes on, such as `task_00000001`; absent: a new one. */
  readonly resume?: string;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

export interface Delegated {
  readonly task: string;
  readonly agent: string;
  readonly status: 'completed' | 'error';
  /** What it ended with, or why it did not, and how far it came. */
  readonly words: string;
}

/** Input whose schema is somebody else's: the model is told of it as it is. */
export interface ForeignInput<Input extends object> {
  /** Of an object. */
  readonly jsonSchema: { readonly [key: string]: unknown };
  /** Whether a parameter that is null is given as null, and is not as good as absent. */
  readonly keepsNulls?: boolean;
  /** Throws ToolError naming each parameter that is wrong, and never a value. */
  parse(args: object): Input;
}

/**
 * One thing that the agent can do. `Input` is what its schema yields; `Output` is the observation as it is stored,
 * without its `kind`.
 */
export interface Tool<Input extends object = object, Output extends ObservationBody = ObservationBody>
  extends ToolTraits {
  /** The name that the model calls it by, e.g. `terminal`. */
  readonly name: string;
  /** Class names on the wire, e.g. `TerminalTool`, `TerminalAction`, `TerminalObservation`. */
  readonly kind: { readonly tool: string; readonly action: string; readonly observation: string };
  readonly description: string;
  /** At most 1,024 characters, for models that do no better with more; default: the description itself. */
  readonly briefDescription?: string;
  readonly input: z.ZodType<Input> | ForeignInput<Input>;
  /** The action is stored as `{data: <input>, kind}`, so that a parameter may have any name, `kind` too. */
  readonly wrapsInput?: boolean;
  readonly annotations: ToolAnnotations;
  /** Keys (`file:<path>`, `terminal:session`) that a call must hold alone; default: the whole tool. */
  resources?(input: Input): readonly string[];
  /** Throws ToolError for what the model can correct; anything else thrown is a fault of the tool. */
  run(input: Input, context: ToolContext): Promise<Output>;
  /** What the model sees of a stored observation; default: the error header if it is one, then its content. */
  render?(observation: Observation): readonly Content[];
  /** What people see in the place of the call's arguments and of its whole result; may be of several lines. */
  readonly show?: ToolShow<Input>;
  /** What stands in a SystemPromptEvent besides the usual (`mcp_tool`, `input_schema`). */
  readonly describe?: Partial<ToolDescription>;
  /**
   * Called once, while the model is first waited for: the time to start what the first call will need. A failure is a warning:
   * the call itself tells it to the model.
   */
  prepare?(context: Pick<ToolContext, 'workspace'>): void | Promise<void>;
  close?(): Promise<void>;
}

/** A tool's own way of telling people what happens; pure, and safe for what other versions of the tool have stored. */
export interface ToolShow<Input extends object = object> {
  call?(input: Input): string;
  result?(observation: Observation): string;
}

export interface ObservationBody {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly [key: string]: unknown;
}

/** Where the tools of one conversation are made. */
export interface ToolEnvironment {
  readonly workspace: Workspace;
  /** What the tools keep beside the conversation (full outputs, task lists); null if nothing is stored. */
  readonly files: ConversationFiles | null;
  /** Whether the model can see images. */
  readonly vision: boolean;
  /** Told of what is missing or cannot be reached; the tool then does without, or is left out. */
  readonly onWarning: (text: string) => void;
  /** The tools are there to be described and to check arguments: nothing may be started or contacted. */
  readonly inert?: boolean;
  /** What the conversation's system prompt says of its tools, if it has one: what cannot be asked for when `inert`. */
  readonly described?: readonly ToolDescription[];
  /** Agents that work can be handed to. */
  readonly agents?: readonly { readonly name: string; readonly description: string }[];
  /** Names of the tools that come before it in the specification; never rejects. */
  readonly taken?: Promise<readonly string[]>;
  /** For tools that come and go: puts others in the place of those that this factory made. Throws an Error for a name that is taken. */
  readonly replaceTools?: (tools: readonly Tool[]) => void;
  /** Called once when the tools are closed, even if by then there are none. */
  readonly onClose?: (close: () => Promise<void>) => void;
}

/** What is registered under a name; an agent's specification names it. */
export interface ToolFactory {
  readonly name: string;
  /** Every agent has it, even one whose definition lists other tools only. */
  readonly isEssential?: boolean;
  /** It hands work to other agents; an agent at the deepest level of delegation does not get it. */
  readonly delegates?: boolean;
  create(
    environment: ToolEnvironment,
    params: { readonly [key: string]: unknown },
  ): readonly Tool[] | Promise<readonly Tool[]>;
}

/** A call that cannot be carried out as it was asked for; the message goes to the model. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/** Whether a schema is somebody else's. */
export function isForeignInput<Input extends object>(
  input: Tool<Input>['input'],
): input is ForeignInput<Input> {
  return 'jsonSchema' in input;
}
