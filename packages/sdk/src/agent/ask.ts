import { textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { isResult } from '../event/kinds.ts';
import type { Message } from '../event/message.ts';
import { LLMError } from '../llm/errors.ts';
import type { CompleteOptions, Completion, LLM, Prompt, ToolSchema } from '../llm/llm.ts';
import { guarded, sendable } from '../llm/sendable.ts';
import { BYTES_PER_TOKEN, promptBytes } from '../llm/tokens/size.ts';
import type { TokenMeter } from '../llm/tokens/token-meter.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import { defined } from '../value/defined.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import type { View } from '../view/view.ts';
import type { StepResult } from './carry-out.ts';
import { message } from './message.ts';
import { SENDERS, senderOf } from './sender.ts';
import { draftsOfCalls } from './tool-calls.ts';

export interface AskDeps {
  readonly llm: LLM;
  readonly tools: ToolSet;
  readonly toolSchemas: readonly ToolSchema[];
  readonly condenser: Condenser;
  /** False when condensing has not helped: then an overflow is an error. */
  readonly mayCondense: boolean;
  /** The last request, if the endpoint refused it as too long. */
  readonly refused?: Refusal | undefined;
  readonly meter: TokenMeter;
  readonly signal: AbortSignal;
  readonly cacheKey: string;
  readonly onDelta?: CompleteOptions['onDelta'] | undefined;
  readonly onRetry?: CompleteOptions['onRetry'] | undefined;
  readonly onNote?: CompleteOptions['onNote'] | undefined;
  /** Called with each answer of the model. */
  readonly onAnswer?: ((completion: Completion) => void) | undefined;
  /** Records a request before it is sent. */
  readonly onRequest?: ((prompt: Prompt) => void) | undefined;
  /** Called with each prompt before it is sent. */
  readonly onPrompt?: ((prompt: PromptNotice) => void) | undefined;
}

/** A request that was too long, and the error of the endpoint. */
export interface Refusal {
  readonly bytes: number;
  readonly error: LLMError;
}

/** What the model's answer comes to; or, with `refused`, what is tried instead. */
export interface AskResult extends StepResult {
  readonly refused?: Refusal;
}

/** A prompt, and what it was made of. */
export interface PromptNotice {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** The events of the view. */
  readonly eventIds: readonly string[];
  /** Whether the condenser shows less than the view has. */
  readonly masked: boolean;
}

/**
 * Asks the model, and turns its answer into events. Throws LLMError, and the signal's reason. A request that is no shorter than one that
 * was refused is not sent: its error is thrown again.
 */
export async function ask(view: View, messages: readonly Message[], deps: AskDeps): Promise<AskResult> {
  checkWindow(view, deps);
  const prompt = guarded({ messages, tools: deps.toolSchemas, cacheKey: deps.cacheKey });
  if (deps.refused !== undefined && promptBytes(prompt) >= deps.refused.bytes) throw deps.refused.error;
  deps.onRequest?.(prompt);
  deps.onPrompt?.(noticeOf(view, prompt.messages, deps));
  const { signal, onDelta, onRetry, onNote } = deps;
  try {
    const completion = await deps.llm.complete(prompt, { signal, ...defined({ onDelta, onRetry, onNote }) });
    deps.meter.saw(prompt, completion);
    deps.onAnswer?.(completion);
    return resultOf(completion, deps.tools);
  } catch (error) {
    const instead = error instanceof LLMError ? wayOut(error, view, deps) : undefined;
    if (instead === undefined) throw error;
    const isTooLong = error instanceof LLMError && TOO_LONG.has(error.code);
    return { events: [instead], ...(isTooLong ? { refused: { bytes: promptBytes(prompt), error } } : {}) };
  }
}

function noticeOf(view: View, messages: readonly Message[], { toolSchemas }: AskDeps): PromptNotice {
  const whole = sendable(view.messages());
  return {
    messages,
    tools: toolSchemas,
    eventIds: view.events.map(({ id }) => id),
    masked: messages.some((message, i) => message !== whole[i]),
  };
}

/** What can be tried when the request failed: other words once, or a shorter history. */
function wayOut({ code }: LLMError, view: View, { condenser, mayCondense }: AskDeps): Draft | undefined {
  if (code === 'LLMContentPolicyViolationError' && !wasAskedToRephrase(view))
    return message('user', REPHRASE, { sender: SENDERS.rejectedContent });
  if (TOO_LONG.has(code) && condenser.handlesRequests && mayCondense)
    return { source: 'environment', kind: 'CondensationRequest' };
  return undefined;
}

/** A window that the system prompt and the tools fill by themselves leaves no room for a conversation. */
function checkWindow(view: View, { llm, toolSchemas }: AskDeps): void {
  const { contextWindow, name } = llm.model;
  const [first] = view.messages();
  if (contextWindow === undefined || first?.role !== 'system') return;
  const tokens = Math.ceil(promptBytes({ messages: [first], tools: toolSchemas }) / BYTES_PER_TOKEN);
  if (tokens < contextWindow) return;
  throw new LLMError(
    'LLMContextWindowExceedError',
    `the system prompt and the tools take about ${tokens} tokens, and ${name} has a window of ${contextWindow}`,
    { remedy: 'Use a model with a larger window, or fewer tools; max_input_tokens says how large it is.' },
  );
}

function resultOf(completion: Completion, tools: ToolSet): StepResult {
  const { message: answer, complaint } = completion;
  if (answer.tool_calls !== undefined && answer.tool_calls.length > 0) {
    return { events: draftsOfCalls(completion, tools) };
  }
  const said: Draft = {
    source: 'agent',
    llm_message: answer,
    llm_response_id: completion.id,
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  };
  if (complaint !== undefined)
    return { events: [said, message('user', complaint, { sender: SENDERS.unreadableCall })] };
  if (completion.finish.reason === 'length')
    return { events: [said, message('environment', CUT_ANSWER, { sender: SENDERS.cutAnswer })] };
  const words = textOf(answer.content);
  if (words.trim() !== '') return { events: [said], finished: words };
  return { events: [said, message('environment', EMPTY_ANSWER, { sender: SENDERS.emptyAnswer })] };
}

/** What a shorter history may help. */
const TOO_LONG: ReadonlySet<string> = new Set([
  'LLMContextWindowExceedError',
  'LLMMalformedConversationHistoryError',
]);

const REPHRASE =
  'The provider rejected the last request because of its content. Rephrase your next step, or leave out the part that may be objectionable.';
const EMPTY_ANSWER =
  'Your last turn contained neither text nor a tool call. Continue with the task by calling a tool. If the task is done, call finish.';
const CUT_ANSWER =
  'Your last answer was cut off at the output limit before it was complete. Continue with the task: call a tool, or, if you were writing your final answer, write it again in a shorter form.';

function wasAskedToRephrase(view: View): boolean {
  const last = view.events.findLast((event) => !isResult(event));
  return last?.kind === 'MessageEvent' && senderOf(last) === SENDERS.rejectedContent;
}
