import { type Content, type TextContent, text, textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import { isResult } from '../event/kinds.ts';
import type { Message } from '../event/message.ts';
import { LLMError } from '../llm/errors.ts';
import type { CompleteOptions, Completion, LLM, ToolSchema } from '../llm/llm.ts';
import { BYTES_PER_TOKEN, promptBytes } from '../llm/tokens/size.ts';
import { defined } from '../value/defined.ts';
import type { View } from '../view/view.ts';
import { type CarryOutDeps, carryOut, type StepResult } from './carry-out.ts';
import { type CondenseDeps, condense } from './condense.ts';
import { draftsOfCalls } from './tool-calls.ts';

export interface StepDeps extends CarryOutDeps, Omit<CondenseDeps, 'onNote'> {
  readonly llm: LLM;
  readonly toolSchemas: readonly ToolSchema[];
  /** False when condensing has not helped: then an overflow is an error. */
  readonly mayCondense: () => boolean;
  readonly cacheKey: string;
  readonly onDelta?: CompleteOptions['onDelta'];
  readonly onRetry?: CompleteOptions['onRetry'];
  readonly onNote?: CompleteOptions['onNote'];
  /** Told of each prompt before it is sent. */
  readonly onPrompt?: (prompt: PromptNotice) => void;
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
 * The agent's step: open calls are carried out; when there are none, the model is asked, and its answer becomes
 * events. Before that the history may be condensed, which is a step of its own. Keeps nothing between calls: the view is all it knows.
 */
export async function* step(view: View, deps: StepDeps): AsyncGenerator<StepResult> {
  const open = view.openActions();
  if (open.length > 0) yield* carryOut(open, deps);
  else yield await think(view, deps);
}

/** Room is made first, if there has to be; the next step then asks. */
async function think(view: View, deps: StepDeps): Promise<StepResult> {
  if (!deps.mayCondense()) return await ask(view, view.messages(), deps);
  const prepared = await condense(view, deps as CondenseDeps);
  return prepared.kind === 'events' ? { events: prepared.events } : await ask(view, prepared.messages, deps);
}

async function ask(view: View, messages: readonly Message[], deps: StepDeps): Promise<StepResult> {
  checkWindow(view, deps);
  if (deps.onPrompt !== undefined) {
    const whole = view.messages();
    const masked = messages.some((message, i) => message !== whole[i]);
    deps.onPrompt({ messages, tools: deps.toolSchemas, eventIds: view.events.map(({ id }) => id), masked });
  }
  const prompt = { messages, tools: deps.toolSchemas, cacheKey: deps.cacheKey };
  try {
    const completion = await deps.llm.complete(prompt, {
      signal: deps.signal,
      ...defined({ onDelta: deps.onDelta, onRetry: deps.onRetry, onNote: deps.onNote }),
    });
    deps.meter.saw(prompt, completion);
    return resultOf(completion, deps);
  } catch (error) {
    if (
      error instanceof LLMError &&
      error.code === 'LLMContentPolicyViolationError' &&
      !wasAskedToRephrase(view)
    ) {
      return { events: [message('user', REPHRASE)] };
    }
    if (
      error instanceof LLMError &&
      TOO_LONG.has(error.code) &&
      deps.condenser.handlesRequests &&
      deps.mayCondense()
    ) {
      return { events: [{ source: 'environment', kind: 'CondensationRequest' }] };
    }
    throw error;
  }
}

/** A window that the system prompt and the tools fill by themselves leaves no room for a conversation. */
function checkWindow(view: View, { llm, toolSchemas }: StepDeps): void {
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

function resultOf(completion: Completion, deps: StepDeps): StepResult {
  const { message: answer, complaint } = completion;
  if (answer.tool_calls !== undefined && answer.tool_calls.length > 0) {
    return { events: draftsOfCalls(completion, deps.tools) };
  }
  const said: Draft = {
    source: 'agent',
    llm_message: answer,
    llm_response_id: completion.id,
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  };
  if (complaint !== undefined) return { events: [said, message('user', complaint)] };
  const words = textOf(answer.content);
  if (words.trim() !== '') return { events: [said], finished: words };
  return { events: [said, message('environment', EMPTY_ANSWER)] };
}

/** What a shorter history may help. */
const TOO_LONG: ReadonlySet<string> = new Set([
  'LLMContextWindowExceedError',
  'LLMMalformedConversationHistoryError',
]);

/** What the model is told when its provider refused the request. */
export const REPHRASE =
  'The provider refused the last request for its content. Put what you were about to do in other words, or leave the objectionable part out.';
const EMPTY_ANSWER =
  'Your last turn held neither words nor a tool call. Go on with the task by calling a tool, or call finish if it is done.';

function wasAskedToRephrase(view: View): boolean {
  const last = view.events.findLast((event) => !isResult(event));
  return last?.kind === 'MessageEvent' && textOf(last.llm_message.content) === REPHRASE;
}

/** A message, as its event. */
export function message(
  source: 'user' | 'environment',
  said: string | readonly Content[],
  recall: { readonly names: readonly string[]; readonly content: readonly TextContent[] } = {
    names: [],
    content: [],
  },
): Draft {
  const content = typeof said === 'string' ? [text(said)] : [...said];
  return {
    source,
    llm_message: { role: 'user', content, thinking_blocks: [] },
    activated_skills: [...recall.names],
    extended_content: [...recall.content],
    kind: 'MessageEvent',
  };
}
