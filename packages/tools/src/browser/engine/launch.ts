import { tmpdir } from 'node:os';
import { type Process, ToolError, type Workspace } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import type { Browser, BrowserContext } from 'playwright-core';
import { inTime } from '../in-time.ts';
import { firstLine } from '../pages/visit.ts';
import { findBrowser } from './find-browser.ts';
import { pipeTransport } from './pipe-transport.ts';
import type { BrowserSettings } from './settings.ts';

const FOLDER_MS = 20_000;

/** An address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9/';

/** The browser contacts and shows only what it is asked to; a test checks its outgoing requests. */
const FLAGS = [
  '--remote-debugging-pipe',
  '--disable-background-networking',
  '--disable-component-update',
  // Even so, it requests component updates and the state of an account.
  `--component-updater=url-source=${NOWHERE}`,
  `--gaia-url=${NOWHERE}`,
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-search-engine-choice-screen',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-sync',
  '--disable-quic',
  '--disable-gpu',
  '--disable-breakpad',
  '--disable-features=NetworkTimeServiceQuerying,CertificateTransparencyComponentUpdater,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,InterestFeedContentSuggestions,HttpsUpgrades',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-dev-shm-usage',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--window-size=1280,807',
] as const;

/** A killed browser leaves its profile and the folder of the socket that the profile names. */
const CLEAR = `socket=$(readlink "$1/profile/SingletonSocket") && case $socket in
/*/SingletonSocket) rm -rf "\${socket%/*}" ;;
esac
rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }`;

/**
 * Chromium reads messages from descriptor 3 and writes them to 4, and ends when the writer is gone. The shell outlives it in
 * any case and removes its folder.
 */
const START = `trap : TERM INT HUP
folder=$1; shift
"$@" 3<&0 4>&1 </dev/null >/dev/null
code=$?
set -- "$folder"
${CLEAR}
exit $code`;
const STDERR_CHARACTERS = 2_000;
const CLOSE_MS = 3_000;

export interface Launched {
  readonly browser: Browser;
  /** The default context, whose downloads can be directed. */
  readonly context: BrowserContext;
  /** Ends the browser and all its processes, and removes its profile. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts a browser with an empty profile through the workspace, so that it is confined like everything else and ends with
 * the workspace. Throws ToolError saying what is missing.
 */
export async function launch(
  workspace: Workspace,
  settings: BrowserSettings,
  onWarning: (text: string) => void,
): Promise<Launched> {
  const program = await findBrowser(workspace, settings.executable_path);
  const { folder, isRoot } = await ownFolder(workspace);
  const isSandboxed = settings.sandbox ?? !isRoot;
  if (!isSandboxed) {
    onWarning(
      "The browser runs without Chromium's own sandbox, because it is switched off or not available to root: visit only pages that you trust, or confine the workspace.",
    );
  }
  const argv = [
    program,
    ...FLAGS,
    `--user-data-dir=${folder}/profile`,
    ...(settings.headless ? ['--headless=new', '--hide-scrollbars', '--mute-audio'] : []),
    ...(isSandboxed ? [] : ['--no-sandbox']),
    '--no-startup-window',
  ];
  const process = await workspace.spawn(['/bin/sh', '-c', START, 'browser', folder, ...argv], {
    // Otherwise crash reports are stored in the user's home.
    env: { BREAKPAD_DUMP_LOCATION: `${folder}/crashes` },
  });
  const end = async () => {
    await process.terminate();
    await cleared(workspace, folder).catch(() => undefined); // usually the shell has done it
  };
  try {
    const browser = await connect(process, program, settings.init_timeout_seconds * 1_000);
    const [context] = browser.contexts();
    if (context === undefined) throw new ToolError(`${program} started but opened no window.`);
    const close = async () => {
      await askedToClose(browser, process);
      await end();
      await browser.close().catch(() => undefined); // the process has ended already
    };
    return { browser, context, close };
  } catch (error) {
    await end();
    throw error;
  }
}

async function connect(process: Process, program: string, timeoutMs: number): Promise<Browser> {
  let said = '';
  const unlisten = process.onOutput((bytes, stream) => {
    if (stream === 'stderr') said = (said + Buffer.from(bytes).toString()).slice(-STDERR_CHARACTERS);
  });
  const ended = process.exited.then(({ code, signal }) => {
    throw new ToolError(
      `${program} ended at once (${code ?? signal}).${hintOf(said)} The end of its output:\n${said.trim()}`,
    );
  });
  try {
    const { chromium } = await import('playwright-core');
    const connecting = chromium
      // An existing folder: otherwise one is created that a killed process leaves behind. Nothing is stored in it.
      .connectOverCDP(pipeTransport(process), { timeout: timeoutMs, artifactsDir: tmpdir() })
      .catch((error: Error) => {
        throw new ToolError(`${program} started but cannot be controlled: ${firstLine(error.message)}`);
      });
    connecting.catch(() => undefined); // the reason why the process ended is more useful
    return await Promise.race([connecting, ended]);
  } finally {
    unlisten();
    ended.catch(() => undefined); // the session reports a later end
  }
}

function hintOf(said: string): string {
  if (/sandbox/i.test(said)) {
    return ' Its sandbox is not available here: set `sandbox` to false in the settings of the browser.';
  }
  return /display|ozone/i.test(said) ? ' There is no display: keep `headless` on.' : '';
}

async function ownFolder(workspace: Workspace): Promise<{ folder: string; isRoot: boolean }> {
  const script = 'mktemp -d "${TMPDIR:-/tmp}/longhand-browser-XXXXXX" && id -u';
  const { exit, output } = await capture(workspace, ['/bin/sh', '-c', script], { timeoutMs: FOLDER_MS });
  const [folder = '', user] = output.trim().split('\n');
  if (exit?.code !== 0)
    throw new ToolError(`A temporary folder for the browser cannot be created: ${output.trim()}`);
  return { folder, isRoot: user === '0' };
}

/** Asks the browser to close; if it does not, its process is ended. */
async function askedToClose(browser: Browser, process: Process): Promise<void> {
  const asked = browser
    .newBrowserCDPSession()
    .then((session) => session.send('Browser.close'))
    .catch(() => undefined); // it may be gone already
  await inTime(
    asked.then(() => process.exited),
    CLOSE_MS,
  );
}

async function cleared(workspace: Workspace, folder: string): Promise<void> {
  await capture(workspace, ['/bin/sh', '-c', CLEAR, 'browser', folder], { timeoutMs: FOLDER_MS });
}
