/**
 * A replay in V0's sense: the engine executes the actions of a trajectory again, in the current workspace and under all its
 * rules; then the agent continues. The results are compared with the recorded ones, so that a run stops at the first
 * difference.
 */

import type { Conversation } from '../conversation/conversation.ts';
import type { Outcome } from '../conversation/state/status.ts';
import { type Content, textOf } from '../event/content.ts';
import { type ActionEvent, type Event, isResult, type ResultEvent } from '../event/kinds.ts';
import type { Message, MessageToolCall } from '../event/message.ts';
import { type Completion, type LLM, NO_USAGE } from '../llm/llm.ts';
import { pythonJson } from '../tool/python-json.ts';
import { headOf } from '../value/cut.ts';
import { isRecord } from '../value/is-record.ts';
import { objectIn } from './foreign-values.ts';
import type { Imported } from './imported.ts';
import { type Call, passagesOf } from './passages.ts';
import { TrajectoryError } from './trajectory-error.ts';

interface Say {
  readonly kind: 'say';
  readonly content: readonly Content[];
}

/** A recorded turn of the model and the results of its calls. */
interface Answer {
  readonly kind: 'answer';
  readonly id: string;
  readonly message: Message;
  readonly calls: readonly Call[];
}

export interface ActionReplay {
  /** Number of actions that will be executed. */
  readonly actions: number;
  /** Names of the tools that were called. */
  readonly tools: ReadonlySet<string>;
  /** A model that answers from the trajectory until it ends, and then passes requests on. */
  llm(model: LLM): LLM;
  /** Sends the recorded messages and runs the agent. Resolves to the outcome of the run. */
  run(conversation: Conversation, signal: AbortSignal): Promise<Outcome>;
}

/** Throws TrajectoryError if it does not start with a message of the user, which is the task. */
export function replayActions({ events, where }: Imported): ActionReplay {
  return new Replay(scriptOf(events), where);
}

class Replay implements ActionReplay {
  readonly #script: readonly (Say | Answer)[];
  readonly #where: Imported['where'];
  #at = 0;
  #conversation: Conversation | undefined;
  /** The calls of the last turn that wait for results. */
  #awaited = new Map<string, Call>();
  #misfit: string | undefined;
  #pausedForUser = false;

  constructor(script: readonly (Say | Answer)[], where: Imported['where']) {
    this.#script = script;
    this.#where = where;
  }

  get actions(): number {
    return this.#script.reduce((sum, part) => sum + (part.kind === 'answer' ? part.calls.length : 0), 0);
  }

  get tools(): ReadonlySet<string> {
    const calls = this.#script.flatMap((part) => (part.kind === 'answer' ? part.calls : []));
    return new Set(calls.map(({ action }) => action.tool_name));
  }

  llm(model: LLM): LLM {
    return {
      ...model,
      complete: (prompt, options) => {
        // Condensers and sub-agents also use this model.
        const part = prompt.cacheKey === this.#conversation?.id ? this.#next() : undefined;
        if (part === undefined) return model.complete(prompt, options);
        this.#at += 1;
        this.#awaited = new Map(part.calls.map((call) => [call.action.tool_call_id, call]));
        return Promise.resolve(completionOf(part));
      },
    };
  }

  /** If the agent asks where a user message follows, an automatic reply was sent instead, and that message is skipped. */
  #next(): Answer | undefined {
    let part = this.#script[this.#at];
    while (part?.kind === 'say') {
      this.#at += 1;
      part = this.#script[this.#at];
    }
    return part;
  }

  async run(conversation: Conversation, signal: AbortSignal): Promise<Outcome> {
    this.#conversation = conversation;
    const unsubscribe = conversation.subscribe({ onEvent: (event) => this.#saw(event) });
    try {
      for (;;) {
        const part = this.#script[this.#at];
        if (part?.kind === 'say') {
          this.#at += 1;
          await conversation.send(part.content);
        }
        this.#pausedForUser = false;
        const outcome: Outcome = signal.aborted ? { kind: 'interrupted' } : await conversation.run();
        if (this.#misfit !== undefined) return misfitOutcome(this.#misfit);
        const isUsersTurn = this.#script[this.#at]?.kind === 'say';
        if (!isUsersTurn || !(outcome.kind === 'finished' || this.#pausedForUser)) return outcome;
      }
    } finally {
      unsubscribe();
    }
  }

  #saw(event: Event): void {
    if (!isResult(event)) return;
    const call = this.#awaited.get(event.tool_call_id);
    if (call === undefined) return;
    this.#awaited.delete(event.tool_call_id);
    this.#misfit ??= this.#misfitOf(call, event);
    if (this.#misfit !== undefined) this.#conversation?.pause();
    else if (this.#awaited.size === 0 && this.#script[this.#at]?.kind === 'say') {
      this.#pausedForUser = true;
      this.#conversation?.pause();
    }
  }

  #misfitOf({ action, result }: Call, now: ResultEvent): string | undefined {
    if (result === undefined) return undefined;
    const then = effectOf(result);
    const found = effectOf(now);
    if (then === 'unknown' || found === 'unknown' || then === found) return undefined;
    const place = this.#where(action.id);
    const said = saidIn(now);
    return `the trajectory does not fit here${place === '' ? '' : `: ${place}`}: ${callWords(action)}: ${found} now, ${then} on record${said === '' ? '' : `\n${said}`}`;
  }
}

function scriptOf(events: readonly Event[]): (Say | Answer)[] {
  const script: (Say | Answer)[] = [];
  for (const passage of passagesOf(events)) {
    if (passage.kind === 'turn') push(script, answerOf(passage.responseId, passage.calls));
    else if (passage.event.kind === 'MessageEvent' && passage.event.source === 'user')
      script.push({ kind: 'say', content: passage.event.llm_message.content });
    else if (passage.event.kind === 'MessageEvent' && passage.event.source === 'agent') {
      const { id, llm_message: message, llm_response_id: responseId = id } = passage.event;
      push(script, { kind: 'answer', id: responseId, message, calls: [] });
    }
  }
  if (script[0]?.kind !== 'say')
    throw new TrajectoryError(
      'it cannot be replayed: it does not start with a message of the user, which is the task',
    );
  return script;
}

/** Text without a call would end the run; where the agent continued, it is merged into the next turn. */
function push(script: (Say | Answer)[], answer: Answer): void {
  const before = script.at(-1);
  if (before?.kind !== 'answer' || before.calls.length > 0) {
    script.push(answer);
    return;
  }
  const content = [...before.message.content, ...answer.message.content];
  script[script.length - 1] = { ...answer, message: { ...answer.message, content } };
}

function answerOf(id: string, calls: readonly Call[]): Answer {
  const [first] = calls;
  const message: Message = {
    role: 'assistant',
    content: calls.flatMap(({ action }) => [...action.thought]),
    tool_calls: calls.map(({ action }) => calledAgain(action)),
    ...(first?.action.reasoning_content === undefined
      ? {}
      : { reasoning_content: first.action.reasoning_content }),
    thinking_blocks: first?.action.thinking_blocks ?? [],
  };
  return { kind: 'answer', id, message, calls };
}

/**
 * The call with all fields of its action: the tool may require fields that it did not have then (V0's `finish` had no message). A
 * call that could not be executed stays unchanged.
 */
function calledAgain({ action, tool_call: call }: ActionEvent): MessageToolCall {
  if (action === undefined) return call;
  const { kind, ...fields } = action;
  const asked = kind === 'MCPToolAction' ? fields['data'] : fields;
  const written = objectIn(call.arguments) ?? {};
  if (!isRecord(asked) || Object.entries(asked).every(([name, value]) => isSame(value, written[name])))
    return call;
  return { ...call, arguments: pythonJson({ ...written, ...asked }) };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** No request was made, so it costs nothing. */
function completionOf({ id, message, calls }: Answer): Completion {
  return {
    id,
    message,
    finish: { reason: calls.length === 0 ? 'stop' : 'tool-calls' },
    usage: NO_USAGE,
    costUsd: 0,
    latencyMs: 0,
  };
}

/** The comparable part of a result; output contains times and process ids, and always differs. */
function effectOf(result: ResultEvent): string {
  if (result.kind !== 'ObservationEvent') return 'an error';
  const { exit_code: exitCode, is_error: isError } = result.observation;
  if (typeof exitCode === 'number' && exitCode >= 0) return `exit code ${exitCode}`;
  // Still running or not started: this depends on timing.
  if (typeof exitCode === 'number') return 'unknown';
  return isError === true ? 'an error' : 'done';
}

const MOST_CHARACTERS = 300;

function callWords({ tool_name: name, action }: ActionEvent): string {
  const { command, path, code }: { readonly [name: string]: unknown } = action ?? {};
  const said = [command, path, code].filter((word) => typeof word === 'string').join(' ');
  const [line = ''] = said.split('\n');
  return said === '' ? name : `${name} ${JSON.stringify(headOf(line, MOST_CHARACTERS))}`;
}

function saidIn(result: ResultEvent): string {
  const said =
    result.kind === 'AgentErrorEvent'
      ? result.error
      : result.kind === 'UserRejectObservation'
        ? (result.rejection_reason ?? '')
        : textOf(result.observation.content as readonly Content[]);
  return headOf(said.trim(), MOST_CHARACTERS);
}

function misfitOutcome(detail: string): Outcome {
  return {
    kind: 'error',
    code: 'TrajectoryMisfit',
    detail,
    remedy:
      'The actions before it were executed. Resume the conversation to let the agent continue from there.',
  };
}
