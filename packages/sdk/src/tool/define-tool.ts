import { type Content, text } from '../event/content.ts';
import type {
  ObservationBody,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolEnvironment,
  ToolFactory,
} from './tool.ts';
import { declares } from './tool-schema.ts';

/** What a tool may answer with: text, content, or the observation as it is to be stored. */
export type ToolAnswer<Output extends ObservationBody = ObservationBody> =
  | string
  | readonly Content[]
  | Output;

/** A tool as one writes it down; what is left out has a default. */
export interface ToolDefinition<Input extends object, Output extends ObservationBody = ObservationBody>
  extends Omit<Tool<Input>, 'kind' | 'annotations' | 'run'>,
    Pick<ToolFactory, 'isEssential' | 'delegates'> {
  /** Default: made from the name, `file_editor` -> `FileEditorTool`, `FileEditorAction`, `FileEditorObservation`. */
  readonly kind?: Tool['kind'];
  /** What is left out is as MCP has it: not read-only, destructive, not idempotent, reaching outside. */
  readonly annotations?: Partial<ToolAnnotations>;
  /** Throws ToolError for what the model can correct; anything else thrown is a fault of the tool. */
  run(input: Input, context: ToolContext): ToolAnswer<Output> | Promise<ToolAnswer<Output>>;
}

/** A tool that keeps nothing between calls is its own factory, and can be registered as it is. */
export type DefinedTool = Tool & ToolFactory;

const UNHINTED = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const satisfies ToolAnnotations;

/** Makes a tool of what it is, typed by its schema; the types are then forgotten, so that all tools fit in one list. */
export function defineTool<Input extends object, Output extends ObservationBody = ObservationBody>(
  definition: ToolDefinition<Input, Output>,
): DefinedTool {
  const tool: DefinedTool = {
    // A parameter `kind` must not meet the kind of the action.
    ...(declares(definition as Pick<Tool, 'input'>, 'kind') ? { wrapsInput: true } : {}),
    ...definition,
    kind: definition.kind ?? kindOf(definition.name),
    annotations: { ...UNHINTED, ...definition.annotations },
    run: async (input: Input, context: ToolContext) => bodyOf(await definition.run(input, context)),
    create: (_: ToolEnvironment, params: object) => {
      const given = Object.keys(params);
      if (given.length > 0)
        throw new Error(`the tool "${tool.name}" takes no params: ${given.join(', ')} means nothing to it`);
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

function kindOf(name: string): Tool['kind'] {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const stem = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return { tool: `${stem}Tool`, action: `${stem}Action`, observation: `${stem}Observation` };
}
