import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@longhand/sdk';
import type { Response } from 'playwright-core';
import type { Session } from '../engine/session.ts';
import { inTime } from '../in-time.ts';
import { isAllowed } from './domains.ts';
import type { Tab } from './tabs.ts';

/** A page that has begun may take so long to be all there; then it is shown as far as it is. */
const DOCUMENT_MS = 5_000;
const LOAD_MS = 3_000;
const DOWNLOAD_NEWS_MS = 300;
const STOP_MS = 1_000;

/** What went wrong, by the browser's own name for it, and what to do. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /ERR_CONNECTION_REFUSED/,
    'nothing listens there. Is the server running, and on this port? Start it, or correct the address',
  ],
  [
    /ERR_NAME_NOT_RESOLVED/,
    'there is no such host, or no network to ask for it. Check the spelling of the address',
  ],
  [
    /ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE/,
    'the server hung up without an answer. Look at its log, or try again',
  ],
  [/ERR_CERT|ERR_SSL/, 'its certificate or encryption is not right. Is http:// meant instead of https://?'],
  [/ERR_TOO_MANY_REDIRECTS/, 'it redirects in a circle. Cookies may help, or another address'],
  [
    /ERR_INTERNET_DISCONNECTED|ERR_NETWORK|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION_TIMED_OUT|ERR_PROXY/,
    'it cannot be reached from here. Try again, or do without it',
  ],
  [/ERR_UNSAFE_PORT/, 'browsers refuse this port. Let the server listen on another'],
  [/ERR_FILE_NOT_FOUND/, 'there is no such file. Check the path'],
  [/Cannot navigate to invalid URL|ERR_INVALID_URL/, 'this is no address. Write it as https://host/path'],
  [
    /ERR_INVALID_AUTH_CREDENTIALS/,
    'it wants a name and a password. If you were given them, write them into the address: https://name:password@host/path',
  ],
  [/ERR_UNKNOWN_URL_SCHEME/, 'browsers do not know this kind of address. Write it as https://host/path'],
  [/ERR_ABORTED/, 'what came is no page: an empty answer, or something for another program'],
  [/ERR_BLOCKED_BY_CLIENT/, 'its host is not among those allowed'],
];

/**
 * Shows a page in a tab. What is worth telling (an error of the server, a page that goes on loading) becomes a notice.
 * Throws ToolError if there is no page to show.
 */
export async function visit(session: Session, tab: Tab, address: string, signal: AbortSignal): Promise<void> {
  const url = addressOf(address);
  const { allowed_domains, navigation_timeout_seconds } = session.settings;
  if (!isAllowed(url, allowed_domains)) {
    throw new ToolError(
      `${url} was not visited: only these hosts may be: ${allowed_domains.join(', ')}. Use one of them, or ask the user.`,
    );
  }
  const { page } = tab;
  const downloads = session.downloads.begun;
  const timeout = navigation_timeout_seconds * 1_000;
  try {
    report(session, url, await page.goto(url, { waitUntil: 'commit', timeout, signal }));
  } catch (error) {
    // A file is no page: what is shown stays, and the download is a notice of its own.
    if (/Download is starting|ERR_ABORTED/.test((error as Error).message)) {
      await sleep(DOWNLOAD_NEWS_MS);
      if (session.downloads.begun > downloads) return;
    }
    if (tab.crashed) throw error;
    // A navigation that is still under way would keep the page that is shown from answering.
    if (signal.aborted || (error as Error).name === 'TimeoutError')
      await inTime(stopLoading(session, tab), STOP_MS);
    signal.throwIfAborted();
    throw new ToolError(reason(url, error as Error, timeout));
  }
  try {
    const most = (ms: number) => ({ timeout: Math.min(ms, timeout), signal });
    await page.waitForLoadState('domcontentloaded', most(DOCUMENT_MS));
    await page.waitForLoadState('load', most(LOAD_MS));
  } catch {
    signal.throwIfAborted();
    session.notices.add('The page is still loading; this is what is there so far.');
  }
}

async function stopLoading({ context }: Session, { page }: Tab): Promise<void> {
  try {
    const cdp = await context.newCDPSession(page);
    await cdp.send('Page.stopLoading');
    await cdp.detach();
  } catch {
    return; // the page is gone, and with it what it loaded
  }
}

/** What people write for an address: without a scheme it is https, on this machine http. */
export function addressOf(written: string): string {
  const address = written.trim();
  if (address === '') throw new ToolError('The address is empty. Write it as https://host/path.');
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)) return address;
  if (address.startsWith('/')) return `file://${address}`;
  const isHere = /^(localhost|127\.|0\.0\.0\.0|\[::1\])/i.test(address);
  return `${isHere ? 'http' : 'https'}://${address}`;
}

function report(session: Session, url: string, response: Response | null): void {
  if (response === null || response.status() < 400) return;
  session.notices.add(
    `The server answered ${`${response.status()} ${response.statusText()}`.trim()} for ${url}.`,
  );
}

function reason(url: string, error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') {
    return `${url} did not begin to answer within ${timeoutMs / 1_000} s. Is the server busy or stuck? Try again, or another page.`;
  }
  const remedy = REMEDIES.find(([pattern]) => pattern.test(error.message))?.[1];
  const said = /net::\w+/.exec(error.message)?.[0] ?? firstLine(error.message);
  return `${url} cannot be shown: ${remedy ?? 'the browser gave it up'} (${said}).`;
}

/** Of a message of Playwright's, without the log beneath. */
export function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/^\w+\.\w+: /, '');
}
