import type * as z from 'zod';
import type { Content } from '../event/content.ts';
import type { Observation } from '../event/kinds.ts';
import type { Workspace } from '../workspace/workspace.ts';

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
  readonly workspace: Workspace;
  /** Aborted when the user interrupts. A tool then returns or throws soon, and leaves nothing half-done. */
  readonly signal: AbortSignal;
  /** Something to show while it runs; never stored, never sent to the model. */
  readonly onProgress: (text: string) => void;
  /** Has the history condensed before the model is asked again. */
  readonly requestCondensation: () => void;
}

/**
 * One thing that the agent can do. `Input` is what its schema yields; `Output` is the observation as it is stored,
 * without its `kind`.
 */
export interface Tool<Input extends object = object, Output extends ObservationBody = ObservationBody> {
  /** The name that the model calls it by, e.g. `terminal`. */
  readonly name: string;
  /** Class names on the wire, e.g. `TerminalTool`, `TerminalAction`, `TerminalObservation`. */
  readonly kind: { readonly tool: string; readonly action: string; readonly observation: string };
  readonly description: string;
  /** At most 1,024 characters, for models that do no better with more; default: the description itself. */
  readonly briefDescription?: string;
  readonly input: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  /** A successful call of it ends the run. */
  readonly endsRun?: boolean;
  /** Keys (`file:<path>`, `terminal:session`) that a call must hold alone; default: the whole tool. */
  resources?(input: Input): readonly string[];
  /** Throws ToolError for what the model can correct; anything else thrown is a fault of the tool. */
  run(input: Input, context: ToolContext): Promise<Output>;
  /** What the model sees of a stored observation; default: the error header if it is one, then its content. */
  render?(observation: Observation): readonly Content[];
  /** Called once, while the model is first waited for: the time to start what the first call will need. */
  prepare?(context: Pick<ToolContext, 'workspace'>): void;
  close?(): Promise<void>;
}

export interface ObservationBody {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly [key: string]: unknown;
}

/** Where the tools of one conversation are made. */
export interface ToolEnvironment {
  readonly workspace: Workspace;
  /** The conversation's folder, for what a tool keeps (full outputs, task lists); null if nothing is stored. */
  readonly directory: string | null;
  /** Whether the model can see images. */
  readonly vision: boolean;
}

/** What is registered under a name; an agent's specification names it. */
export interface ToolFactory {
  readonly name: string;
  create(environment: ToolEnvironment, params: { readonly [key: string]: unknown }): readonly Tool[];
}

/** A call that cannot be carried out as it was asked for; the message goes to the model. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/** Types a tool by its schema and forgets the types, so that tools of all kinds fit in one list. */
export function defineTool<Input extends object, Output extends ObservationBody>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}
