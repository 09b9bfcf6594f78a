import { randomBytes } from 'node:crypto';
import { ToolError } from '@longhand/sdk';
import type { BrowserContext, Page } from 'playwright-core';

export interface Tab {
  /** Four hexadecimal digits. */
  readonly id: string;
  readonly page: Page;
  /** Its renderer is gone; the page answers nothing any more. */
  crashed: boolean;
}

/** The open pages of a browser, in the order of their opening, and the one that is worked on. */
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

  /** The tab that is worked on; a new one if all were closed. */
  async current(): Promise<Tab> {
    this.#current ??= this.#tabs.at(-1);
    return this.#current ?? (await this.open());
  }

  async open(): Promise<Tab> {
    return this.#add(await this.#quietly(() => this.#context.newPage()));
  }

  /** A page for a purpose of ours, which is no tab. */
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
    throw new ToolError(`There is no tab "${id}". Open are: ${known === '' ? 'none' : known}.`);
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
