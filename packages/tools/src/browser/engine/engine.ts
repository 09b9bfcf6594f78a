import { type ToolEnvironment, ToolError, type Workspace } from '@longhand/sdk';
import { inTime } from '../in-time.ts';
import { findBrowser } from './find-browser.ts';
import { openSession, type Session } from './session.ts';
import { type BrowserSettings, browserSettings } from './settings.ts';

/** A page or the browser did not answer in time. */
export class NoAnswerError extends ToolError {}

const STRIKES_TO_HURRY = 2;
const STRIKES_TO_RESTART = 3;
const HURRIED_MS = 30_000;
const TEAR_DOWN_MS = 5_000;
const AFTERMATH_MS = 1_000;

/**
 * The browser of a conversation. It starts at the first use and serves one use at a time, each within a time limit. If it
 * ends, or does not answer three times in a row, the next use starts a new one.
 */
class Engine {
  readonly #workspace: Workspace;
  readonly #settings: BrowserSettings;
  readonly #onWarning: (text: string) => void;
  #session: Promise<Session> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #strikes = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(environment: ToolEnvironment, settings: BrowserSettings) {
    this.#workspace = environment.workspace;
    this.#settings = settings;
    this.#onWarning = environment.onWarning;
  }

  /** Runs `act` on the browser. Throws what `act` throws, the signal's reason, or ToolError if the browser is missing or late. */
  async use<T>(signal: AbortSignal, act: (session: Session, signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    let acting: Promise<unknown> = Promise.resolve();
    try {
      await before;
      signal.throwIfAborted();
      return await this.#useNow(signal, (session, ends) => {
        const result = act(session, ends);
        acting = result;
        return result;
      });
    } finally {
      // A use that was interrupted stops what it had begun before the next one reads the page.
      void inTime(acting, AFTERMATH_MS)
        .catch(() => undefined) // reported by the race above
        .finally(() => turn.resolve());
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const session = await this.#session?.catch(() => undefined); // one that did not start need not be closed
    this.#session = undefined;
    await session?.close();
  }

  async #useNow<T>(
    signal: AbortSignal,
    act: (session: Session, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    clearTimeout(this.#idle);
    const session = await this.#running();
    signal.throwIfAborted();
    const limitMs = this.#limitMs();
    const late = new NoAnswerError(`The browser did not finish within ${limitMs / 1_000} s.`);
    const cut = new AbortController();
    const ends = AbortSignal.any([signal, cut.signal, session.ended]);
    const timer = setTimeout(() => cut.abort(late), limitMs);
    try {
      const result = await Promise.race([act(session, ends), rejectedBy(ends)]);
      this.#strikes = 0;
      return result;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw await this.#failure(session, error);
    } finally {
      clearTimeout(timer);
      cut.abort(late);
      this.#closeWhenIdle();
    }
  }

  #limitMs(): number {
    const usual = this.#settings.action_timeout_seconds * 1_000;
    return this.#strikes >= STRIKES_TO_HURRY ? Math.min(usual, HURRIED_MS) : usual;
  }

  async #running(): Promise<Session> {
    const known = await this.#session?.catch(() => undefined); // one that did not start is retried
    if (known !== undefined && !known.ended.aborted) return known;
    await known?.close();
    this.#session = openSession(this.#workspace, this.#settings, this.#onWarning);
    return await this.#session;
  }

  async #failure(session: Session, error: unknown): Promise<unknown> {
    if (session.ended.aborted) {
      this.#strikes = 0;
      return new ToolError(
        'The browser ended unexpectedly: open pages and what was typed into them are lost. The next call starts a new browser; open the page by its address first.',
      );
    }
    const crashed = await closeCrashed(session);
    if (crashed !== null) return new ToolError(crashed);
    if (!(error instanceof NoAnswerError)) {
      this.#strikes = 0;
      return error;
    }
    this.#strikes += 1;
    if (this.#strikes < STRIKES_TO_RESTART) return error;
    this.#strikes = 0;
    this.#session = undefined;
    await inTime(session.close(), TEAR_DOWN_MS);
    return new ToolError(
      `${error.message} That was the third time in a row, so the browser was closed: open pages are lost. The next call starts a new browser; open the page by its address first.`,
    );
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle);
    const idleMs = this.#settings.session_timeout_minutes * 60_000;
    this.#idle = setTimeout(() => void this.close(), idleMs);
    this.#idle.unref();
  }
}

/** Closes tabs whose renderer has crashed and returns the message about them; null if there are none. */
async function closeCrashed(session: Session): Promise<string | null> {
  const crashed = session.tabs.list.filter((tab) => tab.crashed);
  if (crashed.length === 0) return null;
  const urls = crashed.map((tab) => tab.page.url()).join(', ');
  // The tab may be gone already, or not even answer to this.
  await Promise.all(crashed.map((tab) => inTime(tab.page.close(), TEAR_DOWN_MS).catch(() => undefined)));
  return `The page crashed and its tab was closed (${urls}). The browser still runs: open the page again, unless it crashes each time.`;
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export interface SharedEngine {
  readonly engine: Engine;
  /** Closes the browser when the last tool has released it. */
  readonly release: () => Promise<void>;
}

/** The browser of each workspace that has one, and how many tools use it. */
const engines = new WeakMap<
  Workspace,
  { readonly engine: Engine; readonly settings: string; users: number }
>();

/**
 * The engine of a workspace, shared by all tools that work there. Later settings that differ are ignored, with a warning.
 * Null, with a warning, if no browser is installed. Throws an Error if a setting is invalid.
 */
export async function engineFor(environment: ToolEnvironment, params: object): Promise<SharedEngine | null> {
  const settings = browserSettings(params);
  if (environment.inert !== true) {
    try {
      await findBrowser(environment.workspace, settings.executable_path);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      environment.onWarning(`The agent has no browser. ${error.message}`);
      return null;
    }
  }
  return shareEngine(environment, settings);
}

function shareEngine(environment: ToolEnvironment, settings: BrowserSettings): SharedEngine {
  const wanted = JSON.stringify(settings);
  const held = engines.get(environment.workspace) ?? {
    engine: new Engine(environment, settings),
    settings: wanted,
    users: 0,
  };
  engines.set(environment.workspace, held);
  if (held.settings !== wanted) {
    environment.onWarning('The browser is shared with other tools: the settings of the first one apply.');
  }
  held.users += 1;
  let isReleased = false;
  return {
    engine: held.engine,
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      held.users -= 1;
      if (held.users > 0) return;
      engines.delete(environment.workspace);
      await held.engine.close();
    },
  };
}
