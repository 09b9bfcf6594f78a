import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import type { Locator, Page, Request } from 'playwright-core';
import type { Session } from '../engine/session.ts';
import type { Tab } from './tabs.ts';
import { firstLine } from './visit.ts';

const LOOK_MS = 1_000;

export interface ActOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

const STALE = (ref: string) =>
  `STALE_REF: the element "${ref}" no longer exists: it was removed, or the page has changed. Use a name from the current page.`;

/** The element that a snapshot named. Throws ToolError at once if it no longer exists. */
async function locate({ page }: Tab, ref: string): Promise<Locator> {
  if (!/^(f\d+)?e\d+$/.test(ref)) {
    throw new ToolError(
      `"${ref}" is not the name of an element. Names stand in brackets before each element of the tree, such as e12, or f1e2 in a frame.`,
    );
  }
  const locator = page.getByRef(ref);
  if ((await count(locator)) === 0) throw new ToolError(STALE(ref));
  return locator;
}

/**
 * Acts on an element of the current tab and waits for the effects. Throws ToolError saying what prevents it.
 */
export async function onElement<T>(
  session: Session,
  ref: string,
  signal: AbortSignal,
  act: (locator: Locator, options: ActOptions) => Promise<T>,
): Promise<T> {
  const tab = await session.tabs.current();
  const locator = await locate(tab, ref);
  const timeout = session.settings.element_timeout_seconds * 1_000;
  try {
    return await settled(tab.page, () => act(locator, { timeout, signal }));
  } catch (error) {
    if (signal.aborted || tab.crashed || error instanceof ToolError) throw error;
    throw new ToolError(await explain(locator, ref, error as Error, timeout), { cause: error });
  }
}

/** How long a tab that a click opens may take to be reported by the browser. */
const TAB_MS = 2_000;

export type Click = Pick<NonNullable<Parameters<Locator['click']>[0]>, 'button' | 'modifiers'>;

/** Clicks an element. A click that opens a tab ends when the tab exists. Throws ToolError saying what prevents it. */
export async function click(session: Session, ref: string, signal: AbortSignal, how: Click): Promise<void> {
  const asksForTab = how.button === 'middle' || (how.modifiers ?? []).some((modifier) => modifier !== 'Alt');
  await onElement(session, ref, signal, async (element, options) => {
    const opens = await element.evaluate(opensTab, asksForTab, options).catch(() => false); // the click reports why
    const before = session.tabs.list.length;
    await element.click({ ...how, ...options });
    for (const end = performance.now() + TAB_MS; opens && performance.now() < end; await sleep(20)) {
      if (session.tabs.list.length !== before || signal.aborted) break;
    }
  });
}

/** Runs in the page. */
function opensTab(element: PageElement, isAskedFor: boolean): boolean {
  const link = element.closest('a[href], area[href]');
  return link !== null && (isAskedFor || link.matches('[target=_blank]'));
}

/** Fills a field. Throws ToolError if a date or time field stays empty because the format is wrong. */
export async function fillIn(element: Locator, value: string, options: ActOptions): Promise<void> {
  if (value.includes('\n')) await fillLines(element, value, options);
  else await element.fill(value, options);
  if (value === '') return;
  const isEmpty = await element.evaluate(isUnset, undefined, options).catch(() => false); // removed: it accepted the value
  if (!isEmpty) return;
  throw new ToolError(
    `The field does not accept ${JSON.stringify(value)}. Write a date as 2026-01-31, a time as 13:45, both as 2026-01-31T13:45, a month as 2026-01, a week as 2026-W05.`,
  );
}

/** Fills in several lines. Chromium fires an input event for each line and each line end, all with the final value; only the first is let through. */
async function fillLines(element: Locator, value: string, options: ActOptions): Promise<void> {
  const limit = await element.evaluateHandle<AbortController, void, PageElement>(
    oneInputEvent,
    undefined,
    options,
  );
  try {
    await element.fill(value, options);
  } finally {
    await limit.evaluate((stop) => stop.abort()).catch(() => undefined); // the page is gone
  }
}

/** Runs in the page. */
function oneInputEvent(element: PageElement): AbortController {
  const stop = new AbortController();
  let count = 0;
  const listen = (event: Event) => {
    if (event.composedPath()[0] !== element) return;
    count += 1;
    if (count > 1) event.stopImmediatePropagation();
  };
  element.getRootNode().addEventListener('input', listen, { capture: true, signal: stop.signal });
  return stop;
}

/** Runs in the page. */
function isUnset(field: { readonly type?: unknown; readonly value?: unknown }): boolean {
  return /^(date|datetime-local|month|time|week)$/.test(String(field.type)) && field.value === '';
}

async function count(locator: Locator): Promise<number> {
  try {
    return await locator.count();
  } catch {
    return 0; // the frame is gone or never existed
  }
}

/** What an element does not support, and what to do instead. */
const MISUSES: readonly (readonly [RegExp, string])[] = [
  [/Unknown key/, 'Write keys as "Enter", "ArrowDown", "F5", "a"; with modifiers, "Control+a", "Shift+Tab".'],
  [/"(checkbox|radio|button|submit|image|reset)" cannot be filled/, 'Click it instead.'],
  [/"file" cannot be filled/, 'It accepts files, not text: use upload_file.'],
  [/input\[type=number\]/, 'It accepts a number, such as 4.5.'],
  [/not an <input>, <textarea>/, 'It does not accept text. If it is a list of options, select one.'],
  [/not a <select>/, 'It has no options of its own. Click it, then click the option that it opens.'],
];

async function explain(locator: Locator, ref: string, error: Error, timeoutMs: number): Promise<string> {
  if ((await count(locator)) === 0) return STALE(ref);
  if (error.name !== 'TimeoutError') {
    const said = firstLine(error.message).replace(/^Error: /, '');
    const how = MISUSES.find(([pattern]) => pattern.test(said))?.[1];
    return `"${ref}": ${said}${how === undefined ? '' : `. ${how}`}`;
  }
  const cover = /(<[^\n]*>[^\n]*?) (?:from <[^\n]*> subtree )?intercepts pointer events/.exec(error.message);
  if (cover?.[1] !== undefined) {
    return `"${ref}" is covered by ${headOf(cover[1], 200)}. Close or accept the dialog or banner that covers it, or scroll, then retry.`;
  }
  if (/did not find some options/.test(error.message)) {
    const options = await locator.evaluate(optionsOf, undefined, { timeout: LOOK_MS }).catch(() => []); // removed meanwhile
    return `"${ref}" has no such option. It has: ${options.join(', ')}.`;
  }
  const state = await locator.evaluate(stateOf, undefined, { timeout: LOOK_MS }).catch(() => null); // removed meanwhile
  if (state === 'disabled') {
    return `"${ref}" is disabled. Fill in or select what it depends on, then retry.`;
  }
  if (state === 'readonly') return `"${ref}" is read-only.`;
  if (state === 'hidden') {
    return `"${ref}" is not visible. Open the menu, tab or section that contains it, or use its visible label.`;
  }
  if (/outside of the viewport/.test(error.message)) {
    return `"${ref}" cannot be scrolled into view. First scroll or open what contains it.`;
  }
  return `"${ref}" could not be used within ${timeoutMs / 1_000} s: it moves or is not ready. Wait, look at the page again, then retry.`;
}

/** The part of the DOM's types that is used here. */
interface PageElement extends EventTarget {
  getBoundingClientRect(): { readonly width: number; readonly height: number };
  checkVisibility(options: { readonly visibilityProperty: boolean }): boolean;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
  getRootNode(): EventTarget;
}

/** Runs in the page. */
function optionsOf(element: { readonly options?: Iterable<{ readonly label: string }> }): string[] {
  return Array.from(element.options ?? [], (option) => JSON.stringify(option.label)).slice(0, 50);
}

/** Runs in the page. */
function stateOf(element: PageElement): 'disabled' | 'readonly' | 'hidden' | 'usable' {
  const { width, height } = element.getBoundingClientRect();
  const seen = element.checkVisibility({ visibilityProperty: true });
  if (!seen || width === 0 || height === 0) return 'hidden';
  if (element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null) return 'disabled';
  if (element.matches('input[readonly],textarea[readonly],[aria-readonly=true]')) return 'readonly';
  return 'usable';
}

/** Within this time, scripts start what an action causes. */
const REACTION_MS = 100;
/** How long the effects of an action are awaited: a new page, and data that pages fetch. */
const PAGE_MS = 5_000;
const FETCH_MS = 1_500;
/** Time for the result to be rendered. */
const DRAWING_MS = 50;

/** Acts on a page and waits a limited time for its effects: a new page, or data for this one. */
export async function settled<T>(page: Page, act: () => Promise<T>): Promise<T> {
  const open = new Set<Request>();
  let navigates = false;
  const began = (request: Request) => {
    const kind = request.resourceType();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) navigates = true;
    else if (kind !== 'fetch' && kind !== 'xhr' && kind !== 'script') return;
    open.add(request);
  };
  const ended = (request: Request) => open.delete(request);
  page.on('request', began);
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  try {
    const result = await act();
    await sleep(REACTION_MS);
    const beganAt = performance.now();
    const isOver = () => open.size === 0 || page.isClosed();
    while (!isOver() && performance.now() - beganAt < (navigates ? PAGE_MS : FETCH_MS)) await sleep(20);
    if (navigates && !page.isClosed()) {
      // A page that is still loading is shown as it is.
      await page.waitForLoadState('domcontentloaded', { timeout: PAGE_MS }).catch(() => undefined);
    }
    await sleep(DRAWING_MS);
    return result;
  } finally {
    page.off('request', began);
    page.off('requestfinished', ended);
    page.off('requestfailed', ended);
  }
}
