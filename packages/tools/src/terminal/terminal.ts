import { type ToolContext, type ToolEnvironment, ToolError, text } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import { loadGrammar, loadingGrammar } from './bash/grammar.ts';
import { dataLiteral } from './bash/literal-guard.ts';
import { isPlainLine } from './bash/plain-line.ts';
import { readScript } from './bash/script.ts';
import { type Output, outputOf, refusal } from './output/observation.ts';
import { Session } from './session/session.ts';
import { Turns } from './session/turns.ts';
import { foregroundCap, type Settings } from './settings.ts';
import * as words from './words.ts';

/** If the first so many statements are complete to bash, the text was split correctly. */
const LOOKED_AT = 10;
const CHECK_MS = 10_000;

interface Statements {
  readonly statements: readonly string[];
  /** False if a quote, a here-document or a compound command is open at the end. */
  readonly isComplete: boolean;
}

export interface Call {
  readonly command: string;
  readonly is_input: boolean;
  readonly timeout?: number | undefined;
  readonly reset: boolean;
}

/**
 * The shells of one conversation. Consecutive calls all use the first; a call that comes while another one uses it gets a
 * shell of its own. Input and empty commands go to the shell whose command was left running last.
 */
export class Terminal {
  readonly #environment: ToolEnvironment;
  readonly #settings: Settings;
  readonly #turns: Turns<Session>;
  readonly #main: Session;
  readonly #others: Session[] = [];
  /** Shells with a command that was left running, the latest last. */
  #unfinished: readonly Session[] = [];

  constructor(environment: ToolEnvironment, settings: Settings, waitMs?: number) {
    this.#environment = environment;
    this.#settings = settings;
    this.#turns = new Turns(words.busy.bind(null, settings.maxShells), waitMs);
    this.#main = new Session(environment, settings, settings.folder);
  }

  prepare(): void {
    // The first call fails in the same way and reports it.
    this.#main.start().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#turns.close();
    await Promise.all([this.#main, ...this.#others].map((session) => session.close()));
  }

  async run(call: Call, context: Pick<ToolContext, 'signal' | 'onOutput'>): Promise<Output> {
    const { signal, onOutput } = context;
    if (call.reset && call.is_input)
      throw new ToolError(
        'reset and is_input cannot be combined: a new shell runs nothing that could take input.',
      );
    const command = call.is_input ? call.command : call.command.replaceAll('\r\n', '\n').trim();
    if (call.reset) return await this.#reset(command, context);
    const refused = call.is_input ? null : beforeTheShell(command, call.timeout);
    if (refused !== null) return refused;
    const isNew = !call.is_input && command !== '';
    if (!isNew && this.#unfinished.length === 0)
      return refusal(command, call.is_input ? words.NOTHING_TO_INTERACT : words.NOTHING_TO_POLL);
    const split = isNew ? await this.#split(command, signal) : null;
    if (split !== null && split.statements.length > 1)
      return refusal(command, words.multiple(split.statements));

    const choose = () => (isNew ? this.#free() : (this.#unfinished.at(-1) ?? this.#main));
    return await this.#turns.take(choose, signal, async (session) => {
      const { timeout, is_input: isInput } = call;
      if (isNew && session !== this.#main && !session.isLeftRunning) await session.moveTo(this.#main.cwd);
      const isComplete = split?.isComplete ?? true;
      const output = await session.carryOut({ command, isInput, isComplete, timeout, signal, onOutput });
      this.#unfinished = this.#unfinished.filter((each) => each !== session);
      if (session.isLeftRunning) this.#unfinished = [...this.#unfinished, session];
      return output;
    });
  }

  /** The first shell if it is free, else another idle one, else a new one. Null if all are busy. */
  #free(): Session | null {
    const isFree = (session: Session) => !this.#turns.isTaken(session);
    if (isFree(this.#main)) return this.#main;
    const idle = this.#others.find((each) => isFree(each) && !each.isLeftRunning);
    if (idle !== undefined) return idle;
    if (this.#others.length + 1 >= this.#settings.maxShells) return null;
    const another = new Session(this.#environment, this.#settings, this.#main.cwd);
    this.#others.push(another);
    return another;
  }

  /** Restarts every shell except those that another call is using. */
  async #reset(command: string, context: Parameters<Terminal['run']>[1]): Promise<Output> {
    const renew = async (main: Session) => {
      const idle = this.#others.filter((each) => !this.#turns.isTaken(each));
      await Promise.all([main, ...idle].map((session) => session.close()));
      this.#unfinished = this.#unfinished.filter((session) => session.isLeftRunning);
      main.cwd = this.#settings.folder;
      await main.start();
    };
    await this.#turns.take(() => this.#main, context.signal, renew);
    if (command === '') {
      const taken = { text: words.RENEWED, characters: words.RENEWED.length, file: null };
      return outputOf(taken, { command: '[RESET]', exitCode: 0 }, null);
    }
    const result = await this.run({ command, is_input: false, reset: false }, context);
    return { ...result, command: `[RESET] ${command}`, content: [text(words.RENEWED), ...result.content] };
  }

  /** Asks bash itself where the grammar finds errors, and about the pieces where it finds several statements. */
  async #split(command: string, signal: AbortSignal): Promise<Statements> {
    if (isPlainLine(command)) {
      await loadingGrammar(); // as a call before it may do, which has to get its shell first
      return { statements: [command.trim()], isComplete: true };
    }
    const { statements, errors } = readScript(await loadGrammar(), command);
    if (errors.length > 0) {
      const isComplete = !command.endsWith('\\') && (await this.#check(command, signal)) !== 'open';
      return { statements: [command], isComplete };
    }
    const pieces = statements.map(({ start, end }) => command.slice(start, end));
    if (pieces.length > 1) {
      for (const piece of pieces.slice(0, LOOKED_AT)) {
        if ((await this.#check(piece, signal)) !== 'whole')
          return { statements: [command], isComplete: true };
      }
    }
    return { statements: pieces, isComplete: true };
  }

  /** What bash finds when it reads the text without running it. Its messages are those of LC_ALL=C. */
  async #check(text: string, signal: AbortSignal): Promise<'whole' | 'open' | 'wrong'> {
    const argv = [this.#settings.program, '-n'];
    const limits = { env: { LC_ALL: 'C' }, input: `${text}\n`, timeoutMs: CHECK_MS, signal };
    const { exit, output } = await capture(this.#environment.workspace, argv, limits);
    // A here-document without its end is a warning only.
    if (/unexpected EOF|unexpected end of file|delimited by end-of-file/.test(output)) return 'open';
    return exit?.code === 0 && output === '' ? 'whole' : 'wrong';
  }
}

/** Refuses what can be refused by its text alone. */
function beforeTheShell(command: string, timeout: number | undefined): Output | null {
  const kind = dataLiteral(command);
  if (kind !== null) return refusal(command, words.literal(kind, command), true);
  const cap = foregroundCap();
  if (command === '' || timeout === undefined || cap === null || timeout <= cap.capSeconds) return null;
  return refusal(command, words.tooLong(timeout, cap.idleSeconds, cap.capSeconds), true);
}
