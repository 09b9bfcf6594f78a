/** For tests: pages on the loopback, and a way to skip tests if no browser is installed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { openLocalWorkspace } from '@longhand/sdk';
import { findBrowser } from '../src/browser/engine/find-browser.ts';

export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Site {
  /** Without a trailing slash. */
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Serves pages by path; others are 404. */
export async function serve(pages: { readonly [path: string]: Page }): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(request.url ?? '');
    const page = pages[path];
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing</h1>');
    else if (typeof page === 'function') page(request, response);
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A test that is skipped if no browser is installed. */
export function browserTest(name: string, body: () => void | Promise<void>): void {
  test(name, { skip: lacksBrowser && 'needs chromium' }, body);
}

const workspace = openLocalWorkspace(tmpdir());
const lacksBrowser = await findBrowser(workspace, undefined).then(
  () => false,
  () => true,
);
await workspace.close();
