import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolFactory } from '@longhand/sdk';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { browserTest, type Page, serve } from '../../../test-support/test-site.ts';
import { browserTool } from '../code-tool/tool.ts';
import { browserToolSet } from '../tool-set/tool-set.ts';
import { findBrowser } from './find-browser.ts';

let folder: string;
/** Where browsers of this test have their profiles. */
let temporary: string;
const undo: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-browser-test-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  setVariable('TMPDIR', temporary);
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  undo.push(async () => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

async function site(pages: { readonly [path: string]: Page }) {
  const served = await serve(pages);
  undo.push(served.close);
  return served;
}

async function tools(params: object = {}, factory: ToolFactory = browserTool): Promise<TriedTools> {
  const tried = await tryTools(factory, { folder, params: params as { [key: string]: unknown } });
  undo.push(tried.close);
  return tried;
}

/** Processes whose command line names a place; none where there is no /proc. */
function processesOf(place: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(place);
    } catch {
      return false; // removed meanwhile
    }
  });
}

/** To the browser itself; what it had started may be gone by then. */
function signalBrowser(signal: NodeJS.Signals): void {
  for (const pid of processesOf(temporary)) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sh')) continue;
      process.kill(Number(pid), signal);
    } catch (error) {
      assert.match(String((error as NodeJS.ErrnoException).code), /^(ENOENT|ESRCH)$/);
    }
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i += 1) await sleep(50);
  assert.ok(holds(), what);
}

browserTest(
  'the browser contacts only what it is asked to; closing leaves no process and no profile',
  async () => {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(502).end();
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      socket.end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    undo.push(() => new Promise((resolve) => proxy.close(resolve)));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']) setVariable(name, address);
    const { url } = await site({ '/': '<form><input type=password name=p><button>Send</button></form>' });
    const { call, close } = await tools();
    await call({ code: `goto("${url}")\nnoop(2000)\ngoto("http://asked.invalid/x")` });
    assert.deepEqual(new Set(seen), new Set(['GET http://asked.invalid/x']));
    assert.ok(processesOf(temporary).length > 1);
    await close();
    assert.deepEqual(processesOf(temporary), []);
    assert.deepEqual(readdirSync(temporary), []);
  },
);

browserTest('when this process is killed, the browser ends and its profile is removed', async () => {
  const script = join(folder, 'opens.ts');
  writeFileSync(
    script,
    `import { tryTools } from '@longhand/sdk/testing';
import { browserTool } from ${JSON.stringify(join(import.meta.dirname, '../code-tool/tool.ts'))};
const { call } = await tryTools(browserTool, { folder: ${JSON.stringify(folder)} });
await call({ code: 'goto("about:blank")' });
console.log('open');
setInterval(() => undefined, 1_000);`,
  );
  // A module finds packages from where it is.
  const child = spawn(
    process.execPath,
    ['--conditions=longhand-source', '--input-type=module-typescript', '-e', readFileSync(script, 'utf8')],
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  undo.push(async () => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  assert.ok(processesOf(temporary).length > 1);
  child.kill('SIGKILL');
  await until(() => processesOf(temporary).length === 0, 'processes are left');
  await until(() => readdirSync(temporary).length === 0, 'a profile is left');
});

browserTest('a killed browser is reported, and the next call starts a new one', async () => {
  const asked = Promise.withResolvers<void>();
  const { url } = await site({ '/': '<title>Here</title>', '/never': () => asked.resolve() });
  const { call, close } = await tools();
  await call({ code: `goto("${url}")` });
  const waiting = call({ code: `goto("${url}/never")\nclick("e1")` });
  await asked.promise;
  signalBrowser('SIGKILL');
  assert.match((await waiting).said, /The browser ended unexpectedly.*open the page by its address first/);
  assert.match((await call({ code: `goto("${url}")` })).said, /RootWebArea 'Here'/);
  await close();
  assert.deepEqual(readdirSync(temporary), []);
});

browserTest('a browser that does not respond is ended all the same and leaves nothing behind', async () => {
  const { call, close } = await tools();
  await call({ code: 'goto("about:blank")' });
  signalBrowser('SIGSTOP');
  await close();
  assert.deepEqual(processesOf(temporary), []);
  assert.deepEqual(readdirSync(temporary), []);
});

browserTest('a page that never answers: after the third time in a row the browser is replaced', async () => {
  const { url } = await site({
    '/': '<title>Here</title>',
    '/busy': '<button onclick="for(;;);">Hang</button>',
  });
  const { call } = await tools({ action_timeout_seconds: 3 });
  let bid: string | undefined;
  for (let i = 0; i < 10 && bid === undefined; i += 1) {
    // On a busy machine this may take longer itself.
    bid = /\[(\w+)\] button/.exec((await call({ code: `goto("${url}/busy")` })).said)?.[1];
  }
  const late = /The browser did not finish within 3 s/;
  assert.match((await call({ code: `click("${bid}")` })).said, late);
  assert.match((await call({ code: 'noop(1)' })).said, late);
  assert.match((await call({ code: 'noop(1)' })).said, /third time in a row, so the browser was closed/);
  let said = '';
  for (let i = 0; i < 10 && !said.includes('RootWebArea'); i += 1) {
    ({ said } = await call({ code: `goto("${url}")` }));
  }
  assert.match(said, /RootWebArea 'Here'/);
});

browserTest('only allowed hosts are visited: by address, link, frame, redirect, or storage', async () => {
  const other = await site({ '/': '<title>Other</title><p>forbidden words</p>' });
  const forbidden = other.url.replace('127.0.0.1', 'localhost');
  const { url } = await site({
    '/': `<title>Here</title><a href="${forbidden}/">Link</a><iframe src="${forbidden}/?framed"></iframe>`,
    '/away': (_, response) => void response.writeHead(302, { location: `${forbidden}/?redirected` }).end(),
  });
  const { call } = await tools({ allowed_domains: ['127.0.0.1'] }, both);
  const refused = await call({ code: `goto("${forbidden}/?asked")` });
  assert.match(refused.said, /was not visited\. Allowed hosts: 127\.0\.0\.1/);
  const framed = await call({ code: `goto("${url}/")` });
  assert.match(framed.said, /RootWebArea 'Here'/);
  assert.match(framed.said, /Not visited, because its host is not allowed: .*framed/);
  const bid = /\[(\w+)\] link/.exec(framed.said)?.[1];
  assert.match((await call({ code: `click("${bid}")` })).said, /Not visited, because/);
  assert.deepEqual(other.asked, []);
  const redirected = await call({ code: `goto("${url}/away")` });
  assert.match(redirected.said, /Left at once, because its host is not allowed: .*redirected/);
  assert.doesNotMatch(`${framed.said}${redirected.said}`, /forbidden words/);
  const stored = await call(
    { storage_state: { origins: [{ origin: forbidden }] } },
    { tool: 'browser_set_storage' },
  );
  assert.match(stored.said, /is not an allowed host/);
});

const both: ToolFactory = {
  name: 'both',
  create: async (environment, params) => [
    ...(await browserTool.create(environment, params)),
    ...(await browserToolSet.create(environment, { ...params, session_timeout_minutes: 31 })),
  ],
};

browserTest(
  'tools of one workspace share the browser; later settings are ignored, with a warning',
  async () => {
    const { url } = await site({ '/': '<title>Shared</title>' });
    const { call, warnings } = await tools(
      { inject_scripts: ['document.title = "before all scripts"'] },
      both,
    );
    assert.ok(warnings.some((each) => each.includes('the settings of the first one apply')));
    await call({ code: `goto("${url}")` });
    const state = await call({}, { tool: 'browser_get_state' });
    assert.match(state.said, /"title": "Shared"/);
  },
);

browserTest('an idle browser is closed, and the next call starts a new one', async () => {
  const { call } = await tools({ session_timeout_minutes: 0.005 });
  await call({ code: 'goto("about:blank")' });
  await until(() => processesOf(temporary).length === 0, 'the browser still runs');
  assert.match((await call({ code: 'noop(1)' })).said, /RootWebArea/);
});

test('without a browser there are no tools, and a warning says what to do', async () => {
  const { tools: made, warnings } = await tools({ executable_path: '/no/such/browser' }, both);
  assert.deepEqual(made, []);
  assert.match(
    warnings[0] ?? '',
    /The agent has no browser\. The setting executable_path names \/no\/such\/browser, which does not exist/,
  );
});

test('a missing browser is an error that says how to install one', async () => {
  const { workspace } = await tools({ executable_path: process.execPath });
  const nowhere = { ...workspace, which: async () => [], stat: async () => null };
  await assert.rejects(findBrowser(nowhere, undefined, {}), {
    name: 'ToolError',
    message: /apt-get install chromium.*npx playwright-core install chromium.*LONGHAND_CHROME/,
  });
  await assert.rejects(
    findBrowser(workspace, undefined, { CHROME_PATH: '/gone' }),
    /CHROME_PATH names \/gone/,
  );
});

test('a program that is not a browser is reported with its output', async () => {
  const program = join(folder, 'fake');
  writeFileSync(
    program,
    '#!/bin/sh\necho "Running as root without --no-sandbox is not supported" >&2\nexit 3\n',
    {
      mode: 0o755,
    },
  );
  const { call } = await tools({ executable_path: program });
  const { said, isError } = await call({ code: 'goto("about:blank")' });
  assert.equal(isError, true);
  assert.match(said, /fake ended at once \(3\)\. Its sandbox is not available here: set `sandbox` to false/);
  assert.match(said, /Running as root/);
  assert.deepEqual(readdirSync(temporary), []);
});
