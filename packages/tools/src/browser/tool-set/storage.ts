import { ToolError } from '@longhand/sdk';
import type { BrowserContext, Cookie, Frame } from 'playwright-core';
import * as z from 'zod';
import type { Session } from '../engine/session.ts';
import { isAllowed } from '../pages/domains.ts';

const item = z.object({ name: z.string(), value: z.string() });
const items = z.array(item).default([]);

/** Cookies and storage of pages: Playwright's storage state, extended by session storage. */
export const storageState = z.object({
  cookies: z
    .array(
      z.object({
        name: z.string().min(1),
        value: z.string(),
        domain: z.string().optional().describe('Requires path. Give either domain and path, or url.'),
        path: z.string().optional(),
        url: z.string().optional(),
        expires: z
          .number()
          .optional()
          .describe('Seconds since 1970. Without it, the cookie lasts until the browser ends.'),
        httpOnly: z.boolean().optional(),
        secure: z.boolean().optional(),
        sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
      }),
    )
    .default([]),
  origins: z
    .array(
      z.object({
        origin: z.string().describe('For example https://example.com.'),
        localStorage: items,
        sessionStorage: items,
      }),
    )
    .default([]),
});
export type StorageState = z.output<typeof storageState>;

interface Stored {
  readonly cookies: readonly Cookie[];
  readonly origins: StorageState['origins'];
}

/** Reads all cookies, and the storage of every origin that is open in a tab. */
export async function readStorage({ context, tabs }: Session): Promise<Stored> {
  const origins = new Map<string, StorageState['origins'][number]>();
  for (const frame of tabs.list.flatMap(({ page }) => page.frames())) {
    const found = await stored(frame);
    if (found !== null && !origins.has(found.origin)) origins.set(found.origin, found);
  }
  return { cookies: await context.cookies(), origins: [...origins.values()] };
}

async function stored(frame: Frame): Promise<StorageState['origins'][number] | null> {
  if (!/^https?:/.test(frame.url())) return null;
  try {
    return await frame.evaluate(() => {
      const page = globalThis as unknown as PageWindow;
      const all = (storage: object) => Object.entries(storage).map(([name, value]) => ({ name, value }));
      return {
        origin: page.location.origin,
        localStorage: all(page.localStorage),
        sessionStorage: all(page.sessionStorage),
      };
    });
  } catch {
    return null; // the frame has no storage, or is gone
  }
}

/** Adds to what is stored. Session storage goes to tabs that show the origin, now or later. Throws ToolError for an invalid cookie. */
export async function writeStorage(session: Session, { cookies, origins }: StorageState): Promise<void> {
  const { context, tabs } = session;
  for (const { origin } of origins) {
    if (URL.parse(origin)?.origin !== origin) {
      throw new ToolError(`"${origin}" is not an origin. Write scheme, host and port: https://example.com.`);
    }
    if (!isAllowed(origin, session.settings.allowed_domains)) {
      throw new ToolError(`${origin} is not an allowed host, so nothing was stored.`);
    }
  }
  try {
    // No member is undefined: this was read from JSON.
    if (cookies.length > 0) await context.addCookies(cookies as Parameters<BrowserContext['addCookies']>[0]);
  } catch (error) {
    const [said] = (error as Error).message.replace(/^[^:]*: /, '').split('\n');
    throw new ToolError(
      `A cookie was rejected: ${said}. Each cookie requires name, value, and either url or domain and path.`,
    );
  }
  for (const { origin, localStorage, sessionStorage } of origins) {
    if (localStorage.length > 0) {
      await tabs.aside(async (page) => {
        await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
        await page.goto(origin);
        await page.evaluate(putAll, { origin, kind: 'localStorage', items: localStorage } as const);
      });
    }
    if (sessionStorage.length === 0) continue;
    const put = { origin, kind: 'sessionStorage', items: sessionStorage } as const;
    await context.addInitScript(putAll, { ...put, ifEmpty: true });
    const frames = tabs.list.flatMap(({ page }) => page.frames());
    // A frame that is removed meanwhile has no storage.
    await Promise.all(frames.map((frame) => frame.evaluate(putAll, put).catch(() => undefined)));
  }
}

/** The part of the DOM's types that is used here. */
interface PageWindow {
  readonly location: { readonly origin: string };
  readonly localStorage: PageStorage;
  readonly sessionStorage: PageStorage;
}

interface PageStorage {
  readonly length: number;
  setItem(name: string, value: string): void;
}

/** Runs in the page. */
function putAll({
  origin,
  kind,
  items,
  ifEmpty,
}: {
  readonly origin: string;
  readonly kind: 'localStorage' | 'sessionStorage';
  readonly items: readonly { readonly name: string; readonly value: string }[];
  readonly ifEmpty?: boolean;
}): void {
  const page = globalThis as unknown as PageWindow;
  if (page.location.origin !== origin || (ifEmpty === true && page[kind].length > 0)) return;
  for (const { name, value } of items) page[kind].setItem(name, value);
}
