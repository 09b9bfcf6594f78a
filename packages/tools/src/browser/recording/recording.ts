import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import type { BrowserContext } from 'playwright-core';
import { keptFolder } from '../kept-folder.ts';
import { BINDING, recordScript, STOP_SCRIPT } from './recorder.ts';

const FLUSH_MS = 5_000;
const FILE_BYTES = 1_000_000;

export interface Recorded {
  readonly folder: string;
  readonly files: number;
  readonly events: number;
}

/** Records the pages of a browser as events in numbered JSON files: `1.json`, `2.json`, ..., each a list. */
export class Recording {
  readonly #context: BrowserContext;
  readonly #workspace: Workspace;
  #folder: string | null = null;
  #files = 0;
  #events = 0;
  #pending: string[] = [];
  #pendingBytes = 0;
  #written: Promise<void> = Promise.resolve();
  #end: () => Promise<void> = async () => undefined;

  constructor(context: BrowserContext, workspace: Workspace) {
    this.#context = context;
    this.#workspace = workspace;
  }

  /** The folder of the running recording; null if there is none. */
  get folder(): string | null {
    return this.#folder;
  }

  async start(now: Date): Promise<string> {
    const time = now.toISOString().replaceAll(/[:.]/g, '-');
    const folder = await keptFolder(
      this.#workspace,
      '.agent_tmp',
      'browser_observations',
      `recording-${time}`,
    );
    this.#folder = folder;
    this.#files = 0;
    this.#events = 0;
    this.#written = Promise.resolve();
    const binding = await this.#context.exposeBinding(BINDING, (_, event: unknown) =>
      this.#take(String(event)),
    );
    const content = recordScript();
    const script = await this.#context.addInitScript({ content });
    const timer = setInterval(() => this.#flush(), FLUSH_MS);
    timer.unref();
    this.#end = async () => {
      clearInterval(timer);
      await script.dispose();
      await this.#everywhere(STOP_SCRIPT);
      await binding.dispose();
    };
    await this.#everywhere(content);
    return folder;
  }

  /** Stops recording. Null if no recording was running. Rejects if a file could not be written. */
  async stop(): Promise<Recorded | null> {
    const folder = this.#folder;
    if (folder === null) return null;
    this.#folder = null;
    try {
      await this.#end();
    } finally {
      this.#flush(folder);
    }
    await this.#written;
    return { folder, files: this.#files, events: this.#events };
  }

  /** Runs a script in all open pages; one that is closed meanwhile has nothing more to record. */
  async #everywhere(script: string): Promise<void> {
    await Promise.all(this.#context.pages().map((page) => page.evaluate(script).catch(() => undefined)));
  }

  #take(event: string): void {
    this.#pending.push(event);
    this.#pendingBytes += Buffer.byteLength(event);
    this.#events += 1;
    if (this.#pendingBytes >= FILE_BYTES) this.#flush();
  }

  #flush(folder = this.#folder): void {
    if (folder === null || this.#pending.length === 0) return;
    const events = `[${this.#pending.splice(0).join(',\n')}]\n`;
    this.#pendingBytes = 0;
    this.#files += 1;
    const path = posix.join(folder, `${this.#files}.json`);
    this.#written = this.#written.then(() => this.#workspace.writeFile(path, Buffer.from(events)));
    this.#written.catch(() => undefined); // reported by stop
  }
}
