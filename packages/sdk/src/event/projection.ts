/**
 * Turns events into the messages that are sent to the model.
 *
 * The invariant, for any history: every tool call of every assistant turn has exactly one result, the results follow their turn
 * directly and in the order of the calls, and a message that was made once stays the same object. Each event extends the prompt;
 * nothing is rebuilt.
 */
import { type Content, text } from './content.ts';
import { messageOfCalls } from './kinds/action.ts';
import { contentOfResult, type RenderObservation, renderContent } from './kinds/result.ts';
import { type ActionEvent, isResult, kindOf, type PromptEvent, type ResultEvent } from './kinds.ts';
import type { Message } from './message.ts';
import { CLIPPED, truncateMiddle } from './truncate.ts';

export { type RenderObservation, renderContent };

const NO_RESULT = 'No result of this call was recorded; its effect is unknown.';

/** An assistant turn with calls; it grows as further calls and their results arrive. */
interface Turn {
  readonly responseId: string;
  readonly calls: ActionEvent[];
  readonly results: Map<string, Message>;
  /** Messages that arrived in between; they follow the results. */
  readonly meanwhile: Message[];
}

export class Projection {
  readonly #render: RenderObservation;
  readonly #settled: Message[] = [];
  #turn: Turn | null = null;
  #turnMessages: Message[] | null = null;

  constructor(render: RenderObservation = renderContent) {
    this.#render = render;
  }

  append(event: PromptEvent): void {
    if (event.kind === 'ActionEvent') this.#addCall(event);
    else if (isResult(event)) this.#addResult(event);
    else this.#say(messageOf(event));
  }

  /** The current prompt. A call without a result gets one that says so. */
  messages(): readonly Message[] {
    if (this.#turn === null) return this.#settled.slice();
    this.#turnMessages ??= messagesOfTurn(this.#turn);
    // A turn starts with the assistant's message, which is never merged with the one before it.
    return this.#settled.concat(coalesced(this.#turnMessages));
  }

  #addCall(event: ActionEvent): void {
    if (this.#turn?.responseId !== event.llm_response_id) {
      this.#settle();
      this.#turn = { responseId: event.llm_response_id, calls: [], results: new Map(), meanwhile: [] };
    }
    this.#turn?.calls.push(event);
    this.#turnMessages = null;
  }

  /** A result that answers no open call of the current turn is left out. */
  #addResult(event: ResultEvent): void {
    const turn = this.#turn;
    const id = event.tool_call_id;
    if (turn === null || turn.results.has(id) || !turn.calls.some((call) => call.tool_call_id === id)) return;
    turn.results.set(id, {
      role: 'tool',
      content: contentOfResult(event, this.#render).map((block) => clipped(legible(block), MAX_RESULT_CHARS)),
      tool_call_id: id,
      name: event.tool_name,
    });
    this.#turnMessages = null;
  }

  #say(message: Message | undefined): void {
    if (message === undefined) return;
    if (message.role === 'system') {
      // It stands first even where it was recorded later: a log may have been imported without one.
      const at = this.#settled.findIndex(({ role }) => role !== 'system');
      this.#settled.splice(at === -1 ? this.#settled.length : at, 0, message);
      return;
    }
    if (this.#turn !== null && message.role === 'user' && !isAnswered(this.#turn)) {
      this.#turn.meanwhile.push(message);
      this.#turnMessages = null;
      return;
    }
    this.#settle();
    pushCoalescing(this.#settled, message);
  }

  #settle(): void {
    if (this.#turn === null) return;
    this.#turnMessages ??= messagesOfTurn(this.#turn);
    for (const message of this.#turnMessages) pushCoalescing(this.#settled, message);
    this.#turn = null;
    this.#turnMessages = null;
  }
}

/** The messages of all events; the same as appending them one by one. */
export function messagesOf(events: Iterable<PromptEvent>, render?: RenderObservation): readonly Message[] {
  const projection = new Projection(render);
  for (const event of events) projection.append(event);
  return projection.messages();
}

/** The message as the kind defines it; undefined if that throws on what another version stored, which must not make the conversation unusable. */
function messageOf(event: PromptEvent): Message | undefined {
  try {
    return kindOf(event.kind)?.toMessage?.(event as never);
  } catch {
    return undefined;
  }
}

function isAnswered(turn: Turn): boolean {
  return turn.calls.every((call) => turn.results.has(call.tool_call_id));
}

function messagesOfTurn(turn: Turn): Message[] {
  const results = turn.calls.map(
    (call): Message =>
      turn.results.get(call.tool_call_id) ?? {
        role: 'tool',
        content: [text(NO_RESULT)],
        tool_call_id: call.tool_call_id,
        name: call.tool_name,
      },
  );
  return [messageOfCalls(turn.calls as [ActionEvent, ...ActionEvent[]]), ...results, ...turn.meanwhile];
}

/** The limit for the text of any tool result; the tools' own limits are lower. Reference, section 2.1. */
const MAX_RESULT_CHARS = 50_000;

/** Bytes that mean nothing to a model, and that some providers refuse: all control characters but tab, line ends and the escape of colours. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]+/g;

/** Each run of control characters becomes one replacement character. */
function legible(block: Content): Content {
  if (block.type !== 'text') return block;
  const shown = block.text.replace(CONTROL, '\ufffd');
  return shown === block.text ? block : { ...block, text: shown };
}

/** The start and the end of a text that is longer than `limit` characters. */
export function clipped(block: Content, limit: number): Content {
  if (block.type !== 'text' || block.text.length <= limit) return block;
  return { ...block, text: truncateMiddle(block.text, limit, `\n${CLIPPED}\n`) };
}

function isPlainUserTurn(message: Message | undefined): message is Message {
  return message?.role === 'user' && message.tool_calls === undefined && message.name === undefined;
}

/** Merges consecutive user messages: providers want the roles to alternate. */
function pushCoalescing(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (isPlainUserTurn(last) && isPlainUserTurn(message)) {
    messages[messages.length - 1] = { ...last, content: [...last.content, ...message.content] };
  } else {
    messages.push(message);
  }
}

function coalesced(messages: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of messages) pushCoalescing(all, message);
  return all;
}
