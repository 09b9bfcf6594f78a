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

/** A browser that runs, and what is known of it. */
export interface Session {
  readonly settings: BrowserSettings;
  readonly workspace: Workspace;
  readonly context: BrowserContext;
  readonly tabs: Tabs;
  readonly downloads: Downloads;
  readonly recording: Recording;
  /** What the model saw last of each tab; the numbers of `browser_click` are of it. */
  readonly seen: WeakMap<Tab, Snapshot>;
  readonly notices: Notices;
  /** Aborted when the process is gone. */
  readonly ended: AbortSignal;
  /** Waits, in reason, for what is under way besides: downloads, pages that must be left. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

const DOWNLOAD_MS = 10_000;
const RECORDING_MS = 5_000;

/** Throws ToolError if there is no browser or it does not start. */
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
      notify(`A new tab opened and is the one worked on now (id ${id}).`),
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
        // Of a browser that is gone, or stands still, there is nothing more to record.
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

/** A page that asks stands still until it is answered, so it is answered at once, and the model is told how. */
async function answer(dialog: Dialog, notify: (text: string) => void): Promise<void> {
  const kind = dialog.type();
  const asked = JSON.stringify(dialog.message());
  try {
    if (kind === 'prompt') await dialog.dismiss();
    else await dialog.accept();
  } catch {
    return; // the page that asked is gone, and its question with it
  }
  if (kind === 'beforeunload') notify('The page asked whether it may be left; the answer was yes.');
  else if (kind === 'prompt') notify(`The page asked for a text (${asked}); the question was cancelled.`);
  else if (kind === 'confirm') notify(`The page asked ${asked}; the answer was OK.`);
  else notify(`The page showed a message: ${asked}; it was closed.`);
}
