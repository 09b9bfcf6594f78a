import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@longhand/sdk';
import type { Response } from 'playwright-core';
import type { Session } from '../engine/session.ts';
import { inTime } from '../in-time.ts';
import { isAllowed } from './domains.ts';
import type { Tab } from './tabs.ts';

/** How long a page that has started to answer may take to load; then it is shown as it is. */
const DOCUMENT_MS = 5_000;
const LOAD_MS = 3_000;
const DOWNLOAD_NEWS_MS = 300;
const STOP_MS = 1_000;

/** What went wrong, by the browser's name for it, and what to do. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/ERR_CONNECTION_REFUSED/, 'nothing listens there. Start the server, or correct the address'],
  [
    /ERR_NAME_NOT_RESOLVED/,
    'the host does not exist, or the network is down. Check the spelling of the address',
  ],
  [
    /ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE/,
    'the server closed the connection without an answer. Check its log, or retry',
  ],
  [/ERR_CERT|ERR_SSL/, 'its certificate or encryption is invalid. Should it be http:// instead of https://?'],
  [
    /ERR_TOO_MANY_REDIRECTS/,
    'it redirects in a loop. Try another address, or set the cookies that it expects',
  ],
  [
    /ERR_INTERNET_DISCONNECTED|ERR_NETWORK|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION_TIMED_OUT|ERR_PROXY/,
    'it cannot be reached from here. Retry, or continue without it',
  ],
  [/ERR_UNSAFE_PORT/, 'browsers refuse this port. Make the server listen on another one'],
  [/ERR_FILE_NOT_FOUND/, 'the file does not exist. Check the path'],
  [/Cannot navigate to invalid URL|ERR_INVALID_URL/, 'this is not a URL. Write it as https://host/path'],
  [
    /ERR_INVALID_AUTH_CREDENTIALS/,
    'it requires a user name and a password. If you have them, put them into the URL: https://name:password@host/path',
  ],
  [/ERR_UNKNOWN_URL_SCHEME/, 'browsers do not support this scheme. Write it as https://host/path'],
  [/ERR_ABORTED/, 'the answer is not a page: it is empty, or meant for another program'],
  [/ERR_BLOCKED_BY_CLIENT/, 'its host is not allowed'],
];

/**
 * Opens a URL in a tab. Errors of the server and pages that keep loading are reported as notices. Throws ToolError if there
 * is no page to show.
 */
export async function visit(session: Session, tab: Tab, address: string, signal: AbortSignal): Promise<void> {
  const url = addressOf(address);
  const { allowed_domains, navigation_timeout_seconds } = session.settings;
  if (!isAllowed(url, allowed_domains)) {
    throw new ToolError(
      `${url} was not visited. Allowed hosts: ${allowed_domains.join(', ')}. Use one of them, or ask the user.`,
    );
  }
  const { page } = tab;
  const downloads = session.downloads.begun;
  const timeout = navigation_timeout_seconds * 1_000;
  try {
    report(session, url, await page.goto(url, { waitUntil: 'commit', timeout, signal }));
  } catch (error) {
    // A download is not a page: the current page stays, and the download is reported separately.
    if (/Download is starting|ERR_ABORTED/.test((error as Error).message)) {
      await sleep(DOWNLOAD_NEWS_MS);
      if (session.downloads.begun > downloads) return;
    }
    if (tab.crashed) throw error;
    // A pending navigation would keep the current page from answering.
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
    session.notices.add('The page is still loading; this is its current state.');
  }
}

async function stopLoading({ context }: Session, { page }: Tab): Promise<void> {
  try {
    const cdp = await context.newCDPSession(page);
    await cdp.send('Page.stopLoading');
    await cdp.detach();
  } catch {
    return; // the page is gone, and its loading with it
  }
}

/** The URL that a written address means: without a scheme it is https, or http for this machine. */
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
    return `${url} did not start to answer within ${timeoutMs / 1_000} s: the server may be busy or stuck. Retry, or open another page.`;
  }
  const remedy = REMEDIES.find(([pattern]) => pattern.test(error.message))?.[1];
  const said = /net::\w+/.exec(error.message)?.[0] ?? firstLine(error.message);
  return `${url} cannot be opened: ${remedy ?? 'the browser gave up'} (${said}).`;
}

/** The first line of a message of Playwright's, without the call log. */
export function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/^\w+\.\w+: /, '');
}
