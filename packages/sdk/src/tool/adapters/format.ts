import type { ObservationBody, ToolAnnotations } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import type { ForeignSchema } from './foreign-schema.ts';
import type { McpCaller } from './formats/mcp.ts';

/** Any foreign tool, of unknown shape. */
export type Foreign = { readonly [key: string]: unknown };

/** What a foreign tool gets besides its input. */
export interface ForeignCall {
  /** The provider's identifier of the call. */
  readonly id: string;
  /** The arguments as the model wrote them, before the tool's schema filled them in. */
  readonly args: Arguments;
  /** Aborted by the user and on timeout. */
  readonly signal: AbortSignal;
  /** Whether a person has approved the call. */
  readonly isApproved: boolean;
}

/** A foreign tool in a common form. */
export interface ForeignTool {
  /** Its original name; absent where the name is a key of the set. */
  readonly name?: string;
  readonly description: string;
  readonly schema: ForeignSchema;
  readonly annotations?: Partial<ToolAnnotations>;
  readonly endsRun?: boolean;
  /** A value, a promise, or an async iterable whose last value counts. */
  call(input: unknown, call: ForeignCall): unknown;
  /** Default: see result-content.ts. */
  result?(value: unknown, input: unknown, call: ForeignCall): ObservationBody | Promise<ObservationBody>;
  /** The tool's own gate: whether a person has to approve a call. */
  needsApproval?(input: unknown, call: ForeignCall): boolean | Promise<boolean>;
  isEnabled?(): boolean | Promise<boolean>;
  /** Releases what it holds, when the conversation is closed. */
  close?(): Promise<void>;
}

export interface AdaptOptions {
  /** Default: the tool's own. */
  readonly name?: string;
  readonly title?: string;
  /** Overrides the tool's own. */
  readonly annotations?: Partial<ToolAnnotations>;
  /** Time limit of one call in milliseconds; default 300,000; 0: no limit. */
  readonly timeoutMs?: number;
  /** Keys that a call must hold exclusively; default: the whole tool. */
  readonly resources?: (input: Arguments) => readonly string[];
  /** A successful call of it ends the run. */
  readonly endsRun?: boolean;
  /**
   * Whether a person has to approve a call: always, never, or depending on the arguments as the model wrote them. Overrides the tool's
   * own gate. Default: the tool's own gate, if its format has one.
   */
  readonly needsApproval?: boolean | ((args: Arguments) => boolean | Promise<boolean>);
  /** Passed to the tool as the context of the run (`context`, `experimental_context`, `runContext`). */
  readonly context?: unknown;
  /** The client through which a tool from `listTools` is called. */
  readonly client?: McpCaller;
  /** The parameters of a bare function, which cannot describe them itself. */
  readonly description?: string;
  readonly parameters?: unknown;
  /**
   * How a function takes its arguments: `params` as one object, `context-and-json` as (context, JSON text). Default: derived
   * from the tool's shape and the names of the function's parameters (see formats/signature.ts), which a minifier removes.
   */
  readonly signature?: Signature;
}

export type Signature = 'params' | 'context-and-json';

/** The tool format of one framework. */
export interface Format {
  /** Its name for people, with the fields by which it is recognized. */
  readonly label: string;
  /** The fields of its tools that `read` turns into `needsApproval`. */
  readonly gates?: readonly string[];
  /** Looks only at the shape and calls nothing. */
  matches(tool: Foreign, options: AdaptOptions): boolean;
  read(tool: Foreign, options: AdaptOptions): Promise<ForeignTool>;
}

export function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function';
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
