/** The kinds of conversations that the two programs carry on in turns. */
import type { Reply } from '@longhand/sdk/testing';

/** What a person does, in the words of both drivers. */
export type Step =
  | { readonly do: 'send'; readonly text: string; readonly image?: string }
  /** Every call needs confirmation from now on. */
  | { readonly do: 'confirm' }
  /** Moves HEAD before the last message of the user. */
  | { readonly do: 'navigate' }
  | { readonly do: 'reject'; readonly reason: string }
  /** Approves the calls that wait, if there are any, and runs. */
  | { readonly do: 'approve' }
  | { readonly do: 'run' | 'condense' };

export interface Kind {
  readonly steps: readonly Step[];
  /** The model's answers to the requests of one turn, in order; after them it says that it is done. Or by the role of the last message. */
  readonly replies: readonly Reply[] | ((lastRole: string) => Reply);
}

const send = (text: string): Step => ({ do: 'send', text });
const run: Step = { do: 'run' };
const echo = (words: unknown, name = 'echo') => ({ name, arguments: { words } as object });
const calls = (...toolCalls: NonNullable<Reply['toolCalls']>): Reply => ({ toolCalls });
const done: Reply = { text: 'Done.' };

/** A dot. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const KINDS: { readonly [name: string]: Kind } = {
  text: { steps: [send('Hello.'), run], replies: [{ text: 'Hello to you.' }] },
  call: { steps: [send('Echo.'), run], replies: [calls(echo('one')), done] },
  'parallel calls': { steps: [send('Echo twice.'), run], replies: [calls(echo('one'), echo('two')), done] },
  'text with a call': {
    steps: [send('Echo.'), run],
    replies: [{ text: 'I will echo it.', ...calls(echo('one')) }, done],
  },
  finish: {
    steps: [send('Finish.'), run],
    replies: [calls({ name: 'finish', arguments: { message: 'All is done.' } })],
  },
  think: {
    steps: [send('Think.'), run],
    replies: [calls({ name: 'think', arguments: { thought: 'It is easy.' } }), done],
  },
  reasoning: { steps: [send('Why?'), run], replies: [{ reasoning: 'Because.', text: 'Since it is so.' }] },
  'reasoning with a call': {
    steps: [send('Why?'), run],
    replies: [{ reasoning: 'I have to ask.', ...calls(echo('one')) }, done],
  },
  'unknown tool': { steps: [send('Sing.'), run], replies: [calls(echo('one', 'sing')), done] },
  'wrong arguments': { steps: [send('Echo.'), run], replies: [calls({ name: 'echo', arguments: {} }), done] },
  'broken arguments': {
    steps: [send('Echo.'), run],
    replies: [calls({ name: 'echo', arguments: '{"words": [' }), done],
  },
  'valid beside wrong': {
    steps: [send('Echo.'), run],
    replies: [calls(echo('one'), { name: 'echo', arguments: {} }), done],
  },
  'crashing tool': { steps: [send('Crash.'), run], replies: [calls(echo('crash')), done] },
  'repeated call': { steps: [send('Echo.'), run], replies: Array(8).fill(calls(echo('again'))) },
  'alternating calls': {
    steps: [send('Echo.'), run],
    replies: Array(6)
      .fill([calls(echo('tick')), calls(echo('tock'))])
      .flat(),
  },
  'repeated failure': { steps: [send('Crash.'), run], replies: Array(8).fill(calls(echo('crash'))) },
  approved: {
    steps: [{ do: 'confirm' }, send('Echo.'), run, { do: 'approve' }],
    replies: [calls(echo('one')), done],
  },
  rejected: {
    steps: [{ do: 'confirm' }, send('Echo.'), run, { do: 'reject', reason: 'Not now.' }, run],
    replies: [calls(echo('one')), done],
  },
  'left waiting': {
    steps: [{ do: 'confirm' }, { do: 'approve' }, send('Echo.'), run],
    replies: (lastRole) => (lastRole === 'tool' ? done : calls(echo('one'))),
  },
  image: { steps: [{ do: 'send', text: 'Look.', image: IMAGE }, run], replies: [{ text: 'A dot.' }] },
  'odd characters': {
    steps: [send('“é” 😀 \u0000 \u2028 \\ " <EVENT>\t\r\n end'), run],
    replies: [calls(echo('“é” 😀 \\n')), { text: '一\n二 😀' }],
  },
  'two messages': { steps: [send('First.'), send('Second.'), run], replies: [{ text: 'Both.' }] },
  unanswered: { steps: [send('Nobody answers yet.')], replies: [] },
  'moved head': {
    steps: [send('First.'), run, send('Second.'), run, { do: 'navigate' }, send('Third.'), run],
    replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
  },
  condensed: {
    steps: [send('A long story.'), run, send('And on.'), run, { do: 'condense' }],
    replies: [calls(echo('one')), done, calls(echo('two')), done, { text: 'In short: a story.' }],
  },
  'failing model': {
    steps: [send('Fail.'), run],
    replies: [{ error: { status: 400, message: 'no such thing' } }],
  },
};
