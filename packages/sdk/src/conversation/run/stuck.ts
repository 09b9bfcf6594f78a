/**
 * Detects an agent that makes no progress. Looks at the last 20 prompt events at most, since a person last spoke; messages that the engine
 * sends in the user's name do not count as a person's. Calls are compared by tool and arguments, and are paired with their results by the
 * call's id. In both the reference differs, and misses loops.
 */
import { SENDERS, senderOf } from '../../agent/sender.ts';
import { textOf } from '../../event/content.ts';
import {
  type ActionEvent,
  isResult,
  type MessageEvent,
  type PromptEvent,
  type ResultEvent,
} from '../../event/kinds.ts';

const WINDOW = 20;
const SAME_RESULT = 4;
const SAME_ERROR = 3;
/** Equal answers in a row. */
const MONOLOGUE = 3;
/** Answers in a row that were cut off at the output limit, whatever they say: each costs a full output. */
const CUT_ANSWERS = 3;
/** Answers in a row, whatever they say. */
const ANSWERS = 10;
const ALTERNATING = 6;
/** Turns in a row of which no call could be carried out, whatever the calls were. */
const INVALID_TURNS = 6;

/** What `judgeStuck` found. */
export type StuckVerdict =
  | { readonly kind: 'free' }
  /** The model must be told: the same call has failed three times. */
  | { readonly kind: 'nudge'; readonly text: string }
  | { readonly kind: 'stuck'; readonly detail: string };

interface Exchange {
  readonly tool: string;
  readonly call: string;
  readonly result: string;
  readonly failed: boolean;
}

const FREE: StuckVerdict = { kind: 'free' };

/** Judges the latest events of a conversation's active branch, e.g. `view.events`. */
export function judgeStuck(events: readonly PromptEvent[]): StuckVerdict {
  const monologue = judgeAnswers(answersOf(events));
  if (monologue !== null) return stuck(monologue);

  if (isHelpless(events))
    return stuck(`no call of the last ${INVALID_TURNS} turns names a known tool with valid arguments`);

  const recent = sinceUserSpoke(events);
  const exchanges = exchangesOf(recent);
  const last = exchanges.at(-1);
  if (last === undefined) return FREE;

  const failures = trailing(exchanges, (each) => each.failed && each.call === last.call);
  if (failures > SAME_ERROR) return stuck(`the same call of ${last.tool} has failed ${failures} times`);
  if (failures === SAME_ERROR && recent.at(-1)?.kind !== 'MessageEvent')
    return { kind: 'nudge', text: nudge(last) };

  const repeats = trailing(exchanges, (each) => each.call === last.call && each.result === last.result);
  if (!last.failed && repeats >= SAME_RESULT) {
    return stuck(`the same call of ${last.tool} has given the same result ${repeats} times`);
  }
  if (isAlternating(exchanges)) return stuck(`the agent alternates between the same two calls`);
  return FREE;
}

function stuck(detail: string): StuckVerdict {
  return { kind: 'stuck', detail };
}

function nudge(exchange: Exchange): string {
  return (
    `Your last ${SAME_ERROR} calls of ${exchange.tool} were identical and failed with the same result:\n` +
    `${exchange.result.slice(0, 1_000)}\n` +
    'Do not send the same call again. Change its arguments, or use another approach.'
  );
}

function sinceUserSpoke(events: readonly PromptEvent[]): readonly PromptEvent[] {
  const window = events
    .slice(-2 * WINDOW)
    .filter((event) => !isAutoReply(event))
    .slice(-WINDOW);
  return window.slice(window.findLastIndex(isOfPerson) + 1);
}

function isOfPerson(event: PromptEvent): boolean {
  return event.kind === 'MessageEvent' && event.source === 'user' && senderOf(event) === undefined;
}

function isAutoReply(event: PromptEvent): event is MessageEvent {
  return event.kind === 'MessageEvent' && senderOf(event) === SENDERS.autoContinue;
}

/** A turn of the agent that is text only. */
interface Answer {
  readonly words: string;
  readonly isCut: boolean;
}

/**
 * The latest turns without a call, the last one first. What the engine says in between does not end the row, but a reply that differs
 * from the reply before it does: somebody answers.
 */
function answersOf(events: readonly PromptEvent[]): readonly Answer[] {
  const answers: Answer[] = [];
  let isCut = false;
  let reply: string | undefined;
  for (let i = events.length - 1; i >= 0 && answers.length < ANSWERS; i -= 1) {
    const event = events[i];
    if (event?.kind === 'CondensationSummaryEvent') continue;
    if (event?.kind !== 'MessageEvent' || isOfPerson(event)) break;
    const words = textOf(event.llm_message.content);
    if (event.source === 'agent') {
      answers.push({ words, isCut });
      isCut = false;
    } else if (isAutoReply(event)) {
      if (reply !== undefined && words !== reply) break;
      reply = words;
    } else isCut ||= senderOf(event) === SENDERS.cutAnswer;
  }
  return answers;
}

/** Why the answers are a monologue; null if they are not. */
function judgeAnswers(answers: readonly Answer[]): string | null {
  const [last, ...before] = answers.slice(0, MONOLOGUE);
  if (before.length === MONOLOGUE - 1 && before.every(({ words }) => words === last?.words))
    return `the agent has given the same answer ${MONOLOGUE} times in a row without calling a tool`;
  if (answers.length >= CUT_ANSWERS && answers.slice(0, CUT_ANSWERS).every(({ isCut }) => isCut))
    return `the last ${CUT_ANSWERS} answers were cut off at the output limit`;
  return answers.length >= ANSWERS
    ? `the agent has answered ${ANSWERS} times in a row without calling a tool`
    : null;
}

/** Looks behind the window, since a turn may have many calls. Messages neither count nor break the row, unless the user speaks. */
function isHelpless(events: readonly PromptEvent[]): boolean {
  const turns = new Set<string>();
  for (let i = events.length - 1; i >= 0; i -= 1) {
    const event = events[i];
    if (event === undefined || isOfPerson(event)) return false;
    if (event.kind !== 'ActionEvent') continue;
    if (event.action !== undefined) return false;
    if (turns.add(event.llm_response_id).size >= INVALID_TURNS) return true;
  }
  return false;
}

/** Read backwards: some endpoints give every call the same id, and a result belongs to the latest such call before it. */
function exchangesOf(events: readonly PromptEvent[]): readonly Exchange[] {
  const results = new Map<string, ResultEvent>();
  const exchanges: Exchange[] = [];
  for (const event of events.toReversed()) {
    if (isResult(event)) results.set(event.tool_call_id, event);
    if (event.kind !== 'ActionEvent') continue;
    const result = results.get(event.tool_call_id);
    results.delete(event.tool_call_id);
    if (result !== undefined) exchanges.push(exchangeOf(event, result));
  }
  return exchanges.reverse();
}

function exchangeOf(action: ActionEvent, result: ResultEvent): Exchange {
  return {
    tool: action.tool_name,
    call: `${action.tool_name} ${callArguments(action)}`,
    result: resultText(result),
    failed: result.kind === 'AgentErrorEvent',
  };
}

/** The action's own arguments; of a call that could not be parsed, the text as the model wrote it. */
function callArguments(action: ActionEvent): string {
  if (action.action !== undefined) return JSON.stringify(action.action);
  try {
    const {
      security_risk: _risk,
      summary: _summary,
      ...own
    } = JSON.parse(action.tool_call.arguments) as Record<string, unknown>;
    return JSON.stringify(own);
  } catch {
    return action.tool_call.arguments;
  }
}

function resultText(result: ResultEvent): string {
  switch (result.kind) {
    case 'ObservationEvent': {
      const { metadata: _metadata, ...observation } = result.observation;
      return JSON.stringify(observation);
    }
    case 'UserRejectObservation':
      return result.rejection_reason ?? '';
    case 'AgentErrorEvent':
      return result.error;
  }
}

function trailing(exchanges: readonly Exchange[], matches: (exchange: Exchange) => boolean): number {
  const breaks = exchanges.findLastIndex((each) => !matches(each));
  return exchanges.length - 1 - breaks;
}

function isAlternating(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.slice(-ALTERNATING);
  return (
    last.length === ALTERNATING &&
    last[0]?.call !== last[1]?.call &&
    last.every((each, i) => i < 2 || (each.call === last[i - 2]?.call && each.result === last[i - 2]?.result))
  );
}
