import { randomBytes } from 'node:crypto';
import { ToolError } from '@longhand/sdk';
import type { BrowserContext, Page } from 'playwright-core';

export interface Tab {
  /** Four hexadecimal digits. */
  readonly id: string;
  readonly page: Page;
  /** The renderer has crashed; the page no longer answers. */
  crashed: boolean;
}

/** The open pages of a browser, in the order of opening, and the current one. */
export class Tabs {
  readonly #context: BrowserContext;
  readonly #tabs: Tab[] = [];
  #current: Tab | undefined;
  #isQuiet = false;

  constructor(context: BrowserContext, onNew: (tab: Tab) => void) {
    this.#context = context;
    for (const page of context.pages()) this.#add(page);
    context.on('page', (page) => {
      if (!this.#isQuiet) onNew(this.#add(page));
    });
  }

  get list(): readonly Tab[] {
    return this.#tabs;
  }

  /** The current tab; a new one if all are closed. */
  async current(): Promise<Tab> {
    this.#current ??= this.#tabs.at(-1);
    return this.#current ?? (await this.open());
  }

  async open(): Promise<Tab> {
    return this.#add(await this.#quietly(() => this.#context.newPage()));
  }

  /** Runs `act` on a page that is not listed as a tab. */
  async aside<T>(act: (page: Page) => Promise<T>): Promise<T> {
    const page = await this.#quietly(() => this.#context.newPage());
    try {
      return await act(page);
    } finally {
      await page.close();
    }
  }

  async #quietly<T>(act: () => Promise<T>): Promise<T> {
    this.#isQuiet = true;
    try {
      return await act();
    } finally {
      this.#isQuiet = false;
    }
  }

  async select(id: string): Promise<Tab> {
    const tab = this.#of(id);
    this.#current = tab;
    await tab.page.bringToFront();
    return tab;
  }

  async close(id: string): Promise<void> {
    await this.#of(id).page.close();
  }

  #of(id: string): Tab {
    const tab = this.#tabs.find((each) => each.id === id);
    if (tab !== undefined) return tab;
    const known = this.#tabs.map((each) => each.id).join(', ');
    throw new ToolError(`There is no tab "${id}". Open tabs: ${known === '' ? 'none' : known}.`);
  }

  #add(page: Page): Tab {
    const known = this.#tabs.find((each) => each.page === page);
    if (known !== undefined) return known;
    const tab: Tab = { id: this.#newId(), page, crashed: false };
    this.#tabs.push(tab);
    this.#current = tab;
    page.on('crash', () => {
      tab.crashed = true;
    });
    page.on('close', () => {
      this.#tabs.splice(this.#tabs.indexOf(tab), 1);
      if (this.#current === tab) this.#current = this.#tabs.at(-1);
    });
    return tab;
  }

  #newId(): string {
    const id = randomBytes(2).toString('hex');
    return this.#tabs.some((tab) => tab.id === id) ? this.#newId() : id;
  }
}
