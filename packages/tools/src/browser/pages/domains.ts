import type { BrowserContext, Frame, Page } from 'playwright-core';

/**
 * Whether a URL may be visited. A pattern is a host (`example.com`, which includes its `www.`), or a host and its subdomains
 * (`*.example.com`); either may have a scheme (`https://example.com`). Without patterns, every URL is allowed.
 */
export function isAllowed(address: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || /^about:(blank|srcdoc)$/.test(address) || address === '') return true;
  const url = URL.parse(address);
  if (url === null) return false;
  // A `blob:` URL has the origin of the page that made it.
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
  // A pattern with a port matches only that port.
  const actual = /:\d+$/.test(wanted) ? url.host : url.hostname;
  if (wanted.startsWith('*.')) return actual === wanted.slice(2) || actual.endsWith(wanted.slice(1));
  return actual === wanted || actual === `www.${wanted}`;
}

/**
 * Restricts a browser to the allowed hosts: other pages are not requested, and one that a redirect leads to is left at once.
 * Resolves to a function that waits until all such pages are left.
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
    notify(`Not visited, because its host is not allowed: ${request.url()}`);
    await route.abort('blockedbyclient');
  });
  const left = (frame: Frame) => {
    if (isAllowed(frame.url(), allowed)) return;
    notify(`Left at once, because its host is not allowed: ${frame.url()}`);
    // A page that closes meanwhile is left as well.
    const leave = frame.goto('about:blank').catch(() => undefined);
    leaving.add(leave);
    void leave.then(() => leaving.delete(leave));
  };
  const watch = (page: Page) => void page.on('framenavigated', left);
  for (const page of context.pages()) watch(page);
  context.on('page', watch);
  return async () => void (await Promise.all(leaving));
}
