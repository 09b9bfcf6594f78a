import type { Draft } from '../../event/draft.ts';
import { defined } from '../../value/defined.ts';
import type { Hook, HookConfig, HookEventType } from './hook-config.ts';
import { captureHook, type HookDeps, type HookInput, type HookResult, runHook } from './run-hook.ts';

type HookDraft = Extract<Draft, { kind: 'HookExecutionEvent' }>;

/** The combined verdict of an event's hooks. */
export interface HookVerdict {
  /** To store before the event that they were called for. */
  readonly events: readonly Draft[];
  /** The reason of a refusal; undefined if nothing was refused. */
  readonly refusal?: string;
  readonly additionalContext: readonly string[];
}

export interface HookOccasion {
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly toolResponse?: unknown;
  readonly message?: string;
  readonly actionId?: string;
  readonly metadata?: { readonly [key: string]: unknown };
}

/** Events at which the first refusal is final. */
const CAN_REFUSE: ReadonlySet<HookEventType> = new Set(['PreToolUse', 'UserPromptSubmit', 'Stop']);

const SILENCE: HookVerdict = { events: [], additionalContext: [] };

/** Observes a conversation, and may refuse actions and messages. */
export interface Onlookers {
  on(event: HookEventType, occasion: HookOccasion, signal?: AbortSignal): Promise<HookVerdict>;
  close(): Promise<void>;
}

/** The hooks of one conversation. */
export class Hooks implements Onlookers {
  readonly #config: HookConfig;
  readonly #sessionId: string;
  readonly #deps: HookDeps;
  /** Asynchronous hooks in progress. */
  readonly #loose = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #hasBegun = false;

  constructor(config: HookConfig, sessionId: string, deps: Omit<HookDeps, 'signal'>) {
    this.#config = config;
    this.#sessionId = sessionId;
    this.#deps = { ...deps, signal: this.#closing.signal };
  }

  /** Runs the hooks of an event in order. A session starts once, with its first run. Rejects only when `signal` is aborted. */
  async on(
    event: HookEventType,
    occasion: HookOccasion,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<HookVerdict> {
    const { toolName = '' } = occasion;
    if (event === 'SessionStart') {
      if (this.#hasBegun) return SILENCE;
      this.#hasBegun = true;
    }
    const groups = (this.#config[event] ?? []).filter(
      ({ matches }) => occasion.toolName === undefined || matches(toolName),
    );
    if (groups.length === 0) return SILENCE;
    const input = this.#inputOf(event, occasion);
    const events: Draft[] = [];
    const additionalContext: string[] = [];
    for (const hook of groups.flatMap(({ hooks }) => hooks)) {
      if (hook.isAsync) {
        this.#letLoose(hook, input);
        continue;
      }
      const result = await runHook(hook, input, { ...this.#deps, signal });
      events.push(executed(event, hook, occasion, result));
      if (result.additionalContext !== undefined) additionalContext.push(result.additionalContext);
      if (result.blocked && CAN_REFUSE.has(event)) {
        return { events, additionalContext, refusal: result.reason ?? 'refused by a hook' };
      }
    }
    return { events, additionalContext };
  }

  /** Ends hooks that are still running. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#loose);
  }

  #letLoose(hook: Hook, input: HookInput): void {
    // Its result is not reported: the run does not wait for it.
    const running = captureHook(hook, input, this.#deps.workspace, this.#closing.signal).catch(
      () => undefined,
    );
    this.#loose.add(running);
    void running.then(() => this.#loose.delete(running));
  }

  #inputOf(
    event: HookEventType,
    { toolName, toolInput, toolResponse, message, metadata }: HookOccasion,
  ): HookInput {
    return {
      event_type: event,
      tool_name: toolName ?? null,
      tool_input: toolInput ?? null,
      tool_response: toolResponse ?? null,
      message: message ?? null,
      session_id: this.#sessionId,
      working_dir: this.#deps.workspace.root,
      metadata: metadata ?? {},
    };
  }
}

function executed(
  event: HookEventType,
  hook: Hook,
  { toolName, actionId }: HookOccasion,
  result: HookResult,
): HookDraft {
  return {
    source: 'hook',
    hook_event_type: event,
    hook_command: hook.command ?? hook.name ?? 'prompt',
    ...defined({ tool_name: toolName }),
    success: result.success,
    blocked: result.blocked,
    exit_code: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    ...defined({
      reason: result.reason,
      additional_context: result.additionalContext,
      error: result.error,
      action_id: actionId,
    }),
    kind: 'HookExecutionEvent',
  };
}
