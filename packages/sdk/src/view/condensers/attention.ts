import { text } from '../../event/content.ts';
import type { PromptEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { cutPoints } from '../rules.ts';
import { defineCondenser } from './condenser-kind.ts';
import { renderEvent } from './render-event.ts';
import { type Replace, ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';

const MAX_EVENT_LENGTH = 2_000;

const TOOL = {
  name: 'keep_events',
  description: 'Lists the events to keep.',
  parameters: {
    type: 'object',
    properties: {
      ids: {
        type: 'array',
        items: { type: 'integer' },
        description: 'The numbers of the events, the most important first.',
      },
    },
    required: ['ids'],
  },
};

/** Asks a model which events matter. These stay, the newest events fill the remaining room, and the others are forgotten. */
export interface AttentionSpec extends Rolling {
  readonly type: 'llm_attention';
}

export const attention = defineCondenser<AttentionSpec>({
  ...ROLLING_MEMBERS,
  create: (given) => {
    const spec = { maxSize: 100, ...given };
    const replace: Replace = async ({ start, forgotten }, { llm, signal }) => {
      const model = await llm();
      const prompt = { messages: asking(forgotten.map(renderEvent), spec), tools: [TOOL] };
      const { id, message } = await model.complete(prompt, { signal });
      const ids = idsIn(message);
      if (ids === null) return null;
      const room = Math.max(0, Math.floor(spec.maxSize / 2) - start);
      return { responseId: id, keep: kept(forgotten, ids, room) };
    };
    return rolling(spec, replace, false);
  },
});

/** The ids of the events that stay. Units such as a call with its result stay as a whole, as long as there is room. */
function kept(events: readonly PromptEvent[], numbers: readonly number[], room: number): ReadonlySet<string> {
  const cuts = cutPoints(events);
  const units = cuts.slice(1).map((end, i) => events.slice(cuts[i], end));
  const important = numbers.flatMap((number) =>
    units.filter((unit) => unit.includes(events[number] as PromptEvent)),
  );
  const ids = new Set<string>();
  for (const unit of [...important, ...units.toReversed()]) {
    const more = unit.filter(({ id }) => !ids.has(id));
    if (ids.size + more.length <= room) for (const { id } of more) ids.add(id);
  }
  return ids;
}

function asking(events: readonly string[], { maxEventLength = MAX_EVENT_LENGTH }: Rolling): Message[] {
  const blocks = events.map((words, i) => `<EVENT id=${i}>\n${words.slice(0, maxEventLength)}\n</EVENT>`);
  const words = `The history of an agent's work has become too long. Only the most important of the events below can be kept. Call keep_events with the numbers of the events to keep, the most important first: requirements of the user, decisions, facts that the remaining work depends on.\n\n${blocks.join('\n')}`;
  return [{ role: 'user', content: [text(words)] }];
}

function idsIn({ tool_calls: calls }: Message): number[] | null {
  try {
    const { ids } = JSON.parse(calls?.[0]?.arguments ?? 'null') as { ids?: unknown };
    return Array.isArray(ids) ? ids.filter((id): id is number => Number.isInteger(id)) : null;
  } catch {
    return null;
  }
}
