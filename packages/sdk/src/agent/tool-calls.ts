/**
 * Turns the calls of one answer into events. An invalid call becomes an action that cannot be executed, with its error. All actions of
 * the answer come first, so that no result stands between them.
 */

import type { TextContent } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { type Action, type Risk, riskSchema } from '../event/kinds.ts';
import type { MessageToolCall } from '../event/message.ts';
import type { Completion } from '../llm/llm.ts';
import { pythonJson } from '../tool/python-json.ts';
import {
  completeArguments,
  normalizeName,
  parseArguments,
  repairRiskName,
  repairTypes,
  withoutNulls,
} from '../tool/repair.ts';
import { isForeignInput, type Tool, ToolError } from '../tool/tool.ts';
import { declares, propertiesOf } from '../tool/tool-schema.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import type { Arguments } from '../tool/traits.ts';
import { validInput } from '../tool/valid-input.ts';
import { nearest } from '../value/nearest.ts';
import { errorResult } from './results.ts';

type ActionDraft = Extract<Draft, { kind: 'ActionEvent' }>;

export function draftsOfCalls(completion: Completion, tools: ToolSet): readonly Draft[] {
  const calls = completion.message.tool_calls ?? [];
  const parsed = calls.map((call) => parseCall(call, tools));
  const actions = parsed.map((each, i) => actionDraft(each, completion, i === 0));
  const errors = parsed.flatMap((each) =>
    'error' in each
      ? [errorResult({ tool_name: each.call.name, tool_call_id: each.call.id }, each.error)]
      : [],
  );
  return [...actions, ...errors];
}

/** A call as it will be stored, with its action or with its error. */
type ParsedCall =
  | { readonly call: MessageToolCall; readonly action: Action; readonly risk: Risk; readonly summary: string }
  | { readonly call: MessageToolCall; readonly error: string };

function parseCall(call: MessageToolCall, tools: ToolSet): ParsedCall {
  let written: Arguments;
  try {
    written = parseArguments(call.arguments);
  } catch (error) {
    return malformed(call, notJson(call.name, error));
  }
  // A call that was stored like this is read back in a replay.
  if (written[MALFORMED] === true && typeof written['error'] === 'string')
    return malformed(call, written['error']);
  try {
    return validCall(call, written, tools);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { call: { ...call, arguments: pythonJson(withoutNulls(written)) }, error: error.message };
  }
}

/** The reference's mark for a call whose arguments could not be stored as they were. */
const MALFORMED = '_openhands_malformed_tool_call';

/** Arguments in valid JSON, as they are stored: those that cannot be read are replaced by the mark. */
export function storableArguments(name: string, written: string): string {
  try {
    const args = parseArguments(written);
    return isJson(written) ? written : pythonJson(args);
  } catch (error) {
    return marked(notJson(name, error));
  }
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

function notJson(name: string, error: unknown): string {
  return `The arguments of ${name} are not valid JSON: ${(error as Error).message}`;
}

function marked(reason: string): string {
  return pythonJson({ [MALFORMED]: true, error: reason });
}

function malformed(call: MessageToolCall, reason: string): ParsedCall {
  return {
    call: { ...call, arguments: marked(reason) },
    error: `${reason}. Send the complete call again.`,
  };
}

/** Throws ToolError that says what the model has to change. */
function validCall(call: MessageToolCall, written: Arguments, tools: ToolSet): ParsedCall {
  const given = keepsNulls(tools.get(call.name)) ? written : withoutNulls(written);
  const named = normalizeName({ name: call.name, args: given }, tools);
  const tool = tools.get(named.name);
  if (tool === undefined) throw new ToolError(unknownTool(named.name, tools));
  const properties = propertiesOf(tool);
  const args = repairRiskName(
    repairTypes(completeArguments(tool, named.args), properties),
    (name) => name in properties,
  );
  const { security_risk, summary: said, ...rest } = args;
  const ownRisk = declares(tool, 'security_risk');
  const ownSummary = declares(tool, 'summary');
  const own: Arguments = {
    ...rest,
    ...(ownSummary && said !== undefined ? { summary: said } : {}),
    ...(ownRisk && security_risk !== undefined ? { security_risk } : {}),
  };
  const risk = ownRisk ? undefined : security_risk;
  const summary = ownSummary ? undefined : said;
  return {
    call: { ...call, name: tool.name, arguments: pythonJson(args) },
    action: actionOf(tool, validInput(tool, own)),
    risk: riskOf(risk, tool),
    summary:
      typeof summary === 'string' && summary.trim() !== '' ? summary : `${tool.name}: ${pythonJson(own)}`,
  };
}

function keepsNulls(tool: Tool | undefined): boolean {
  return tool !== undefined && isForeignInput(tool.input) && tool.input.keepsNulls === true;
}

function actionOf(tool: Tool, input: object): Action {
  const { action: kind } = tool.kind;
  return tool.wrapsInput === true ? { data: input, kind } : { ...input, kind };
}

function riskOf(risk: unknown, tool: Tool): Risk {
  if (risk === undefined || tool.annotations.readOnlyHint) return 'UNKNOWN';
  const checked = riskSchema.safeParse(risk);
  if (checked.success) return checked.data;
  throw new ToolError(`security_risk of ${tool.name} must be LOW, MEDIUM or HIGH`);
}

function unknownTool(name: string, tools: ToolSet): string {
  const names = tools.tools.map((tool) => tool.name);
  const near = nearest(name, names);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `There is no tool "${name}".${hint} Available tools: ${names.join(', ')}.`;
}

/** Text, reasoning and the like belong to the whole turn; they are stored with its first call. */
function actionDraft(parsed: ParsedCall, { id, message }: Completion, isFirst: boolean): ActionDraft {
  const { call } = parsed;
  return {
    source: 'agent',
    thought: isFirst ? message.content.filter((block): block is TextContent => block.type === 'text') : [],
    ...(isFirst && message.reasoning_content !== undefined
      ? { reasoning_content: message.reasoning_content }
      : {}),
    thinking_blocks: isFirst ? (message.thinking_blocks ?? []) : [],
    ...(isFirst && message.responses_reasoning_item !== undefined
      ? { responses_reasoning_item: message.responses_reasoning_item }
      : {}),
    ...('action' in parsed ? { action: parsed.action } : {}),
    tool_name: call.name,
    tool_call_id: call.id,
    tool_call: call,
    llm_response_id: id,
    security_risk: 'risk' in parsed ? parsed.risk : 'UNKNOWN',
    ...('summary' in parsed ? { summary: parsed.summary } : {}),
    kind: 'ActionEvent',
  };
}
