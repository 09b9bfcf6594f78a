import { type Content, text } from '../event/content.ts';
import { kindOf } from './kind-of.ts';
import type {
  ObservationBody,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolEnvironment,
  ToolFactory,
} from './tool.ts';
import { declares } from './tool-schema.ts';

/** The result of a tool: text, content, or the whole observation as it is stored. */
export type ToolAnswer<Output extends ObservationBody = ObservationBody> =
  | string
  | readonly Content[]
  | Output;

/** What `defineTool` is given; everything that is left out has a default. */
export interface ToolDefinition<Input extends object, Output extends ObservationBody = ObservationBody>
  extends Omit<Tool<Input>, 'kind' | 'annotations' | 'run'>,
    Pick<ToolFactory, 'isEssential' | 'delegates'> {
  /** Default: derived from the name, `file_editor` -> `FileEditorTool`, `FileEditorAction`, `FileEditorObservation`. */
  readonly kind?: Tool['kind'];
  /** Defaults, as in MCP: not read-only, destructive, not idempotent, open world. */
  readonly annotations?: Partial<ToolAnnotations>;
  /** Throws ToolError for what the model can correct; any other error is a bug of the tool. */
  run(input: Input, context: ToolContext): ToolAnswer<Output> | Promise<ToolAnswer<Output>>;
}

/** A tool that is its own factory, and can be registered as it is; it keeps no state between calls. */
export type DefinedTool = Tool & ToolFactory;

const UNHINTED = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const satisfies ToolAnnotations;

/** Makes a tool from its definition, typed by its schema; the result is untyped, so that all tools fit in one list. */
export function defineTool<Input extends object, Output extends ObservationBody = ObservationBody>(
  definition: ToolDefinition<Input, Output>,
): DefinedTool {
  const tool: DefinedTool = {
    // A parameter named `kind` must not clash with the kind of the action.
    ...(declares(definition as Pick<Tool, 'input'>, 'kind') ? { wrapsInput: true } : {}),
    ...definition,
    kind: definition.kind ?? kindOf(definition.name),
    annotations: { ...UNHINTED, ...definition.annotations },
    run: async (input: Input, context: ToolContext) => bodyOf(await definition.run(input, context)),
    create: (_: ToolEnvironment, params: object) => {
      const given = Object.keys(params);
      if (given.length > 0)
        throw new Error(`the tool "${tool.name}" takes no params, but was given: ${given.join(', ')}`);
      return [tool];
    },
  } as unknown as DefinedTool;
  return tool;
}

function bodyOf(answer: ToolAnswer): ObservationBody {
  if (typeof answer === 'string') return { content: [text(answer)], is_error: false };
  return isContent(answer) ? { content: answer, is_error: false } : answer;
}

function isContent(answer: readonly Content[] | ObservationBody): answer is readonly Content[] {
  return Array.isArray(answer);
}
