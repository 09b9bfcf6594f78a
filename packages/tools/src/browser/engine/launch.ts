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

/** Where nothing answers. */
const NOWHERE = 'http://127.0.0.1:9/';

/** Nothing but what was asked for is contacted, shown or asked. A test looks at what goes out. */
const FLAGS = [
  '--remote-debugging-pipe',
  '--disable-background-networking',
  '--disable-component-update',
  // Updates of components and the state of an account are asked for even so.
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

/** A browser that was killed leaves, besides its profile, the folder of the socket that the profile names. */
const CLEAR = `socket=$(readlink "$1/profile/SingletonSocket") && case $socket in
/*/SingletonSocket) rm -rf "\${socket%/*}" ;;
esac
rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }`;

/**
 * Chromium reads messages from descriptor 3 and writes them to 4, and ends when nobody is there to write any more. The shell
 * outlives it, whatever happened, to take its folder away.
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
  /** The one of the browser itself, whose downloads can be steered from here. */
  readonly context: BrowserContext;
  /** Ends the browser with all its processes and removes its profile. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts a browser through the workspace, so that it is confined as everything is and ends with the workspace, with an
 * empty profile. Throws ToolError saying what is missing.
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
      "The browser runs without Chromium's own sandbox, since it cannot be had as root or was switched off: visit only pages that you trust, or confine the workspace.",
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
    // Else reports of crashes are kept in the user's own folder.
    env: { BREAKPAD_DUMP_LOCATION: `${folder}/crashes` },
  });
  const end = async () => {
    await process.terminate();
    await cleared(workspace, folder).catch(() => undefined); // mostly the shell has done it
  };
  try {
    const browser = await connect(process, program, settings.init_timeout_seconds * 1_000);
    const [context] = browser.contexts();
    if (context === undefined) throw new ToolError(`${program} was started but shows no window.`);
    const close = async () => {
      await askedToClose(browser, process);
      await end();
      await browser.close().catch(() => undefined); // nobody is there any more
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
      `${program} ended at once (${code ?? signal}).${hintOf(said)} The end of what it printed:\n${said.trim()}`,
    );
  });
  try {
    const { chromium } = await import('playwright-core');
    const connecting = chromium
      // A folder that is there: else one is made that a killed process leaves behind. Nothing is put into it.
      .connectOverCDP(pipeTransport(process), { timeout: timeoutMs, artifactsDir: tmpdir() })
      .catch((error: Error) => {
        throw new ToolError(`${program} was started but cannot be worked with: ${firstLine(error.message)}`);
      });
    connecting.catch(() => undefined); // the reason why the process ended says more
    return await Promise.race([connecting, ended]);
  } finally {
    unlisten();
    ended.catch(() => undefined); // later ends are the session's to tell
  }
}

function hintOf(said: string): string {
  if (/sandbox/i.test(said)) {
    return ' Its sandbox cannot be had here: set `sandbox` to false in the settings of the browser.';
  }
  return /display|ozone/i.test(said) ? ' There is no screen to show it on: leave `headless` on.' : '';
}

async function ownFolder(workspace: Workspace): Promise<{ folder: string; isRoot: boolean }> {
  const script = 'mktemp -d "${TMPDIR:-/tmp}/longhand-browser-XXXXXX" && id -u';
  const { exit, output } = await capture(workspace, ['/bin/sh', '-c', script], { timeoutMs: FOLDER_MS });
  const [folder = '', user] = output.trim().split('\n');
  if (exit?.code !== 0)
    throw new ToolError(`No temporary folder can be made for the browser: ${output.trim()}`);
  return { folder, isRoot: user === '0' };
}

/** Asks it to close; what does not listen is ended by its process. */
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
