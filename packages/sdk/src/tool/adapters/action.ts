import type { Action } from '../../event/kinds.ts';
import { kindOf } from '../kind-of.ts';
import type { ForeignInput } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import type { AdaptOptions } from './format.ts';
import { type ReadTool, readTool } from './read-tool.ts';
import { safeToolName } from './tool-name.ts';

/** How calls of an adapted tool are checked and stored. */
export interface AdaptedAction {
  /** The kind of its actions, such as `WebSearchAction`. */
  readonly kind: string;
  /** The tool's own schema, for the model and for checking arguments. */
  readonly input: ForeignInput<Arguments>;
  /**
   * The action of a call: the arguments are in `data`, so that a parameter may have any name, even `kind`. Throws ToolError that names
   * each invalid parameter.
   */
  create(args: object): Action;
}

/** The action of a foreign tool, without the rest of it. Throws an Error like `adaptTool`. */
export async function adaptAction(foreign: object, options: AdaptOptions = {}): Promise<AdaptedAction> {
  return actionOf(await readTool(foreign, options));
}

export function actionOf({ foreign: { schema }, name }: ReadTool): AdaptedAction {
  const { action: kind } = adaptedKind(name);
  // Stores what the model wrote: the output of a foreign schema may not be storable.
  const input: ForeignInput<Arguments> = {
    jsonSchema: schema.jsonSchema,
    keepsNulls: true,
    parse: (args) => {
      const checked = schema.check(structuredClone(args));
      // An asynchronous check is repeated when the tool runs.
      if (checked instanceof Promise) checked.catch(() => undefined);
      return args as Arguments;
    },
  };
  return { kind, input, create: (args) => ({ data: input.parse(args), kind }) };
}

/** Kinds to which programs give a meaning of their own: a foreign tool of such a name must not be mistaken for the tool itself. */
const RESERVED = [
  ...['FinishTool', 'ThinkTool', 'TerminalTool', 'FileEditorTool', 'TaskTrackerTool', 'TaskTool'],
  ...['EditFileTool', 'RequestCondensationTool', 'InvokeSkillTool', 'MCPToolTool', 'AdaptedTool'],
];

/** The kinds of an adapted tool, derived from its name; with a prefix if the name has no letters or is that of a built-in tool. */
export function adaptedKind(name: string): ReturnType<typeof kindOf> {
  const safe = safeToolName(name);
  const kind = kindOf(safe);
  return kind.tool === 'Tool' || RESERVED.includes(kind.tool) ? kindOf(`adapted_${safe}_tool`) : kind;
}
