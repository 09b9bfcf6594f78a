import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import type { Browser } from 'playwright-core';
import { inTime } from './in-time.ts';
import { keptFolder } from './kept-folder.ts';

const FOLDER = '.browser_downloads';

/** What pages sent as files: each goes to `.browser_downloads` in the workspace, under the name that the page gave it. */
export class Downloads {
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #onNotice: (text: string) => void;
  /** By the browser's id of it. */
  readonly #running = new Map<string, { readonly name: string; readonly done: () => void }>();
  readonly #waits = new Set<Promise<void>>();
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
      if (state !== 'inProgress') void downloads.#end(guid, state === 'completed', receivedBytes);
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
    if (this.#waits.size === 0) return;
    await inTime(Promise.all(this.#waits), timeoutMs);
    for (const { name } of this.#running.values()) {
      this.#onNotice(`A download of "${name}" is under way; you will be told when it is there.`);
    }
  }

  /** Of what did not come to its end, nothing stays. */
  async forget(): Promise<void> {
    for (const guid of this.#running.keys()) await this.#discard(guid);
    this.#running.clear();
  }

  #begin(guid: string, suggested: string): void {
    this.#begun += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waits.add(promise);
    void promise.then(() => this.#waits.delete(promise));
    this.#running.set(guid, { name: suggested, done: resolve });
  }

  async #end(guid: string, isComplete: boolean, bytes: number): Promise<void> {
    const download = this.#running.get(guid);
    if (download === undefined) return;
    this.#running.delete(guid);
    const { name, done } = download;
    try {
      if (isComplete) {
        await keptFolder(this.#workspace, FOLDER);
        const path = await this.#freePath(name);
        await this.#workspace.rename(posix.join(this.#folder, guid), path);
        this.#onNotice(`A file was downloaded: ${path} (${bytes} bytes).`);
      } else {
        await this.#discard(guid);
        this.#onNotice(`The download of "${name}" did not come to its end.`);
      }
    } catch (error) {
      this.#onNotice(`The download of "${name}" cannot be kept: ${(error as Error).message}`);
    } finally {
      done();
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
    const { name, ext } = posix.parse(base);
    for (let i = 0; ; i += 1) {
      const path = posix.join(this.#folder, i === 0 ? base : `${name}_${i}${ext}`);
      if ((await this.#workspace.stat(path)) === null) return path;
    }
  }
}
