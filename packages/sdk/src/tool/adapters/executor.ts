import { text } from '../../event/content.ts';
import { InvalidArguments } from '../invalid-arguments.ts';
import { type ObservationBody, type ToolContext, ToolError } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import { foreignCall } from './foreign-call.ts';
import type { AdaptOptions, ForeignCall, ForeignTool } from './format.ts';
import { storedBody } from './observation.ts';
import { type ReadTool, readTool } from './read-tool.ts';
import { failureOf, resultOf } from './result-content.ts';
import { catchingStrays } from './stray-errors.ts';
import { DEFAULT_TIMEOUT_MS, LATE, withinTime } from './within-time.ts';

/**
 * Executes a call and returns its observation without the kind. Whatever the tool does, there is one result; rejects only with ToolError for
 * invalid arguments, and when the call is interrupted.
 */
export type AdaptedExecutor = (args: Arguments, context: ToolContext) => Promise<ObservationBody>;

/** The executor of a foreign tool, without the rest of it. It asks for no approval. Throws an Error like `adaptTool`. */
export async function adaptExecutor(foreign: object, options: AdaptOptions = {}): Promise<AdaptedExecutor> {
  return executorOf(await readTool(foreign, options), options);
}

/** `onWarning` is called with errors that the tool throws after its call has ended. */
export function executorOf(
  { foreign, name }: ReadTool,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: AdaptOptions,
  onWarning: (text: string) => void = (text) => process.emitWarning(text),
): AdaptedExecutor {
  return async (args, context) => {
    const timeUp = new AbortController();
    const call = foreignCall(args, context, timeUp);
    try {
      const answering = withStrays(
        () => answerOf(foreign, args, call),
        (error) => onWarning(`the tool ${name} failed after its call had ended: ${String(error)}`),
      );
      const answer = await withinTime(answering, { timeoutMs, timeUp, interrupt: context.signal });
      return storedBody(answer === LATE ? late(timeoutMs) : answer, name);
    } catch (error) {
      if (error instanceof InvalidArguments) throw error.of(name);
      // An interrupt is handled by the conversation, wrong arguments by the model.
      if (context.signal.aborted || error instanceof ToolError) throw error;
      return storedBody(failureOf(error), name);
    }
  };
}

/** The call fails if it throws elsewhere while it runs; what it throws after that is `late`. */
async function withStrays<T>(run: () => Promise<T>, late: (error: unknown) => void): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let onError = reject;
  try {
    return await Promise.race([catchingStrays((error) => onError(error), run), failed]);
  } finally {
    onError = late;
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
