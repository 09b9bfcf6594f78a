import { condense } from '../agent/condense.ts';
import { TimeIsUpError } from '../agent/results.ts';
import { textOf } from '../event/content.ts';
import { type EventId, ROOT } from '../event/identity.ts';
import { LogError } from '../log/log-error.ts';
import type { Tool } from '../tool/tool.ts';
import { schemasOf } from '../tool/tool-schema.ts';
import { LONGEST_TIMER_MS } from '../value/longest-timer.ts';
import { exitEvents } from './exit.ts';
import type { Members } from './members.ts';
import type { Parts } from './parts.ts';
import { recover } from './run/recover.ts';
import { run } from './run/run.ts';
import { condenseDepsOf, runDepsOf, schemaFormOf } from './run/run-deps.ts';
import { STATE_KEYS, stateUpdate, statusUpdate } from './state/state.ts';
import type { Outcome } from './state/status.ts';

/** About how long it takes until the first request is on its way. */
const REQUEST_UNDER_WAY_MS = 10;

export interface InterruptOptions {
  /** Running tools get no time to end in order: their calls get an error result at once. Default: they have five seconds. */
  readonly abandon?: boolean | undefined;
}

interface Work<T> {
  readonly interrupt: AbortController;
  readonly result: Promise<T>;
}

interface Run extends Work<Outcome> {
  readonly abandon: AbortController;
  /** How the user wants the run to end, after the step in progress. */
  requested: Outcome | null;
}

/** Runs the agent, one run or condensation at a time. */
export class Runner {
  readonly #parts: Parts;
  readonly #members: Members;
  #running: Run | null = null;
  #condensing: Work<boolean> | null = null;

  constructor(parts: Parts, members: Members) {
    this.#parts = parts;
    this.#members = members;
  }

  run(): Promise<Outcome> {
    if (this.#running !== null) return this.#running.result;
    const { history, settings } = this.#parts;
    if (history.state.status === 'finished')
      return Promise.resolve({ kind: 'finished', message: this.#lastWords() });
    const [interrupt, abandon] = [new AbortController(), new AbortController()];
    const timer = interruptAfter(settings.limits.maxTimeMs, interrupt);
    const result = this.#run(interrupt.signal, abandon.signal).finally(() => {
      clearTimeout(timer);
      this.#running = null;
    });
    this.#running = { interrupt, abandon, result, requested: null };
    return result;
  }

  /** Runs the agent in the background; if a run is ending just now, another one after it. A failure is kept by the recorder. */
  start(): void {
    const before = this.#running?.result;
    if (before === undefined) {
      this.run().catch(() => undefined);
      return;
    }
    const isUnheard = () => this.#parts.history.state.status === 'idle';
    before.then(() => (isUnheard() ? this.run() : undefined)).catch(() => undefined);
  }

  /** Ends the run after the step in progress, or the conversation if nothing runs. */
  async exit(): Promise<void> {
    if (this.#running !== null) this.#running.requested = { kind: 'finished', message: '' };
    else await this.#members.recorder.record(...exitEvents(this.#parts.history.view));
  }

  condense(): Promise<boolean> {
    if (this.#condensing !== null) return this.#condensing.result;
    const interrupt = new AbortController();
    const result = this.#condense(interrupt.signal).finally(() => {
      this.#condensing = null;
    });
    this.#condensing = { interrupt, result };
    return result;
  }

  pause(): void {
    if (this.#running !== null) this.#running.requested ??= { kind: 'paused' };
  }

  interrupt({ abandon = false }: InterruptOptions = {}): void {
    const reason = new DOMException('interrupted by the user', 'AbortError');
    this.#running?.interrupt.abort(reason);
    this.#condensing?.interrupt.abort(reason);
    if (abandon) this.#running?.abandon.abort(reason);
    this.#members.aroundRuns.interrupt(reason);
  }

  async navigate(id: EventId | null): Promise<void> {
    this.#refuseWhileRunning('navigating');
    const { log, history, tools } = this.#parts;
    if (id !== null && !log.has(id)) throw new LogError('not_found', `the conversation has no event ${id}`);
    const { recorder } = this.#members;
    await recorder.record(stateUpdate(STATE_KEYS.leaf, id ?? ROOT), statusUpdate('idle'));
    await recorder.record(...recover(history, tools));
  }

  /** Resolves when nothing is in progress. Never rejects: whoever began it knows how it ended. */
  async settled(): Promise<void> {
    await this.#running?.result.catch(() => undefined);
    await this.#condensing?.result.catch(() => undefined);
  }

  async #run(signal: AbortSignal, abandoned: AbortSignal): Promise<Outcome> {
    const { recorder, models, aroundRuns, inbox, keeper } = this.#members;
    const main = await models.get(this.#parts.llm.usageId);
    await this.#condensing?.result.catch(() => undefined);
    await inbox.introduce();
    await recorder.record(...(await aroundRuns.onBegin(signal)));
    // Beside the first request to the model rather than before it: nothing waits for it.
    const beside = setTimeout(() => {
      for (const tool of this.#parts.tools.tools) void this.#prepare(tool);
    }, REQUEST_UNDER_WAY_MS);
    const deps = runDepsOf(this.#parts, this.#members, main, { signal, abandoned });
    const outcome = await run(deps, () => this.#running?.requested ?? null).finally(() =>
      clearTimeout(beside),
    );
    await keeper.save();
    return outcome;
  }

  async #prepare(tool: Tool): Promise<void> {
    try {
      await tool.prepare?.({ workspace: this.#parts.settings.workspace });
    } catch (error) {
      this.#members.recorder.warn(`the tool ${tool.name} is not ready: ${String(error)}`);
    }
  }

  async #condense(signal: AbortSignal): Promise<boolean> {
    this.#refuseWhileRunning('condensing');
    const { condenser, history, tools, settings, llm: main } = this.#parts;
    if (!condenser.handlesRequests)
      throw new Error('the condenser of this conversation does not condense on request');
    const { recorder, models, keeper } = this.#members;
    await recorder.record({ source: 'user', kind: 'CondensationRequest' });
    const llm = await models.get(main.usageId);
    const schemas = schemasOf(tools, schemaFormOf(llm, settings.oversight.confirmation));
    const deps = condenseDepsOf(this.#parts, this.#members, schemas, signal);
    const prepared = await condense(history.view, { ...deps, llm });
    if (prepared.kind === 'events') await recorder.record(...prepared.events);
    await recorder.settled(); // what it has cost
    await keeper.save();
    return prepared.kind === 'events';
  }

  #refuseWhileRunning(what: string): void {
    if (this.#running !== null) throw new Error(`the conversation is running: pause it before ${what}`);
  }

  /** What the finished run ended with. */
  #lastWords(): string {
    const messages = this.#parts.history.view.messages();
    const last = messages.findLast(({ role }) => role === 'assistant' || role === 'tool');
    return textOf(last?.content ?? []);
  }
}

function interruptAfter(ms: number | undefined, interrupt: AbortController): NodeJS.Timeout | undefined {
  if (ms === undefined) return undefined;
  const timeIsUp = () => interrupt.abort(new TimeIsUpError(`The time of the run is up: ${ms / 1_000} s.`));
  return setTimeout(timeIsUp, Math.min(ms, LONGEST_TIMER_MS));
}
