/**
 * What Longhand and the reference have to agree on about a folder. What differs on purpose is brought into one form: see
 * docs/reference/conversation-folder.md.
 */
import { isDeepStrictEqual } from 'node:util';
import { judgeStuck } from '../src/conversation/run/stuck.ts';
import { branchOf } from '../src/conversation/state/history.ts';
import { conversationDirectory } from '../src/conversation/store/location.ts';
import { readConversation } from '../src/conversation/store/read.ts';
import type { Event } from '../src/event/kinds.ts';
import type { Metrics } from '../src/llm/accounts/metrics.ts';
import { View } from '../src/view/view.ts';

export interface Facts {
  /** Kind and id. */
  readonly events: readonly (readonly [string, string])[];
  readonly view: readonly string[];
  readonly messages: readonly {
    readonly role: string;
    readonly text: string;
    /** Name and arguments. */
    readonly calls: readonly (readonly [string, string])[];
  }[];
  readonly stuck: boolean;
  readonly status: string;
  readonly head: string | null;
  readonly accounts: {
    readonly [usageId: string]: {
      readonly cost: number;
      readonly prompt: number;
      readonly completion: number;
    };
  };
}

/** As Longhand reads them; changes nothing. */
export async function ourFacts(conversations: string, id: string): Promise<Facts> {
  const stored = await readConversation(conversationDirectory(conversations, id));
  try {
    const { log, state } = stored;
    const branch = branchOf(log, state.leafId);
    const waiting = new Set<Event>(viewOf(branch).openActions());
    const view = viewOf(branch.filter((event) => !waiting.has(event)));
    return inOneForm({
      events: [...log].map((event) => [event.kind, event.id]),
      view: view.events.map(({ id: each }) => each),
      messages: view.messages().map(({ role, content, tool_calls: calls }) => ({
        role,
        text: (content ?? []).map((each) => (each.type === 'text' ? each.text : '')).join(''),
        calls: (calls ?? []).map((call) => [call.name, call.arguments]),
      })),
      stuck: judgeStuck(view.events).kind === 'stuck',
      status: state.status,
      head: state.leafId,
      accounts: Object.fromEntries(
        Object.entries(state.stats.usage_to_metrics).map(([usageId, metrics]) => [
          usageId,
          accountOf(metrics),
        ]),
      ),
    });
  } finally {
    await stored.close();
  }
}

function viewOf(branch: readonly Event[]): View {
  const view = new View();
  for (const event of branch) view.append(event);
  return view;
}

function accountOf({
  accumulated_cost: cost,
  accumulated_token_usage: tokens,
}: Metrics): Facts['accounts'][string] {
  return {
    cost: Number(cost.toFixed(9)),
    prompt: tokens.prompt_tokens,
    completion: tokens.completion_tokens,
  };
}

/** Results of one turn in any order; no accounts without calls. */
export function inOneForm(facts: Facts): Facts {
  const used = Object.entries(facts.accounts).filter(([, { prompt, completion }]) => prompt + completion > 0);
  return { ...facts, messages: withSortedResults(facts.messages), accounts: Object.fromEntries(used) };
}

function withSortedResults(messages: Facts['messages']): Facts['messages'] {
  const sorted = [...messages];
  for (let start = 0; start < sorted.length; start += 1) {
    let end = start;
    while (sorted[end]?.role === 'tool') end += 1;
    const results = sorted.slice(start, end).sort((a, b) => a.text.localeCompare(b.text));
    sorted.splice(start, results.length, ...results);
    start = Math.max(start, end - 1);
  }
  return sorted;
}

/** Where two readings of a folder differ, one line for each fact. */
export function differences(longhand: Facts, reference: Facts): string[] {
  return (Object.keys(longhand) as (keyof Facts)[]).flatMap((key) => {
    const place = firstDifference(longhand[key], reference[key], key);
    return place === null ? [] : [place];
  });
}

function firstDifference(one: unknown, other: unknown, path: string): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const found = firstDifference(Reflect.get(one, key), Reflect.get(other, key), `${path}.${key}`);
      if (found !== null) return found;
    }
  }
  return `${path}: longhand ${shown(one)}, reference ${shown(other)}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
