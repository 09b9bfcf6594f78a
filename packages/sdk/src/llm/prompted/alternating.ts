import type { Message } from '../../event/message.ts';

/** Joins adjacent messages of one role: many chat templates reject two user messages in a row. Equal input gives the same objects. */
export function alternating(): (messages: readonly Message[]) => readonly Message[] {
  const joined = new WeakMap<Message, WeakMap<Message, Message>>();
  const join = (first: Message, second: Message): Message => {
    const known = joined.get(first)?.get(second);
    if (known !== undefined) return known;
    const message = { ...first, content: [...first.content, ...second.content] };
    joined.set(first, (joined.get(first) ?? new WeakMap()).set(second, message));
    return message;
  };
  return (messages) => {
    const result: Message[] = [];
    for (const message of messages) {
      const last = result.at(-1);
      if (last !== undefined && last.role === message.role && message.role !== 'system')
        result[result.length - 1] = join(last, message);
      else result.push(message);
    }
    return result;
  };
}
