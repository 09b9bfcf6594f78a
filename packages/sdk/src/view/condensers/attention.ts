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
  description: 'Says which events must stay.',
  parameters: {
    type: 'object',
    properties: {
      ids: {
        type: 'array',
        items: { type: 'integer' },
        description: 'Numbers of events, the most important first.',
      },
    },
    required: ['ids'],
  },
};

/** Asks a model which events matter; these stay, and what room is left the newest get. The others are forgotten. */
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

/** The ids of the events that stay: whole units, such as a call with its result, as long as there is room. */
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
  const words = `An agent's work has grown too long. Of the events below only the most important can stay. Call keep_events with their numbers, the most important first: requirements of the user, decisions, facts that the rest of the work depends on.\n\n${blocks.join('\n')}`;
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
