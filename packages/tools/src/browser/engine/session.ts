import type { Workspace } from '@longhand/sdk';
import type { BrowserContext, Dialog } from 'playwright-core';
import { inTime } from '../in-time.ts';
import type { Snapshot } from '../observed/snapshot.ts';
import { confine } from '../pages/domains.ts';
import { Downloads } from '../pages/downloads.ts';
import { type Tab, Tabs } from '../pages/tabs.ts';
import { Recording } from '../recording/recording.ts';
import { launch } from './launch.ts';
import { Notices } from './notices.ts';
import type { BrowserSettings } from './settings.ts';

/** A running browser and its state. */
export interface Session {
  readonly settings: BrowserSettings;
  readonly workspace: Workspace;
  readonly context: BrowserContext;
  readonly tabs: Tabs;
  readonly downloads: Downloads;
  readonly recording: Recording;
  /** What the model last saw of each tab; the numbers of `browser_click` refer to it. */
  readonly seen: WeakMap<Tab, Snapshot>;
  readonly notices: Notices;
  /** Aborted when the browser's process has ended. */
  readonly ended: AbortSignal;
  /** Waits a limited time for background activity: downloads, and leaving pages that are not allowed. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

const DOWNLOAD_MS = 10_000;
const RECORDING_MS = 5_000;

/** Starts a browser. Throws ToolError if none is installed or it does not start. */
export async function openSession(
  workspace: Workspace,
  settings: BrowserSettings,
  onWarning: (text: string) => void,
): Promise<Session> {
  const launched = await launch(workspace, settings, onWarning);
  try {
    const { browser, context } = launched;
    const end = new AbortController();
    browser.on('disconnected', () => end.abort());
    const notices = new Notices();
    const notify = notices.add;
    context.setDefaultTimeout(settings.navigation_timeout_seconds * 1_000);
    context.on('dialog', (dialog) => void answer(dialog, notify));
    const tabs = new Tabs(context, ({ id }) =>
      notify(`A new tab opened and is now the current one (id ${id}).`),
    );
    const left = await confine(context, settings.allowed_domains, notify);
    for (const content of settings.inject_scripts) await context.addInitScript({ content });
    const downloads = await Downloads.watch(browser, workspace, notify);
    const recording = new Recording(context, workspace);
    return {
      settings,
      workspace,
      context,
      tabs,
      downloads,
      recording,
      seen: new WeakMap(),
      notices,
      ended: end.signal,
      calm: async () => {
        await left();
        await downloads.settle(DOWNLOAD_MS);
      },
      close: async () => {
        // A browser that is gone or does not answer has nothing more to record.
        await inTime(recording.stop(), RECORDING_MS).catch(() => undefined);
        await launched.close();
        await downloads.forget();
      },
    };
  } catch (error) {
    await launched.close();
    throw error;
  }
}

/** Answers a dialog at once, since the page blocks until then, and tells the model how. */
async function answer(dialog: Dialog, notify: (text: string) => void): Promise<void> {
  const kind = dialog.type();
  const asked = JSON.stringify(dialog.message());
  try {
    if (kind === 'prompt') await dialog.dismiss();
    else await dialog.accept();
  } catch {
    return; // the page is gone, and the dialog with it
  }
  if (kind === 'beforeunload') notify('The page asked for confirmation to leave it; the answer was yes.');
  else if (kind === 'prompt') notify(`The page asked for text (${asked}); the prompt was cancelled.`);
  else if (kind === 'confirm') notify(`The page asked ${asked}; the answer was OK.`);
  else notify(`The page showed a message: ${asked}; it was closed.`);
}
