import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import type { Browser } from 'playwright-core';
import { inTime } from '../in-time.ts';
import { keptFolder } from '../kept-folder.ts';

const FOLDER = '.browser_downloads';
/** Limit for a file name; file systems allow 255. */
const MAX_BYTES = 200;
const MAX_ENDING_BYTES = 20;

interface Download {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  isEnding: boolean;
  /** Reported as slow: nothing waits for it any more. */
  isTold: boolean;
}

/** Downloads: each goes to `.browser_downloads` in the workspace, under the name that the page gave it. */
export class Downloads {
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #onNotice: (text: string) => void;
  /** By the browser's id. */
  readonly #running = new Map<string, Download>();
  /** Files are stored one after another, so that two of one name do not overwrite each other. */
  #kept: Promise<void> = Promise.resolve();
  #begun = 0;

  private constructor(workspace: Workspace, onNotice: (text: string) => void) {
    this.#workspace = workspace;
    this.#folder = posix.join(workspace.root, FOLDER);
    this.#onNotice = onNotice;
  }

  /**
   * Makes the browser write files into the workspace. Playwright's own handling would look for them on this machine, where
   * the browser need not be.
   */
  static async watch(
    browser: Browser,
    workspace: Workspace,
    onNotice: (text: string) => void,
  ): Promise<Downloads> {
    const downloads = new Downloads(workspace, onNotice);
    const session = await browser.newBrowserCDPSession();
    session.on('Browser.downloadWillBegin', ({ guid, suggestedFilename }) =>
      downloads.#begin(guid, suggestedFilename),
    );
    session.on('Browser.downloadProgress', ({ guid, state, receivedBytes }) => {
      if (state !== 'inProgress') downloads.#end(guid, state === 'completed', receivedBytes);
    });
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath: downloads.#folder,
      eventsEnabled: true,
    });
    return downloads;
  }

  /** The number of downloads started so far. */
  get begun(): number {
    return this.#begun;
  }

  /** Waits for running downloads. One that takes longer is reported now, and again when it is complete. */
  async settle(timeoutMs: number): Promise<void> {
    const awaited = [...this.#running].filter(([, { isTold }]) => !isTold);
    if (awaited.length === 0) return;
    await inTime(Promise.all(awaited.map(([, { over }]) => over.promise)), timeoutMs);
    for (const [guid, download] of awaited) {
      if (!this.#running.has(guid)) continue;
      download.isTold = true;
      this.#onNotice(`A download of "${download.name}" is in progress; its completion will be reported.`);
    }
  }

  /** Removes incomplete downloads. */
  async forget(): Promise<void> {
    for (const guid of this.#running.keys()) await this.#discard(guid);
    this.#running.clear();
  }

  #begin(guid: string, name: string): void {
    this.#begun += 1;
    this.#running.set(guid, { name, over: Promise.withResolvers(), isEnding: false, isTold: false });
  }

  #end(guid: string, isComplete: boolean, bytes: number): void {
    const download = this.#running.get(guid);
    if (download === undefined || download.isEnding) return;
    download.isEnding = true;
    this.#kept = this.#kept.then(async () => {
      this.#onNotice(await this.#finish(guid, download.name, isComplete, bytes));
      this.#running.delete(guid);
      download.over.resolve();
    });
  }

  /** Stores a download and returns the notice about it. Never rejects. */
  async #finish(guid: string, name: string, isComplete: boolean, bytes: number): Promise<string> {
    try {
      if (isComplete) {
        await keptFolder(this.#workspace, FOLDER);
        const path = await this.#freePath(name);
        await this.#workspace.rename(posix.join(this.#folder, guid), path);
        return `A file was downloaded: ${path} (${bytes} bytes).`;
      }
      await this.#discard(guid);
      return `The download of "${name}" failed.`;
    } catch (error) {
      await this.#discard(guid);
      return `The download of "${name}" cannot be stored: ${(error as Error).message}`;
    }
  }

  async #discard(guid: string): Promise<void> {
    for (const name of [guid, `${guid}.crdownload`]) {
      await this.#workspace.remove(posix.join(this.#folder, name)).catch(() => undefined); // usually it does not exist
    }
  }

  /** The page chooses the name: it must not lead out of the folder or to an earlier file. */
  async #freePath(suggested: string): Promise<string> {
    const base = suggested.replace(/[/\\\0-\x1f]/g, '_').replace(/^\.+/, '_') || 'download';
    const { stem, ending } = shortened(base);
    for (let i = 0; ; i += 1) {
      const path = posix.join(this.#folder, `${stem}${i === 0 ? '' : `_${i}`}${ending}`);
      if ((await this.#workspace.stat(path)) === null) return path;
    }
  }
}

function shortened(file: string): { readonly stem: string; readonly ending: string } {
  const { ext } = posix.parse(file);
  const ending = Buffer.byteLength(ext) > MAX_ENDING_BYTES ? '' : ext;
  const stem = file.slice(0, file.length - ending.length);
  const bytes = Buffer.from(stem).subarray(0, MAX_BYTES);
  // The last character may be incomplete.
  return { stem: bytes.toString().replace(/\uFFFD+$/, ''), ending };
}
