import { type Content, textOf } from '../../event/content.ts';
import { type Event, showEvent } from '../../event/kinds.ts';
import { dollars, seconds, thousands } from '../figures.ts';
import { type Passage, passagesOf, type Turn } from '../passages.ts';
import type { StepStats } from '../stats.ts';
import { callMarkup } from './calls.ts';
import { badge, box, fold, picture, prose, written } from './markup.ts';
import { say } from './say.ts';

type Group = 'messages' | 'commands' | 'files' | 'errors' | 'other';

/** The timeline, one article per passage. */
export function* entriesMarkup(branch: readonly Event[], steps: readonly StepStats[]): Iterable<string> {
  const stepOf = new Map(steps.map((step) => [step.response_id, step]));
  let number = 0;
  for (const passage of passagesOf(branch)) {
    const entry = passage.kind === 'turn' ? turnEntry(passage, stepOf) : eventEntry(passage.event, stepOf);
    if (entry === undefined) continue;
    number += 1;
    yield article(number, passage, entry);
  }
}

interface Entry {
  readonly who: string;
  readonly className: string;
  readonly groups: readonly Group[];
  readonly failed: boolean;
  readonly badges: string;
  readonly body: string;
}

function article(
  number: number,
  passage: Passage,
  { who, className, groups, failed, badges, body }: Entry,
): string {
  const timestamp = (passage.kind === 'turn' ? passage.calls[0]?.action : passage.event)?.timestamp ?? '';
  const clock = timestamp.slice(11, 19);
  const all = [...new Set([...groups, ...(failed ? ['failed'] : [])])].join(' ');
  return `<article id="e${number}" class="${className}" data-groups="${all}"><a class="gutter" href="#e${number}"><b>${number}</b><time>${say(clock)}</time></a><div class="entry"><header><span class="who">${who}</span>${badges}</header>${body}</div></article>`;
}

function turnEntry({ responseId, calls }: Turn, stepOf: ReadonlyMap<string, StepStats>): Entry {
  const [first] = calls;
  const shown = calls.map(callMarkup);
  return {
    who: 'Agent',
    className: 'agent',
    groups: [
      ...shown.map(({ group }) => group),
      ...(calls.some(({ result }) => result?.kind === 'AgentErrorEvent') ? (['errors'] as const) : []),
    ],
    failed: shown.some(({ failed }) => failed),
    badges: stepBadges(stepOf.get(responseId)),
    body: [
      reasoning(first?.action.reasoning_content),
      written(
        calls
          .map(({ action }) => textOf(action.thought))
          .filter((words) => words !== '')
          .join('\n'),
      ),
      ...shown.map(({ markup }) => markup),
    ].join(''),
  };
}

function stepBadges(step: StepStats | undefined): string {
  if (step === undefined) return '';
  const { step: number, model_seconds, tool_seconds, cost, prompt_tokens, completion_tokens } = step;
  return [
    `step ${number}`,
    model_seconds === null ? '' : `model ${seconds(model_seconds)}`,
    tool_seconds >= 0.05 ? `tools ${seconds(tool_seconds)}` : '',
    cost === null ? '' : dollars(cost),
    prompt_tokens === null ? '' : `${thousands(prompt_tokens)} in, ${thousands(completion_tokens ?? 0)} out`,
  ]
    .filter((fact) => fact !== '')
    .map((fact) => badge(fact))
    .join('');
}

function reasoning(words: string | undefined): string {
  return words === undefined || words === '' ? '' : fold('reasoning', box(words, 'dim'));
}

function eventEntry(event: Event, stepOf: ReadonlyMap<string, StepStats>): Entry | undefined {
  const plain = { className: 'note', groups: ['other'] as const, failed: false, badges: '' };
  switch (event.kind) {
    case 'SystemPromptEvent': {
      const blocks = event.dynamic_context === undefined ? [] : [event.dynamic_context];
      const text = textOf([event.system_prompt, ...blocks]);
      return {
        ...plain,
        who: 'System',
        body: fold(`the system prompt, ${event.tools.length} tools`, `<pre>${say(text)}</pre>`),
      };
    }
    case 'MessageEvent': {
      const { content } = event.llm_message;
      const isAgent = event.source === 'agent';
      const extended = event.extended_content ?? [];
      return {
        ...plain,
        className: isAgent ? 'agent' : event.source === 'user' ? 'user' : 'note',
        groups: ['messages'],
        who: isAgent ? 'Agent' : event.source === 'user' ? 'User' : 'Environment',
        badges: stepBadges(isAgent ? stepOf.get(event.llm_response_id ?? event.id) : undefined),
        body: [
          reasoning(event.llm_message.reasoning_content),
          isAgent ? written(textOf(content)) : prose(textOf(content)),
          ...pictures(content),
          extended.length === 0 ? '' : fold('added knowledge', box(textOf(extended))),
        ].join(''),
      };
    }
    case 'Condensation': {
      const forgotten = event.forgotten_event_ids?.length ?? 0;
      const summary = event.summary === undefined ? '' : fold('summary', box(event.summary));
      return {
        ...plain,
        who: 'Condensation',
        body: `${prose(`${forgotten} events were condensed.`)}${summary}`,
      };
    }
    case 'CondensationRequest':
      return { ...plain, who: 'Condensation', body: prose('requested') };
    case 'PauseEvent':
      return { ...plain, who: 'User', body: prose('paused the run') };
    case 'InterruptEvent':
      return { ...plain, who: 'User', body: prose('interrupted the run') };
    case 'ConversationErrorEvent':
      return {
        ...plain,
        who: 'Error',
        className: 'note bad',
        failed: true,
        badges: badge(event.code, 'bad'),
        body: box(event.detail, 'bad'),
      };
    case 'HookExecutionEvent':
      return {
        ...plain,
        who: `Hook ${say(event.hook_event_type)}`,
        failed: event.blocked === true,
        badges: badge(
          event.blocked === true ? 'refused' : `exit ${event.exit_code}`,
          event.blocked === true ? 'bad' : '',
        ),
        body: `${box(event.hook_command, 'command')}${box([event.stdout, event.stderr].filter(Boolean).join('\n'), 'output')}`,
      };
    case 'ConversationStateUpdateEvent':
    case 'StreamingDeltaEvent':
    case 'TokenEvent':
    case 'LLMCompletionLogEvent':
      return undefined;
    default: {
      const words = showEvent(event);
      if (words !== undefined) return { ...plain, who: say((event as Event).kind), body: prose(words) };
      return { ...plain, who: say(event.kind), body: fold('JSON', box(JSON.stringify(event, null, 2))) };
    }
  }
}

function pictures(content: readonly Content[]): string[] {
  return content.flatMap((block) => (block.type === 'image' ? block.image_urls.map(picture) : []));
}
