import type { Observation } from '../event/kinds.ts';

/** The arguments of a call, by name. */
export type Arguments = { readonly [name: string]: unknown };

/** A call before it is checked: the name and the arguments that the model gave. */
export interface NamedCall {
  readonly name: string;
  readonly args: Arguments;
}

/**
 * What the engine needs to know about a tool besides how to run it. Every trait is optional; the engine knows no tool by its name.
 * The functions are pure. One that throws counts as one that returns undefined.
 */
export interface ToolTraits {
  /** A successful call of it ends the run. */
  readonly endsRun?: boolean;
  /** Calls of it change nothing that other calls of the same turn see, and may run beside them. */
  readonly isolated?: boolean;
  /**
   * Takes over a call whose name no tool has, such as `bash` for a terminal. Returns the arguments for this tool, or undefined if
   * the call means something else.
   */
  adoptCall?(call: NamedCall): Arguments | undefined;
  /** Adds arguments that the model left out and that follow from the others; called before they are checked. */
  completeArguments?(args: Arguments): Arguments;
  /** Paths of the files that a call touched; default: the argument `path` or `file_path`. */
  touchedPaths?(observation: Observation): readonly string[];
  /**
   * The text that a condenser shows in place of an old result, for results that are large and soon outdated, such as web pages.
   * Absent: its results are never hidden for their age.
   */
  hiddenWhenOld?(observation: Observation): string;
  /** A section of the system prompt that is there when the tool is; a name that the engine uses itself has no effect. */
  readonly promptSection?: {
    readonly name: string;
    /** Jinja, like the prompt's other sections; a file `<name>.j2` of the user's replaces it. */
    readonly template: string;
  };
}

/** What a trait answers; undefined if it throws: a fault of a tool must not end the run. */
export function askTrait<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
