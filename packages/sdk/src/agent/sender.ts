/**
 * Who says a message that no person wrote: the `sender` of its event. What an event means is told by its sender, never by its words, so
 * the words may change.
 */
import { type Content, textOf } from '../event/content.ts';
import type { MessageEvent } from '../event/kinds.ts';

export const SENDERS = {
  /** The model is told how many turns are left. */
  turnsLeft: 'longhand:turns-left',
  /** The same call failed several times. */
  repeatedFailure: 'longhand:repeated-failure',
  /** The provider rejected a request because of its content. */
  rejectedContent: 'longhand:rejected-content',
  /** A call that the model wrote as text cannot be parsed. */
  unreadableCall: 'longhand:unreadable-call',
  /** The model's turn had neither text nor a call. */
  emptyAnswer: 'longhand:empty-answer',
  /** The model's text ended at the limit of its output. */
  cutAnswer: 'longhand:cut-answer',
  /** Tools were added, changed or removed while the conversation was open. */
  toolsChanged: 'longhand:tools-changed',
  /** A reply in the place of an absent user. */
  autoContinue: 'longhand:auto-continue',
  /** A stop hook does not let the run end. */
  stopHook: 'hook:stop',
  /** What another hook adds to the conversation. */
  hook: 'hook:context',
} as const;
export type Sender = (typeof SENDERS)[keyof typeof SENDERS];

/** Undefined for what a person says, and for what another program wrote. */
export function senderOf(event: MessageEvent): Sender | undefined {
  const { sender, source } = event;
  if (sender !== undefined) return ALL.has(sender) ? (sender as Sender) : undefined;
  return source === 'agent' ? undefined : senderOfOld(event.llm_message.content);
}

const ALL: ReadonlySet<string> = new Set(Object.values(SENDERS));

/**
 * The sentences of version 0.1 before it wrote senders. Old folders are recognised by them, so they never change; what the engine says
 * today stands elsewhere.
 */
const OLD_SENTENCES: readonly (readonly [Sender, RegExp])[] = [
  [
    SENDERS.turnsLeft,
    /^You have 5 turns left\. Bring what you are doing to an end that can be used, and call finish with what is left to do\.$/,
  ],
  [SENDERS.repeatedFailure, /^Your last 3 calls of \S+ were the same and failed in the same way:\n/],
  [
    SENDERS.rejectedContent,
    /^The provider refused the last request for its content\. Put what you were about to do in other words, or leave the objectionable part out\.$/,
  ],
  [
    SENDERS.unreadableCall,
    /^Your last message seems to call a function, but the call cannot be read\. Write it/,
  ],
  [
    SENDERS.emptyAnswer,
    /^Your last turn held neither words nor a tool call\. Go on with the task by calling a tool, or call finish if it is done\.$/,
  ],
  [
    SENDERS.autoContinue,
    /^Nobody is here to answer\. Go on in the way that seems best to you\. If the task is done, call finish\. Do not ask again\.$/,
  ],
  [SENDERS.stopHook, /^\[Stop hook feedback\] /],
];

function senderOfOld(content: readonly Content[]): Sender | undefined {
  const said = textOf(content.slice(0, 1));
  return OLD_SENTENCES.find(([, sentence]) => sentence.test(said))?.[0];
}
