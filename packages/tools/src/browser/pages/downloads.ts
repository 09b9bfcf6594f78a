import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import type { Browser } from 'playwright-core';
import { inTime } from '../in-time.ts';
import { keptFolder } from '../kept-folder.ts';

const FOLDER = '.browser_downloads';
/** Of a name; file systems take 255. */
const MAX_BYTES = 200;
const MAX_ENDING_BYTES = 20;

interface Download {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  isEnding: boolean;
  /** That it takes its time: nobody waits for it any more. */
  isTold: boolean;
}

/** What pages sent as files: each goes to `.browser_downloads` in the workspace, under the name that the page gave it. */
export class Downloads {
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #onNotice: (text: string) => void;
  /** By the browser's id of it. */
  readonly #running = new Map<string, Download>();
  /** One after another, so that two of one name do not become one. */
  #kept: Promise<void> = Promise.resolve();
  #begun = 0;

  private constructor(workspace: Workspace, onNotice: (text: string) => void) {
    this.#workspace = workspace;
    this.#folder = posix.join(workspace.root, FOLDER);
    this.#onNotice = onNotice;
  }

  /**
   * Has the browser write files into the workspace. Playwright's own handling would look for them on this machine, where
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

  /** How many there were so far. */
  get begun(): number {
    return this.#begun;
  }

  /** Waits for those under way; what takes longer is announced, and again when it is there. */
  async settle(timeoutMs: number): Promise<void> {
    const awaited = [...this.#running].filter(([, { isTold }]) => !isTold);
    if (awaited.length === 0) return;
    await inTime(Promise.all(awaited.map(([, { over }]) => over.promise)), timeoutMs);
    for (const [guid, download] of awaited) {
      if (!this.#running.has(guid)) continue;
      download.isTold = true;
      this.#onNotice(`A download of "${download.name}" is under way; you will be told when it is there.`);
    }
  }

  /** Of what did not come to its end, nothing stays. */
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

  /** What there is to tell of it. Never rejects. */
  async #finish(guid: string, name: string, isComplete: boolean, bytes: number): Promise<string> {
    try {
      if (isComplete) {
        await keptFolder(this.#workspace, FOLDER);
        const path = await this.#freePath(name);
        await this.#workspace.rename(posix.join(this.#folder, guid), path);
        return `A file was downloaded: ${path} (${bytes} bytes).`;
      }
      await this.#discard(guid);
      return `The download of "${name}" did not come to its end.`;
    } catch (error) {
      await this.#discard(guid);
      return `The download of "${name}" cannot be kept: ${(error as Error).message}`;
    }
  }

  async #discard(guid: string): Promise<void> {
    for (const name of [guid, `${guid}.crdownload`]) {
      await this.#workspace.remove(posix.join(this.#folder, name)).catch(() => undefined); // mostly there is none
    }
  }

  /** A page chooses the name: it must not lead out of the folder, nor onto an earlier file. */
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
  // The last character may have lost its end.
  return { stem: bytes.toString().replace(/\uFFFD+$/, ''), ending };
}
