import type { ErrorClassification } from '../event/classification.ts';
import { contentSchema } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { thawed } from '../event/freeze.ts';
import type { Action, ActionEvent, Observation } from '../event/kinds.ts';
import { unwritable } from '../event/unwritable.ts';
import { inputOf } from '../tool/input-of.ts';
import { type Tool, type ToolConversation, ToolError } from '../tool/tool.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import { isRecord } from '../value/is-record.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { liveOutput, type OutputPiece } from './live-output.ts';
import { cutOff, errorResult } from './results.ts';

export interface ExecuteDeps {
  readonly tools: ToolSet;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Aborted when a tool gets no time to end in order after `signal` is aborted. */
  readonly abandoned?: AbortSignal | undefined;
  /** Whether a person has approved the action. */
  readonly isApproved: (action: ActionEvent) => boolean;
  readonly onStart: (action: ActionEvent) => void;
  readonly onProgress: (action: ActionEvent, text: string) => void;
  readonly onOutput: (action: ActionEvent, piece: OutputPiece) => void;
  /** Masked in what `onOutput` gets. */
  readonly secrets?: readonly string[] | undefined;
  readonly requestCondensation: () => void;
  readonly conversation: ToolConversation;
}

/** What a replacement of `execute` is given. */
export type ExecuteOptions = Pick<ExecuteDeps, 'requestCondensation'>;

/** How long a tool may take to return after an interrupt before its result is abandoned. */
const ABORT_GRACE_MS = 5_000;

const INTERNAL: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };

/** Executes one action. Whatever happens, there is exactly one result. */
export async function execute(event: ActionEvent, deps: ExecuteDeps): Promise<Draft> {
  const tool = deps.tools.get(event.tool_name);
  if (event.action === undefined) return errorResult(event, 'The call was not valid and was not executed.');
  if (tool === undefined)
    return errorResult(event, `There is no tool "${event.tool_name}" in this conversation.`);
  deps.onStart(event);
  try {
    deps.signal.throwIfAborted();
    return observationOf(event, tool, await runTool(tool, event, event.action, deps));
  } catch (error) {
    if (deps.signal.aborted) return errorResult(event, cutOff(deps.signal));
    if (error instanceof ToolError) return errorResult(event, error.message);
    return errorResult(
      event,
      error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      INTERNAL,
    );
  }
}

async function runTool(tool: Tool, event: ActionEvent, action: Action, deps: ExecuteDeps) {
  const output = liveOutput((piece) => deps.onOutput(event, piece), deps.secrets);
  try {
    const running = tool.run(thawed(inputOf(tool, action)), {
      callId: event.tool_call_id,
      isApproved: deps.isApproved(event),
      workspace: deps.workspace,
      signal: deps.signal,
      onProgress: (text) => deps.onProgress(event, text),
      onOutput: output.push,
      requestCondensation: deps.requestCondensation,
      conversation: deps.conversation,
    });
    return await untilGivenUp(running, deps);
  } finally {
    output.close();
  }
}

/** A tool that does not return after an interrupt must not block the conversation. */
async function untilGivenUp<T>(
  running: Promise<T>,
  { signal, abandoned }: Pick<ExecuteDeps, 'signal' | 'abandoned'>,
): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(giveUp, ABORT_GRACE_MS);
  };
  abandoned?.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([running, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    abandoned?.removeEventListener('abort', giveUp);
  }
}

/** Throws a TypeError for an answer that could not be stored or read back: one bad answer must not damage the log. */
function observationOf(event: ActionEvent, tool: Tool, body: unknown): Draft {
  const fault = faultOf(body);
  if (fault !== undefined) throw new TypeError(`the tool ${tool.name} returned an invalid answer: ${fault}`);
  return {
    source: 'environment',
    tool_name: event.tool_name,
    tool_call_id: event.tool_call_id,
    observation: { ...(body as object), kind: tool.kind.observation } as Observation,
    action_id: event.id,
    extended_content: [],
    kind: 'ObservationEvent',
  };
}

const ANSWERS = 'a text, a list of content, or {content, is_error, ...} is expected';

function faultOf(body: unknown): string | undefined {
  if (
    !isRecord(body) ||
    !Array.isArray(body['content']) ||
    !['boolean', 'undefined'].includes(typeof body['is_error'])
  )
    return ANSWERS;
  if (!body['content'].every((part) => contentSchema.safeParse(part).success))
    return 'its content is not a list of texts and images';
  return unwritable(body);
}
