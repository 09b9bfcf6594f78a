/**
 * Adapts tools of other frameworks. The arguments are stored in `data` of the action, separate from its `kind`, so that a parameter may
 * have any name; every call has one result, whatever the tool does.
 */
import { type Content, text, textOf } from '../../event/content.ts';
import { CLIPPED, truncateMiddle } from '../../event/truncate.ts';
import { defined } from '../../value/defined.ts';
import { LONGEST_TIMER_MS } from '../../value/longest-timer.ts';
import { defineTool } from '../define-tool.ts';
import {
  type ForeignInput,
  type ObservationBody,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolFactory,
} from '../tool.ts';
import type { Arguments } from '../traits.ts';
import { adkFormat } from './adk.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { claudeAgentFormat } from './claude-agent.ts';
import type { ForeignSchema } from './foreign-schema.ts';
import type { AdaptOptions, Foreign, ForeignCall, ForeignTool, Format } from './format.ts';
import { refuseUnknownGates } from './gates.ts';
import { langChainFormat } from './langchain.ts';
import { mastraFormat } from './mastra.ts';
import { mcpFormat } from './mcp.ts';
import { openAiAgentsFormat } from './openai-agents.ts';
import { plainFunctionFormat } from './plain-function.ts';
import { failureOf, resultOf } from './result-content.ts';
import { safeToolName } from './tool-name.ts';

/** The formats; the first one that matches is used. */
const FORMATS: readonly Format[] = [
  langChainFormat,
  openAiAgentsFormat,
  claudeAgentFormat,
  mcpFormat,
  adkFormat,
  mastraFormat,
  aiSdkFormat,
  plainFunctionFormat,
];

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_CHARACTERS = 30_000;
/** In base64: 5 MB, the lowest limit of any provider. */
const MAX_IMAGE_CHARACTERS = (5 * 1024 * 1024 * 4) / 3 + 100;
const KIND = {
  tool: 'AdaptedTool',
  action: 'AdaptedToolAction',
  observation: 'AdaptedToolObservation',
} as const;

/**
 * Adapts one tool of another framework, ready to be registered. Throws an Error that lists the formats if it has none of them, and one
 * that names the tool if it cannot run here.
 */
export async function adaptTool(foreign: object, options: AdaptOptions = {}): Promise<ToolFactory> {
  const tool: Foreign =
    typeof foreign === 'function'
      ? {
          name: foreign.name,
          description: options.description,
          parameters: options.parameters,
          execute: foreign,
        }
      : (foreign as Foreign);
  const isTool = typeof tool === 'object' && tool !== null;
  const format = isTool ? FORMATS.find((each) => each.matches(tool, options)) : undefined;
  if (format === undefined) throw new Error(unknownShape(options.name));
  try {
    if (options.needsApproval === undefined) refuseUnknownGates(tool, format);
    const read = await format.read(tool, options);
    const name = options.name ?? read.name ?? '';
    if (name.trim() === '')
      throw new Error('it has no name: set the option name, or adapt the set that contains it');
    return factoryOf(read, name, options);
  } catch (error) {
    const name = options.name ?? tool['name'] ?? tool['id'];
    const which = typeof name === 'string' && name.trim() !== '' ? `the tool "${name}"` : 'the tool';
    throw new Error(`${which} cannot be adapted: ${(error as Error).message}`, { cause: error });
  }
}

/** Adapts all tools of a list, or of an object by name as in the AI SDK. The options apply to each of them. */
export async function adaptTools(
  tools: readonly object[] | { readonly [name: string]: object },
  options: Omit<AdaptOptions, 'name' | 'description' | 'parameters'> = {},
): Promise<readonly ToolFactory[]> {
  const list: readonly (readonly [AdaptOptions, object])[] = Array.isArray(tools)
    ? tools.map((tool) => [options, tool])
    : Object.entries(tools).map(([name, tool]) => [{ ...options, name }, tool]);
  return await Promise.all(list.map(([each, tool]) => adaptTool(tool, each)));
}

function unknownShape(name: string | undefined): string {
  return `${name === undefined ? 'this' : `"${name}"`} is no tool that could be adapted. It may be\n${FORMATS.map(({ label }) => `- ${label}`).join('\n')}`;
}

function factoryOf(foreign: ForeignTool, given: string, options: AdaptOptions): ToolFactory {
  const tool = toolOf(foreign, given, options);
  return {
    name: tool.name,
    create: async () => ((await foreign.isEnabled?.()) === false ? [] : [tool]),
  };
}

function toolOf(foreign: ForeignTool, given: string, options: AdaptOptions): Tool {
  const { resources, title, annotations, endsRun = foreign.endsRun } = options;
  return defineTool<Arguments>({
    name: safeToolName(given),
    kind: KIND,
    description: foreign.description === '' ? `The tool ${given}.` : foreign.description,
    input: inputOf(foreign.schema),
    wrapsInput: true,
    annotations: { ...foreign.annotations, ...annotations, ...defined({ title }) },
    ...defined({ endsRun, resources }),
    ...needsApprovalOf(foreign, options),
    run: (args, context) => carryOut(foreign, args, given, context, options),
  });
}

/** The gate of the tool, or the one that replaces it. If it does not answer in time, a person has to approve the call. */
function needsApprovalOf(
  foreign: ForeignTool,
  { needsApproval: own, timeoutMs = DEFAULT_TIMEOUT_MS }: AdaptOptions,
): Pick<Tool<Arguments>, 'needsApproval'> {
  if (own === false || (own === undefined && foreign.needsApproval === undefined)) return {};
  if (own === true) return { needsApproval: () => true };
  return {
    needsApproval: async (args, { callId, signal }) => {
      const timeUp = new AbortController();
      const call = callOf(args, { callId, signal, isApproved: false }, timeUp);
      const asked = own === undefined ? ownGate(foreign, args, call) : Promise.resolve(own(call.args));
      return Boolean(await withinTime(asked, { timeoutMs, timeUp, interrupt: signal }));
    },
  };
}

async function ownGate(foreign: ForeignTool, args: Arguments, call: ForeignCall): Promise<boolean> {
  const input = await foreign.schema.check(structuredClone(args));
  return Boolean(await foreign.needsApproval?.(input, call));
}

/** The stored event holds the same arguments, and foreign code may modify them. */
function callOf(
  args: Arguments,
  { callId, signal, isApproved }: Pick<ToolContext, 'callId' | 'signal' | 'isApproved'>,
  timeUp: AbortController,
): ForeignCall {
  const ends = AbortSignal.any([signal, timeUp.signal]);
  return { id: callId, args: structuredClone(args), signal: ends, isApproved };
}

/** Stores what the model wrote: the output of a foreign schema may not be storable. */
function inputOf(schema: ForeignSchema): ForeignInput<Arguments> {
  return {
    jsonSchema: schema.jsonSchema,
    keepsNulls: true,
    parse: (args) => {
      const checked = schema.check(structuredClone(args));
      // An asynchronous check is repeated when the tool runs.
      if (checked instanceof Promise) checked.catch(() => undefined);
      return args as Arguments;
    },
  };
}

async function carryOut(
  foreign: ForeignTool,
  args: Arguments,
  name: string,
  context: ToolContext,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: AdaptOptions,
): Promise<ObservationBody> {
  const timeUp = new AbortController();
  const call = callOf(args, context, timeUp);
  try {
    const answering = answerOf(foreign, args, call);
    const answer = await withinTime(answering, { timeoutMs, timeUp, interrupt: context.signal });
    return withName(answer === LATE ? late(timeoutMs) : answer, name);
  } catch (error) {
    // An interrupt is handled by the conversation, wrong arguments by the model.
    if (context.signal.aborted || error instanceof ToolError) throw error;
    return withName(failureOf(error), name);
  }
}

const LATE = Symbol('late');

/** Returns `LATE` when the time is up; the call is then aborted, but may still run. */
async function withinTime<T>(
  work: Promise<T>,
  limit: { readonly timeoutMs: number; readonly timeUp: AbortController; readonly interrupt: AbortSignal },
): Promise<T | typeof LATE> {
  const { timeoutMs, timeUp, interrupt } = limit;
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  const isLimited = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS;
  const timer = isLimited ? setTimeout(giveUp, timeoutMs) : undefined;
  function giveUp() {
    resolve(LATE);
    timeUp.abort(new DOMException('The call timed out.', 'TimeoutError'));
  }
  // After an interrupt, the conversation stops waiting for a tool that does not react, and nothing may keep the process alive.
  const onInterrupt = () => clearTimeout(timer);
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener('abort', onInterrupt);
  }
}

function late(timeoutMs: number): ObservationBody {
  const said = `The tool did not answer within ${timeoutMs / 1_000} seconds; its effect is unknown.`;
  return { content: [text(said)], is_error: true };
}

async function answerOf(foreign: ForeignTool, args: Arguments, call: ForeignCall): Promise<ObservationBody> {
  const input = await foreign.schema.check(structuredClone(args));
  const value = await lastOf(await foreign.call(input, call), call.signal);
  return await (foreign.result?.(value, input, call) ?? resultOf(value));
}

/** Of an async iterable, the last value is the result. */
async function lastOf(value: unknown, signal: AbortSignal): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const each of value as AsyncIterable<unknown>) {
    last = each;
    if (signal.aborted) break;
  }
  return last;
}

/** The observation as it is stored, with the tool's original name. */
function withName({ content, is_error }: ObservationBody, name: string): ObservationBody {
  return { content: clipped(content), is_error, tool_name: name };
}

/** Limits text to what a model should have to read, and drops images that no provider accepts: they would break every later request. */
function clipped(given: readonly Content[]): readonly Content[] {
  const content = given.map(withinSize);
  const whole = textOf(content);
  if (whole.length <= MAX_CHARACTERS) return content;
  const others = content.filter(({ type }) => type !== 'text');
  return [text(truncateMiddle(whole, MAX_CHARACTERS, `\n${CLIPPED}\n`)), ...others];
}

function withinSize(block: Content): Content {
  if (block.type !== 'image' || block.image_urls.every((url) => url.length <= MAX_IMAGE_CHARACTERS))
    return block;
  return text('(an image of more than 5 MB, which cannot be shown)');
}
