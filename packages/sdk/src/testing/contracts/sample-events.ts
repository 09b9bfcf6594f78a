import { text } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Clock } from '../../event/identity.ts';
import type { ActionEvent, Event, PromptEvent } from '../../event/kinds.ts';

/** A clock that counts, so that times and ids are the same in every run. */
function countingClock(): Clock {
  let ticks = 0;
  return {
    now: () => 1_750_000_000_000 + ++ticks,
    newId: () => `00000000-0000-4000-8000-${String(++ticks).padStart(12, '0')}`,
  };
}

/** A conversation of a system prompt, a task and so many calls with their results, each a turn of its own. */
export function sampleConversation(calls: number): readonly PromptEvent[] {
  const clock = countingClock();
  const events: Event[] = [];
  const add = (draft: Draft): Event => {
    const event = eventOf(draft, events.at(-1)?.id ?? null, clock);
    events.push(event);
    return event;
  };
  add({ source: 'agent', system_prompt: text('You are an agent.'), tools: [], kind: 'SystemPromptEvent' });
  add({
    source: 'user',
    llm_message: {
      role: 'user',
      content: [text('Do it: "quoted", 漢字, 🙂, \u2028.\n')],
      thinking_blocks: [],
    },
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  });
  for (let i = 0; i < calls; i += 1) addCall(add, i);
  return events as PromptEvent[];
}

function addCall(add: (draft: Draft) => Event, i: number): void {
  const id = `call-${i}`;
  const command = `command ${i}`;
  const call = add({
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    action: { command, kind: 'TerminalAction' },
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { id, name: 'terminal', arguments: JSON.stringify({ command }), origin: 'completion' },
    llm_response_id: `response-${i}`,
    security_risk: 'LOW',
    kind: 'ActionEvent',
  }) as ActionEvent;
  add({
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: id,
    observation: {
      content: [text(`output ${i} ${'x'.repeat(200)}`)],
      is_error: false,
      kind: 'TerminalObservation',
    },
    action_id: call.id,
    extended_content: [],
    kind: 'ObservationEvent',
  });
}
