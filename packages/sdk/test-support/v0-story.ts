/**
 * Conversations told twice: as our events, and as the V0 trajectory that they must become. The second telling is written from the
 * description of V0's format and shares nothing with the exporter.
 */
import * as fc from 'fast-check';
import { text } from '../src/event/content.ts';
import { type Draft, eventOf } from '../src/event/draft.ts';
import type { ActionEvent, Event } from '../src/event/kinds.ts';
import { countingClock, errorDraft, wordsDraft } from './random-history.ts';

type Json = { readonly [key: string]: unknown };

interface Call {
  readonly what: 'run' | 'think' | 'delegate' | 'condense' | 'grep' | 'invalid';
  readonly answer: 'result' | 'error' | 'rejected' | 'none';
}

type Part =
  | { readonly part: 'prompt'; readonly place: boolean }
  | { readonly part: 'user'; readonly skills: number; readonly hook: boolean }
  | { readonly part: 'agent' | 'environment'; readonly reasons: boolean }
  | {
      readonly part: 'turn';
      readonly reasons: boolean;
      readonly says: boolean;
      readonly calls: readonly Call[];
    }
  | { readonly part: 'request' }
  | { readonly part: 'condensation'; readonly count: number; readonly summary: boolean };

const call: fc.Arbitrary<Call> = fc.record({
  what: fc.constantFrom('run', 'think', 'delegate', 'condense', 'grep', 'invalid'),
  answer: fc.constantFrom('result', 'error', 'rejected', 'none'),
});

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ part: fc.constant('user' as const), skills: fc.nat(2), hook: fc.boolean() }),
  fc.record({ part: fc.constantFrom('agent' as const, 'environment' as const), reasons: fc.boolean() }),
  fc.record({
    part: fc.constant('turn' as const),
    reasons: fc.boolean(),
    says: fc.boolean(),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  }),
  fc.constant({ part: 'request' as const }),
  fc.record({ part: fc.constant('condensation' as const), count: fc.nat(4), summary: fc.boolean() }),
);

/** A conversation as our events, and as the elements of a V0 trajectory without the texts for people. */
export interface Story {
  readonly events: readonly Event[];
  readonly elements: readonly Json[];
}

export const VERSION = 'Longhand 9.9';

export const randomStory: fc.Arbitrary<Story> = fc
  .tuple(
    fc.option(fc.record({ part: fc.constant('prompt' as const), place: fc.boolean() }), { nil: undefined }),
    fc.array(part, { minLength: 1, maxLength: 12 }),
  )
  .map(([prompt, parts]) => tell(prompt === undefined ? parts : [prompt, ...parts]));

function tell(parts: readonly Part[]): Story {
  const teller = new Teller(parts.some((each) => each.part === 'user'));
  for (const each of parts) teller.tell(each);
  return teller;
}

class Teller {
  readonly events: Event[] = [];
  readonly elements: Json[] = [];
  readonly #clock = countingClock();
  /** Numbers of the elements that tell of an event. */
  readonly #numbers = new Map<Event, number[]>();
  readonly #hasUser: boolean;
  #place = '';
  #users = 0;
  #skills = 0;
  #answers = 0;

  constructor(hasUser: boolean) {
    this.#hasUser = hasUser;
  }

  tell(what: Part): void {
    switch (what.part) {
      case 'prompt':
        this.#prompt(what.place);
        break;
      case 'user':
        this.#user(what.skills, what.hook);
        break;
      case 'turn':
        this.#turn(what.reasons, what.says, what.calls);
        break;
      case 'condensation':
        this.#condensation(what.count, what.summary);
        break;
      case 'request': {
        const event = this.#event({ source: 'agent', kind: 'CondensationRequest' } as Draft);
        this.#element(event, { source: 'agent', action: 'condensation_request', args: {} });
        break;
      }
      default:
        this.#words(what.part, what.part === 'agent' && what.reasons);
    }
  }

  #event(draft: Draft): Event {
    const event = eventOf(draft, this.events.at(-1)?.id ?? null, this.#clock);
    this.events.push(event);
    return event;
  }

  #element(event: Event, { source, cause, ...own }: Json): number {
    const id = this.elements.length;
    const { timestamp } = event;
    this.elements.push({ id, timestamp, source, ...(cause === undefined ? {} : { cause }), ...own });
    this.#numbers.set(event, [...(this.#numbers.get(event) ?? []), id]);
    return id;
  }

  #prompt(hasPlace: boolean): void {
    this.#place = hasPlace ? 'You are at home.' : '';
    const tools = [{ description: 'Runs commands.', kind: 'TerminalTool' }];
    const event = this.#event({
      source: 'agent',
      system_prompt: text('Be good.'),
      tools,
      ...(hasPlace ? { dynamic_context: text(this.#place) } : {}),
      kind: 'SystemPromptEvent',
    } as Draft);
    const content = hasPlace && !this.#hasUser ? `Be good.\n${this.#place}` : 'Be good.';
    const args = { content, tools, openhands_version: VERSION, agent_class: 'CodeActAgent' };
    this.#element(event, { source: 'agent', action: 'system', args });
  }

  #user(count: number, hook: boolean): void {
    const isFirst = this.#users === 0;
    this.#users += 1;
    const skills = Array.from({ length: count }, () => {
      this.#skills += 1;
      const trigger = `word ${this.#skills}`;
      return {
        name: `skill-${this.#skills}`,
        trigger,
        content: `<EXTRA_INFO>\nAdded for "${trigger}" by somebody.\n\nDo it "well".\n</EXTRA_INFO>`,
      };
    });
    const blocks = skills.map(({ content }) => content).join('\n');
    const said = `request ${this.#users}`;
    const event = this.#event({
      ...wordsDraft('user', said),
      activated_skills: skills.map(({ name }) => name),
      extended_content: [
        ...(blocks === '' ? [] : [text(blocks)]),
        ...(hook ? [text('The hook says hi.')] : []),
      ],
    } as Draft);
    this.#element(event, {
      source: 'user',
      action: 'message',
      args: { content: said, file_urls: null, image_urls: null, wait_for_response: false, security_risk: -1 },
    });
    const recall_type = isFirst ? 'workspace_context' : 'knowledge';
    const args = { recall_type, query: said, thought: '' };
    const cause = this.#element(event, { source: 'user', action: 'recall', args });
    const knowledge = [...skills, ...(hook ? [{ name: '', trigger: '', content: 'The hook says hi.' }] : [])];
    if (knowledge.length === 0 && !(isFirst && this.#place !== '')) {
      this.#element(event, { source: 'environment', cause, observation: 'null', content: '', extras: {} });
      return;
    }
    const workspace = {
      repo_name: '',
      repo_directory: '',
      repo_branch: '',
      repo_instructions: '',
      runtime_hosts: {},
      additional_agent_instructions: this.#place,
      date: '',
      custom_secrets_descriptions: {},
      conversation_instructions: '',
      working_dir: '',
    };
    const extras = { recall_type, ...(isFirst ? workspace : {}), microagent_knowledge: knowledge };
    this.#element(event, { source: 'environment', cause, observation: 'recall', content: '', extras });
  }

  #words(source: 'agent' | 'environment', reasons: boolean): void {
    const said = `words ${this.events.length}`;
    const draft = wordsDraft(source, said) as Draft & { readonly llm_message: Json };
    const reasoning = `REASON-PLAIN ${this.events.length}`;
    const llm_message = reasons ? { ...draft.llm_message, reasoning_content: reasoning } : draft.llm_message;
    const event = this.#event({ ...draft, llm_message } as unknown as Draft);
    const wait_for_response = source === 'agent';
    const args = { content: said, file_urls: null, image_urls: null, wait_for_response, security_risk: -1 };
    this.#element(event, { source, action: 'message', args: reasons ? { ...args, reasoning } : args });
  }

  #condensation(count: number, hasSummary: boolean): void {
    const forgotten = this.events.slice(0, count);
    const numbers = forgotten.flatMap((event) => this.#numbers.get(event) ?? []).sort((a, b) => a - b);
    const event = this.#event({
      source: 'environment',
      forgotten_event_ids: forgotten.map(({ id }) => id),
      ...(hasSummary ? { summary: 'what was', summary_offset: 1 } : {}),
      llm_response_id: 'condenser',
      kind: 'Condensation',
    } as Draft);
    this.#element(event, {
      source: 'agent',
      action: 'condensation',
      args: {
        forgotten_event_ids: numbers,
        forgotten_events_start_id: null,
        forgotten_events_end_id: null,
        summary: hasSummary ? 'what was' : null,
        summary_offset: hasSummary ? 1 : null,
      },
    });
  }

  #turn(reasons: boolean, says: boolean, calls: readonly Call[]): void {
    this.#answers += 1;
    const response = `response-${this.#answers}`;
    const said = says ? `said ${this.#answers}` : '';
    const reasoning = reasons ? `reason ${this.#answers}` : undefined;
    const actions = calls.map(({ what }, i) => {
      const draft = callOf(what, `call-${this.#answers}-${i}`, response);
      const first = {
        thought: said === '' ? [] : [text(said)],
        ...(reasons ? { reasoning_content: reasoning } : {}),
      };
      return this.#event({ ...draft, ...(i === 0 ? first : {}) } as Draft) as ActionEvent;
    });
    const metadata = (id: string, name: string) => ({
      function_name: name,
      tool_call_id: id,
      model_response: {
        id: response,
        object: 'chat.completion',
        model: '',
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: said === '' ? null : said,
              ...(reasons ? { reasoning_content: reasoning } : {}),
              tool_calls: actions.map(({ tool_call: { id: own, name: called, arguments: args } }) => ({
                id: own,
                type: 'function',
                function: { name: called, arguments: args },
              })),
            },
          },
        ],
      },
      total_calls_in_response: calls.length,
    });
    const results = calls.map(({ answer, what }, i) =>
      answer === 'none' ? undefined : this.#event(answerOf(actions[i] as ActionEvent, answer, what)),
    );
    for (const [i, action] of actions.entries()) {
      const { what, answer } = calls[i] as Call;
      const tool_call_metadata = metadata(action.tool_call_id, action.tool_name);
      const thought = [...(i === 0 ? [reasoning ?? '', said] : []), what === 'think' ? 'Hm.' : '']
        .filter((each) => each !== '')
        .join('\n');
      const cause = this.#element(action, {
        source: 'agent',
        ...actionOf(what, tool_call_metadata, thought),
      });
      const result = results[i];
      if (result !== undefined)
        this.#element(result, { source: 'agent', cause, ...observationOf(what, answer, tool_call_metadata) });
    }
  }
}

const NAMES = {
  run: 'terminal',
  think: 'think',
  delegate: 'task',
  condense: 'request_condensation',
  grep: 'grep',
  invalid: 'grep',
} as const;

const ACTIONS: { readonly [K in Call['what']]: Json | undefined } = {
  run: { command: 'ls', kind: 'TerminalAction' },
  think: { thought: 'Hm.', kind: 'ThinkAction' },
  delegate: { prompt: 'Find it.', subagent_type: 'explorer', description: 'find', kind: 'TaskAction' },
  condense: { kind: 'RequestCondensationAction' },
  grep: { pattern: 'x', kind: 'GrepAction' },
  invalid: undefined,
};

const OBSERVATIONS: { readonly [K in Call['what']]: Json } = {
  run: { command: 'ls', exit_code: 0, timeout: false, kind: 'TerminalObservation' },
  think: { kind: 'ThinkObservation' },
  delegate: { task_id: 'task_1', subagent: 'explorer', status: 'completed', kind: 'TaskObservation' },
  condense: { kind: 'RequestCondensationObservation' },
  grep: { matches: [], kind: 'GrepObservation' },
  invalid: { kind: 'GrepObservation' },
};

function callOf(what: Call['what'], id: string, response: string): Json {
  const { kind: _, ...fields } = ACTIONS[what] ?? {};
  return {
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    ...(ACTIONS[what] === undefined ? {} : { action: ACTIONS[what] }),
    tool_name: NAMES[what],
    tool_call_id: id,
    tool_call: { id, name: NAMES[what], arguments: JSON.stringify(fields), origin: 'completion' },
    llm_response_id: response,
    security_risk: 'LOW',
    kind: 'ActionEvent',
  };
}

function answerOf(call: ActionEvent, answer: Call['answer'], what: Call['what']): Draft {
  const { tool_name, tool_call_id, id } = call;
  if (answer === 'error' || what === 'invalid')
    return { ...errorDraft(tool_call_id, 'It broke.'), tool_name } as Draft;
  if (answer === 'rejected')
    return {
      source: 'environment',
      tool_name,
      tool_call_id,
      rejection_reason: 'Not that.',
      rejection_source: 'user',
      action_id: id,
      kind: 'UserRejectObservation',
    };
  return {
    source: 'environment',
    tool_name,
    tool_call_id,
    observation: { content: [text('done')], is_error: false, ...OBSERVATIONS[what] },
    action_id: id,
    extended_content: [],
    kind: 'ObservationEvent',
  } as unknown as Draft;
}

/** An action of V0, without its head. */
function actionOf(what: Call['what'], tool_call_metadata: Json, thought: string): Json {
  const head = (action: string) => ({ action, tool_call_metadata });
  switch (what) {
    case 'run':
      return {
        ...head('run'),
        args: {
          command: 'ls',
          is_input: false,
          blocking: false,
          is_static: false,
          cwd: null,
          hidden: false,
          confirmation_state: 'confirmed',
          thought,
          security_risk: 0,
        },
      };
    case 'think':
      return { ...head('think'), args: { thought } };
    case 'delegate':
      return {
        ...head('delegate'),
        args: { agent: 'explorer', inputs: { task: 'Find it.', description: 'find' }, thought },
      };
    case 'condense':
      return { ...head('condensation_request'), args: {} };
    case 'grep':
      return {
        ...head('call_tool_mcp'),
        args: { name: 'grep', arguments: { pattern: 'x' }, thought, security_risk: 0 },
      };
    case 'invalid':
      return { ...head('null'), args: {} };
  }
}

/** An observation of V0, without its head. */
function observationOf(what: Call['what'], answer: Call['answer'], tool_call_metadata: Json): Json {
  const head = (observation: string, content: string) => ({ observation, tool_call_metadata, content });
  if (answer === 'error' || what === 'invalid')
    return { ...head('error', 'It broke.'), extras: { error_id: '' } };
  if (answer === 'rejected') return { ...head('user_rejected', 'Not that.'), extras: {} };
  const mcp = (args: Json, structuredContent: Json) => ({
    ...head(
      'mcp',
      JSON.stringify({
        meta: null,
        content: [{ type: 'text', text: 'done' }],
        structuredContent,
        isError: false,
      }),
    ),
    extras: { name: NAMES[what], arguments: args },
  });
  switch (what) {
    case 'run': {
      const metadata = {
        exit_code: 0,
        pid: -1,
        username: null,
        hostname: null,
        working_dir: null,
        py_interpreter_path: null,
        prefix: '',
        suffix: '',
      };
      return { ...head('run', 'done'), extras: { command: 'ls', metadata, hidden: false }, success: true };
    }
    case 'think':
      return { ...head('think', 'done'), extras: {} };
    case 'delegate':
      return {
        ...head('delegate', 'done'),
        extras: {
          outputs: { content: 'done', task_id: 'task_1', subagent: 'explorer', status: 'completed' },
        },
      };
    case 'condense':
      return mcp({}, { kind: 'RequestCondensationObservation' });
    default:
      return mcp({ pattern: 'x' }, { matches: [], kind: 'GrepObservation' });
  }
}
