import type { ObservationBody, ToolAnnotations } from '../tool.ts';
import type { ForeignSchema } from './foreign-schema.ts';
import type { McpCaller } from './mcp.ts';

/** Any tool of another maker, seen from outside. */
export type Foreign = { readonly [key: string]: unknown };

/** What a foreign tool is given besides its input. */
export interface ForeignCall {
  /** The provider's identifier of the call. */
  readonly id: string;
  /** The arguments as the model wrote them, before the tool's schema filled them in. */
  readonly args: object;
  /** Aborted by the user and when the time is up. */
  readonly signal: AbortSignal;
}

/** A foreign tool in our words. */
export interface ForeignTool {
  /** As its maker knows it; absent where the name is a key of the set it stands in. */
  readonly name?: string;
  readonly description: string;
  readonly schema: ForeignSchema;
  readonly annotations?: Partial<ToolAnnotations>;
  readonly endsRun?: boolean;
  /** A value, a promise of one, or values that come in, of which the last counts. */
  call(input: unknown, call: ForeignCall): unknown;
  /** Default: see result-content.ts. */
  result?(value: unknown, input: unknown, call: ForeignCall): ObservationBody | Promise<ObservationBody>;
  needsApproval?(input: unknown, call: ForeignCall): boolean | Promise<boolean>;
  isEnabled?(): boolean | Promise<boolean>;
}

export interface AdaptOptions {
  /** Default: the tool's own. */
  readonly name?: string;
  readonly title?: string;
  /** Before the tool's own. */
  readonly annotations?: Partial<ToolAnnotations>;
  /** How long one call may take; default 300,000; 0: without end. */
  readonly timeoutMs?: number;
  /** Keys that a call must hold alone; default: the whole tool. */
  readonly resources?: (input: { readonly [name: string]: unknown }) => readonly string[];
  /** A successful call of it ends the run. */
  readonly endsRun?: boolean;
  /**
   * Asked when the tool wants a person's approval of a call; without it such a call is answered with an error, and not
   * carried out.
   */
  readonly approve?: (call: {
    readonly tool: string;
    readonly input: unknown;
    readonly id: string;
  }) => boolean | Promise<boolean>;
  /** Handed to the tool as the context of the run (`context`, `experimental_context`, `runContext`). */
  readonly context?: unknown;
  /** Through which a tool that `listTools` told of is called. */
  readonly client?: McpCaller;
  /** Of a bare function, which cannot tell them itself. */
  readonly description?: string;
  readonly parameters?: unknown;
  /**
   * How a function takes its arguments: `params` as one object, `context-and-json` as (context, JSON text). Default: what
   * the tool's shape and the names of the function's parameters say (see signature.ts), which a minifier takes away.
   */
  readonly signature?: Signature;
}

export type Signature = 'params' | 'context-and-json';

/** One maker's shape of tools. */
export interface Format {
  /** For people, with the fields that it is told by. */
  readonly label: string;
  /** Looks at the shape alone, and calls nothing. */
  matches(tool: Foreign, options: AdaptOptions): boolean;
  read(tool: Foreign, options: AdaptOptions): Promise<ForeignTool>;
}

export function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function';
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
