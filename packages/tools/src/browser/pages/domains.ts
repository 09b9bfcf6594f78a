import type { BrowserContext, Frame, Page } from 'playwright-core';

/**
 * Whether an address may be visited. A pattern is a host (`example.com`, which stands for its `www.` too), a host and all
 * below it (`*.example.com`), either with a scheme in front (`https://example.com`). Without patterns, everything may.
 */
export function isAllowed(address: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || /^about:(blank|srcdoc)$/.test(address) || address === '') return true;
  const url = URL.parse(address);
  if (url === null) return false;
  // What a page made itself (`blob:`) counts as the page's.
  if (url.protocol === 'blob:') return isAllowed(url.pathname, patterns);
  if (url.protocol === 'chrome-error:') return true;
  return patterns.some((pattern) => matches(url, pattern));
}

function matches(url: URL, pattern: string): boolean {
  const [, scheme, host = ''] = /^(?:([a-z]+):\/\/)?([^/]*)/i.exec(pattern) ?? [];
  if (scheme === undefined ? !/^https?:$/.test(url.protocol) : url.protocol !== `${scheme.toLowerCase()}:`) {
    return false;
  }
  const wanted = host.toLowerCase();
  // A pattern with a port is for that port alone.
  const actual = /:\d+$/.test(wanted) ? url.host : url.hostname;
  if (wanted.startsWith('*.')) return actual === wanted.slice(2) || actual.endsWith(wanted.slice(1));
  return actual === wanted || actual === `www.${wanted}`;
}

/**
 * Keeps a browser to the hosts that are allowed: other pages are not asked for, and one that came by a redirect is left
 * again. Resolves to what waits until all such pages are left.
 */
export async function confine(
  context: BrowserContext,
  allowed: readonly string[],
  notify: (text: string) => void,
): Promise<() => Promise<void>> {
  const leaving = new Set<Promise<unknown>>();
  if (allowed.length === 0) return async () => undefined;
  await context.route('**/*', async (route) => {
    const request = route.request();
    if (!request.isNavigationRequest() || isAllowed(request.url(), allowed)) return await route.fallback();
    notify(`Not visited, since its host is not among those allowed: ${request.url()}`);
    await route.abort('blockedbyclient');
  });
  const left = (frame: Frame) => {
    if (isAllowed(frame.url(), allowed)) return;
    notify(`Left at once, since its host is not among those allowed: ${frame.url()}`);
    // One that closes meanwhile is left as well.
    const leave = frame.goto('about:blank').catch(() => undefined);
    leaving.add(leave);
    void leave.then(() => leaving.delete(leave));
  };
  const watch = (page: Page) => void page.on('framenavigated', left);
  for (const page of context.pages()) watch(page);
  context.on('page', watch);
  return async () => void (await Promise.all(leaving));
}
