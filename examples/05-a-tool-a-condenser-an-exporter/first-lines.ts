import { type Condenser, KEEP, type Message, text, textOf } from '@longhand/sdk';

/** Shows only the first line of a result that is longer than `limit` characters, once `newest` messages follow it. */
export function firstLines(limit: number, newest: number): Condenser {
  const shortened = (message: Message): Message => {
    const words = textOf(message.content);
    if (message.role !== 'tool' || words.length <= limit) return message;
    return { ...message, content: [text(`${words.split('\n')[0]}\n[${words.length} characters in all]`)] };
  };
  return {
    handlesRequests: false,
    condense: async (view) => {
      const messages = view.messages();
      if (messages.length <= newest) return KEEP;
      const old = messages.slice(0, -newest).map(shortened);
      return { kind: 'messages', messages: [...old, ...messages.slice(-newest)] };
    },
  };
}
