import {
  type Event,
  type Message,
  readConversation,
  type Stats,
  type StoredConversation,
  serializeEvent,
} from '@longhand/sdk';
import { modelCalls, movesHead } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneId } from '../flags/command.ts';
import { onFlag } from '../flags/flag.ts';
import { AT, OUTPUT } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { toolKnowledge } from '../stored/tool-knowledge.ts';
import { UsageError } from '../usage-error.ts';
import { eventLines } from '../view/event-lines.ts';
import { usd } from '../view/figures.ts';
import type { LineOptions } from '../view/lines.ts';
import { messageLines } from '../view/message-lines.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import { sanitize, sanitizeLine } from '../view/sanitize.ts';
import { styleFor } from '../view/style.ts';
import { figures } from '../view/summary.ts';

const TIMELINE_LINES = 12;

const FLAGS = {
  part: {
    at: AT,
    messages: onFlag({
      name: 'messages',
      help: 'the messages that the model is sent at that event, rebuilt from the log',
    }),
    calls: onFlag({ name: 'calls', help: "the model's calls one by one: tokens, cache, cost and time" }),
  },
  output: OUTPUT,
  store: STORE,
};
type ShowOptions = Asked<typeof FLAGS, string>;

/** `longhand show ID`: a stored conversation, even while another process writes it. */
export const show = defineCommand({
  name: 'show',
  about:
    'longhand show ID: shows what happened in a conversation, event by event; with --at one event and the state after it. The\nbeginning of the id is enough.',
  flags: FLAGS,
  words: oneId,
  run: showConversation,
});

async function showConversation(asked: ShowOptions): Promise<ExitCode> {
  const { part, output, store } = asked;
  const { directory } = findConversation(conversationsDirectory(store.conversationsDir), asked.words);
  const { warn: onWarning } = createReporter(output, process, process.env);
  const isTold = part.messages || !(output.json || part.calls);
  const { tool, ...known } = isTold ? await toolKnowledge(directory) : {};
  const conversation = await readConversation(directory, { onWarning, ...known });
  try {
    const style = styleFor(process.stdout, process.env);
    if (part.messages && output.json) {
      const at = lastOr(part.at, conversation);
      for (const message of await conversation.wireMessagesAt(at)) process.stdout.write(`${message}\n`);
      return EXIT.ok;
    }
    for (const line of await shown(asked, conversation, directory, {
      style,
      maxLines: TIMELINE_LINES,
      timeline: true,
      ...defined({ tool }),
    })) {
      process.stdout.write(`${line}\n`);
    }
    return EXIT.ok;
  } finally {
    await conversation.close();
  }
}

async function shown(
  { part: { at, messages, calls }, output: { json } }: ShowOptions,
  conversation: StoredConversation,
  directory: string,
  options: LineOptions,
): Promise<Iterable<string>> {
  const { log } = conversation;
  const until = lastOr(at, conversation);
  if (calls) return callOutput(conversation.accounts(), json);
  if (messages) return messageOutput(await conversation.messagesAt(until), options);
  if (at === undefined) return json ? jsonTimeline(conversation) : timeline(conversation, directory, options);
  const event = log.at(at);
  if (event === undefined) throw new UsageError(`event ${at} is missing: its file is gone or cannot be read`);
  return eventOutput(conversation, event, at, json, options);
}

/** Throws UsageError if there is no such event. */
function lastOr(at: number | undefined, { log }: StoredConversation): number {
  const last = log.length - 1;
  if (at !== undefined && at > last)
    throw new UsageError(`there is no event ${at}: the conversation has the events 0 to ${last}`);
  return at ?? last;
}

/** Line N is event N, unless an event is missing. */
function* jsonTimeline({ log }: StoredConversation): Iterable<string> {
  for (const [, event] of log.read()) yield serializeEvent(event);
}

function* timeline(
  conversation: StoredConversation,
  directory: string,
  options: LineOptions,
): Iterable<string> {
  const { log, state, tags, workingDir } = conversation;
  const { dim, bold } = options.style;
  yield bold(directory);
  yield dim(
    [
      state.status,
      sanitizeLine(tags['agent'] ?? ''),
      `${log.length} events`,
      figures(state.stats),
      sanitizeLine(workingDir ?? ''),
    ]
      .filter((fact) => fact !== '')
      .join(' · '),
  );
  const callAt = new Map<string, number>();
  const branch = new Set(conversation.branch().map(({ id }) => id));
  for (const [index, event] of log.read()) {
    if (event.kind === 'ActionEvent') callAt.set(event.tool_call_id, index);
    const answered =
      'tool_call_id' in event && event.kind !== 'ActionEvent' ? callAt.get(event.tool_call_id) : undefined;
    const isAbandoned = movesHead(event) && !branch.has(event.id);
    yield* entry(index, event, { answered, isAbandoned }, options);
  }
}

interface Place {
  /** The index of the call, for a result. */
  readonly answered: number | undefined;
  /** On a branch that HEAD has left: the model is not sent the event. */
  readonly isAbandoned: boolean;
}

/** The event's lines beside its number and its time of day; a result also names the call that it answers. */
function* entry(
  index: number,
  event: Event,
  { answered, isAbandoned }: Place,
  options: LineOptions,
): Iterable<string> {
  const { dim } = options.style;
  const lines = eventLines(event, options);
  const number = String(index).padStart(4);
  const time = sanitizeLine(event.timestamp).slice(11, 19);
  const head = answered === undefined ? '' : `result of ${answered}`;
  const name = event.kind === 'ActionEvent' ? event.tool_name : event.kind;
  if (lines.length === 0 || head !== '') lines.unshift(dim(head === '' ? sanitizeLine(name) : head));
  if (isAbandoned) lines[0] += dim(' (another branch)');
  for (const [i, line] of lines.entries()) {
    yield `${i === 0 ? dim(`${number}  ${time}`) : ' '.repeat(14)}  ${line}`;
  }
}

function* eventOutput(
  conversation: StoredConversation,
  event: Event,
  at: number,
  json: boolean,
  options: LineOptions,
): Iterable<string> {
  const state = conversation.stateAt(at);
  if (json) {
    yield ownLine({ type: 'event', index: at, event, state }).trimEnd();
    return;
  }
  const { bold, dim } = options.style;
  yield bold(`event ${at}: ${sanitizeLine(event.kind)} by ${event.source}, ${sanitizeLine(event.timestamp)}`);
  yield* sanitize(JSON.stringify(event, null, 2)).split('\n');
  yield bold('state after it');
  yield* [
    `status  ${state.status}`,
    `model   ${figures(state.stats) || 'not called yet'}`,
    `head    ${state.leafId ?? 'none'}`,
  ];
  yield dim('see the messages that are sent to the model here with --messages');
}

/** The model's calls in order, from the accounts; failed calls have no usage and are left out. */
function* callOutput(accounts: readonly Stats[], json: boolean): Iterable<string> {
  const calls = [...modelCalls(accounts)].flatMap(({ usage, ...call }) =>
    usage === undefined ? [] : [{ ...call, usage }],
  );
  if (json) {
    for (const { usageId, usage, costUsd: cost, seconds: latency } of calls)
      yield ownLine({ type: 'call', usage_id: usageId, ...usage, cost, latency }).trimEnd();
    return;
  }
  yield callLine('FOR', 'MODEL', 'IN', 'CACHED', 'WRITTEN', 'OUT', 'THOUGHT', 'COST', 'TIME');
  for (const { usageId, usage, costUsd, seconds } of calls) {
    yield callLine(
      usageId,
      sanitizeLine(usage.model),
      usage.prompt_tokens,
      usage.cache_read_tokens,
      usage.cache_write_tokens,
      usage.completion_tokens,
      usage.reasoning_tokens,
      costUsd === null ? 'unknown' : usd(costUsd),
      seconds === null ? '' : `${seconds.toFixed(1)} s`,
    );
  }
}

function callLine(purpose: string, model: string, ...figures: (string | number)[]): string {
  return `${purpose.padEnd(10)}  ${model.padEnd(32)}${figures.map((figure) => String(figure).padStart(9)).join('')}`;
}

function* messageOutput(messages: readonly Message[], options: LineOptions): Iterable<string> {
  for (const message of messages) yield* messageLines(message, options.style);
}
