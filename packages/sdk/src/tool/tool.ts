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

/** What a tool gets besides its input. */
export interface ToolContext {
  /** The provider's id of the call. */
  readonly callId: string;
  /** Whether a person has approved this call. */
  readonly isApproved: boolean;
  readonly workspace: Workspace;
  /** Aborted when the user interrupts. The tool must then return or throw soon and leave nothing half-done. */
  readonly signal: AbortSignal;
  /** Shows progress to people; it is neither stored nor sent to the model. */
  readonly onProgress: (text: string) => void;
  /**
   * Shows people what the call prints while it runs; it is neither stored nor sent to the model. May be called with any amount of text, as
   * often as there is some: it is masked and passed on in bounded pieces.
   */
  readonly onOutput: (text: string) => void;
  /** Condenses the history before the next request to the model. */
  readonly requestCondensation: () => void;
  readonly conversation: ToolConversation;
}

/** What a tool gets when it is asked whether a call needs approval. */
export type ApprovalCheck = Pick<ToolContext, 'callId' | 'signal'>;

/** What a tool can use of its conversation. */
export interface ToolConversation {
  readonly id: string;
  /** What a tool keeps beside the conversation; null if nothing is stored. */
  readonly files: ConversationFiles | null;
  /**
   * The model that the specification names for a purpose, otherwise that of the profile, otherwise the agent's; it has an account of its
   * own. Throws ToolError for an unknown profile.
   */
  llm(usageId: string, profile?: string): Promise<LLM>;
  /** Switches the agent's model from its next turn on and returns the model's name. Throws ToolError for an unknown profile. */
  useModel(profile: string): Promise<string>;
  /** The skill with a name. Throws ToolError that lists the names if there is none. */
  skill(name: string): Promise<{ readonly content: string; readonly source?: string }>;
  /** Addresses (or data URLs) of the images in the user's latest message that contains any. */
  images(): readonly string[];
  /** Delegates work to another agent and waits for it. Throws ToolError for an unknown agent or task. */
  delegate(work: Delegation): Promise<Delegated>;
}

/** Work for another agent. */
export interface Delegation {
  /** The name of its definition. */
  readonly agent: string;
  readonly prompt: string;
  /** The id of a task to resume, such as `task_00000001`; absent: a new task. */
  readonly resume?: string;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** The result of delegated work. */
export interface Delegated {
  readonly task: string;
  readonly agent: string;
  readonly status: 'completed' | 'error';
  /** Its final message, or why it failed and how far it got. */
  readonly words: string;
}

/** Input with a foreign JSON Schema, which is passed to the model unchanged. */
export interface ForeignInput<Input extends object> {
  /** The schema of an object. */
  readonly jsonSchema: { readonly [key: string]: unknown };
  /** Whether a null argument is passed on as null; otherwise it counts as absent. */
  readonly keepsNulls?: boolean;
  /** Throws ToolError that names each invalid parameter, never a value. */
  parse(args: object): Input;
}

/**
 * A tool: one thing that the agent can do. `Input` is what its schema returns; `Output` is the stored observation without its `kind`.
 */
export interface Tool<Input extends object = object, Output extends ObservationBody = ObservationBody>
  extends ToolTraits {
  /** The name by which the model calls it, e.g. `terminal`. */
  readonly name: string;
  /** Class names on the wire, e.g. `TerminalTool`, `TerminalAction`, `TerminalObservation`. */
  readonly kind: { readonly tool: string; readonly action: string; readonly observation: string };
  readonly description: string;
  /** At most 1,024 characters, for models that work as well with less; default: the description itself. */
  readonly briefDescription?: string;
  readonly input: z.ZodType<Input> | ForeignInput<Input>;
  /** The action is stored as `{data: <input>, kind}`, so that a parameter may have any name, even `kind`. */
  readonly wrapsInput?: boolean;
  readonly annotations: ToolAnnotations;
  /** Keys (`file:<path>`, `terminal:session`) that a call must hold exclusively; default: the whole tool. */
  resources?(input: Input): readonly string[];
  /**
   * Whether a person has to approve this call, whatever the confirmation policy says. The run then waits for confirmation before any
   * call of the turn is executed. A check that throws counts as yes.
   */
  needsApproval?(input: Input, call: ApprovalCheck): boolean | Promise<boolean>;
  /** Throws ToolError for what the model can correct; any other error is a bug of the tool. */
  run(input: Input, context: ToolContext): Promise<Output>;
  /** What the model sees of a stored observation; default: the error header if it is one, then its content. */
  render?(observation: Observation): readonly Content[];
  /** What people see in place of the call's arguments and its result; may have several lines. */
  readonly show?: ToolShow<Input>;
  /** Additional fields of its description in the SystemPromptEvent (`mcp_tool`, `input_schema`). */
  readonly describe?: Partial<ToolDescription>;
  /**
   * Called once, while the first answer of the model is awaited: starts what the first call will need. A failure is only a warning; the
   * call itself reports it to the model.
   */
  prepare?(context: Pick<ToolContext, 'workspace'>): void | Promise<void>;
  close?(): Promise<void>;
}

/** How a tool presents calls and results to people. The functions are pure; one that throws counts as absent. */
export interface ToolShow<Input extends object = object> {
  call?(input: Input): string;
  result?(observation: Observation): string;
}

/** The observation of a tool as it is stored, without its `kind`. */
export interface ObservationBody {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly [key: string]: unknown;
}

/** What a factory gets to create the tools of one conversation. */
export interface ToolEnvironment {
  readonly workspace: Workspace;
  /** What the tools keep beside the conversation (full outputs, task lists); null if nothing is stored. */
  readonly files: ConversationFiles | null;
  /** Whether the model can see images. */
  readonly vision: boolean;
  /** The most characters of a text in an observation that the model is shown. Default, and with 30,000: the tools' own limits. */
  readonly maxResultChars?: number | undefined;
  /** Called with what is missing or cannot be reached; the tool then works without it, or is left out. */
  readonly onWarning: (text: string) => void;
  /** The tools are only described and only check arguments: nothing may be started or contacted. */
  readonly inert?: boolean;
  /** The tools as the conversation's system prompt describes them, if it has one; used when `inert`, since servers cannot be asked then. */
  readonly described?: readonly ToolDescription[];
  /** The agents that work can be delegated to. */
  readonly agents?: readonly { readonly name: string; readonly description: string }[];
  /** The names of the tools that precede this one in the specification; never rejects. */
  readonly taken?: Promise<readonly string[]>;
  /** Replaces the tools that this factory created, for tools that come and go. Throws an Error for a name that is taken. */
  readonly replaceTools?: (tools: readonly Tool[]) => void;
  /** Registers a function that is called once when the tools are closed, even if none are left. */
  readonly onClose?: (close: () => Promise<void>) => void;
}

/** Creates tools; it is registered under the name that an agent's specification uses. */
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

/** Thrown for a call that cannot be executed as requested; the message goes to the model. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/** Whether the input has a foreign JSON Schema. */
export function isForeignInput<Input extends object>(
  input: Tool<Input>['input'],
): input is ForeignInput<Input> {
  return 'jsonSchema' in input;
}
