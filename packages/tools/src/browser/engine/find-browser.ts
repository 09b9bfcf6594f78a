import { homedir } from 'node:os';
import { ToolError, type Workspace } from '@longhand/sdk';

const NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
  'microsoft-edge',
  'brave-browser',
] as const;

const PATHS: { readonly [platform: string]: readonly string[] } = {
  linux: [
    '/opt/google/chrome/chrome',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/lib/chromium/chromium',
    '/snap/bin/chromium',
    '/opt/microsoft/msedge/msedge',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    '/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
  ],
};

/** Where Playwright keeps the browsers that it has downloaded, and the paths of the program in such a folder. */
const PLAYWRIGHT: { readonly [platform: string]: readonly [folder: string, programs: readonly string[]] } = {
  linux: ['.cache/ms-playwright', ['chrome-linux64/chrome', 'chrome-linux/chrome']],
  darwin: [
    'Library/Caches/ms-playwright',
    [
      'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
      'chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
      'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    ],
  ],
};

const HOW_TO_GET_ONE =
  'Install Google Chrome or Chromium (on Debian or Ubuntu `apt-get install chromium`, anywhere `npx playwright-core install chromium`), or set executable_path or the variable LONGHAND_CHROME to one.';

/**
 * The browser to start: the one that the setting or the environment names, otherwise one on the PATH, in a common place, or
 * downloaded by Playwright. Throws ToolError, which says how to get one.
 */
export async function findBrowser(
  workspace: Workspace,
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  if (workspace.platform === 'win32') {
    throw new ToolError('The browser cannot be started on Windows: run Longhand in WSL.');
  }
  for (const [source, path] of [
    ['The setting executable_path', named],
    ['LONGHAND_CHROME', env['LONGHAND_CHROME']],
    ['CHROME_PATH', env['CHROME_PATH']],
  ] as const) {
    if (path === undefined || path === '') continue;
    if (await isThere(workspace, path)) return path;
    throw new ToolError(`${source} names ${path}, which does not exist. Correct or unset it.`);
  }
  const [onPath] = await workspace.which(NAMES);
  if (onPath !== undefined) return onPath;
  for (const path of [...(PATHS[workspace.platform] ?? []), ...(await fetchedByPlaywright(workspace, env))]) {
    if (await isThere(workspace, path)) return path;
  }
  throw new ToolError(`No browser is installed, so pages cannot be opened. ${HOW_TO_GET_ONE}`);
}

async function isThere(workspace: Workspace, path: string): Promise<boolean> {
  if (!path.includes('/')) return (await workspace.which([path])).length > 0;
  const found = await workspace.stat(path).catch(() => null); // an unreadable place has none for us
  return found?.type === 'file';
}

async function fetchedByPlaywright(workspace: Workspace, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const [usual, programs] = PLAYWRIGHT[workspace.platform] ?? [null, []];
  if (usual === null) return [];
  const folder = env['PLAYWRIGHT_BROWSERS_PATH'] ?? `${homedir()}/${usual}`;
  const entries = await workspace.list(folder).catch(() => []); // usually the folder does not exist
  const builds = entries
    .map(({ name }) => Number(/^chromium-(\d+)$/.exec(name)?.[1] ?? Number.NaN))
    .filter((build) => !Number.isNaN(build))
    .sort((a, b) => b - a);
  return builds.flatMap((build) => programs.map((program) => `${folder}/chromium-${build}/${program}`));
}
