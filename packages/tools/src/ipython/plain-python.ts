import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, Workspace } from '@longhand/sdk';
import * as z from 'zod';
import { ENVIRONMENT } from './environment.ts';
import { CellOutput } from './output.ts';
import { type ProgramOptions, plainProgram } from './programs.ts';
import type { CellStatus, Session } from './session.ts';

const MARK = '\x1e';
const SHUTDOWN_MS = 1_000;

/** A report that is complete, and more characters than any has. */
const REPORT = /^\{"status": "(?:begun|ok|error|exit)"\}$/;
const MAX_REPORT = 100;

const report = z.object({ status: z.enum(['begun', 'ok', 'error', 'exit']) });

/** Starts Python without ipykernel: state, results and tracebacks, but no magics or images. */
export async function startPlainPython(
  workspace: Workspace,
  python: string,
  options: ProgramOptions,
): Promise<Session> {
  const secret = randomBytes(16).toString('hex');
  const process = await workspace.spawn([python, '-c', plainProgram(options), secret], {
    env: { ...ENVIRONMENT, MPLBACKEND: 'agg' }, // there is no display
  });
  return new PlainPython(process, `${MARK}${secret}`);
}

class PlainPython implements Session {
  readonly process: Process;
  readonly output = new CellOutput();
  readonly #opening: string;
  readonly #decoder = new TextDecoder();
  #undecided = '';
  #end: ((status: CellStatus) => void) | null = null;
  #hasExited = false;
  /** Python ignores signals until a cell has begun. */
  #hasBegun = false;
  #isToStop = false;

  constructor(process: Process, opening: string) {
    this.process = process;
    this.#opening = opening;
    process.onOutput((bytes) => this.#receive(this.#decoder.decode(bytes, { stream: true })));
    process.exited.then(
      () => {
        this.#hasExited = true;
      },
      () => undefined,
    );
  }

  async execute(code: string): Promise<CellStatus> {
    const { promise, resolve } = Promise.withResolvers<CellStatus>();
    this.#end = resolve;
    this.#hasBegun = false;
    this.#isToStop = false;
    // If Python no longer reads, its exit reports that, and its last output has been kept.
    await this.process.write(`${JSON.stringify({ code })}\n`).catch(() => undefined);
    return await promise;
  }

  interrupt(): void {
    if (this.#hasBegun) this.process.kill('SIGINT');
    else this.#isToStop = true;
  }

  lastOutput(): string {
    return '';
  }

  async close(): Promise<void> {
    if (!this.#hasExited && this.#end === null) {
      this.process.end();
      await Promise.race([this.process.exited, sleep(SHUTDOWN_MS)]);
    }
    await this.process.terminate();
  }

  #receive(chunk: string): void {
    let text = this.#undecided + chunk;
    for (;;) {
      const start = text.indexOf(this.#opening);
      const end = start === -1 ? -1 : text.indexOf('\n', start);
      const content = start + this.#opening.length;
      const isReport = REPORT.test(text.slice(content, end === -1 ? undefined : end));
      if (start !== -1 && !isReport && (end !== -1 || text.length - content > MAX_REPORT)) {
        // A cell has printed an opening: it is removed alone, and hides no report behind it.
        this.output.write(text.slice(0, start));
        text = text.slice(content);
        continue;
      }
      if (end === -1) {
        const cut = start === -1 ? this.#partialStart(text) : start;
        this.output.write(text.slice(0, cut));
        this.#undecided = text.slice(cut);
        return;
      }
      this.output.write(text.slice(0, start));
      this.#onStatus(report.parse(JSON.parse(text.slice(content, end))).status);
      text = text.slice(end + 1);
    }
  }

  #onStatus(status: CellStatus | 'begun'): void {
    if (status === 'begun') {
      this.#hasBegun = true;
      if (this.#isToStop) this.interrupt();
      return;
    }
    this.#end?.(status);
    this.#end = null;
  }

  /** The position at the end of `text` where an incomplete opening may begin. */
  #partialStart(text: string): number {
    const at = text.lastIndexOf(MARK);
    return at !== -1 && this.#opening.startsWith(text.slice(at)) ? at : text.length;
  }
}
