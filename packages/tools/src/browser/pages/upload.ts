import { posix } from 'node:path';
import { ToolError } from '@longhand/sdk';
import type { Locator } from 'playwright-core';
import type { Session } from '../engine/session.ts';
import { onElement } from './element.ts';

/** Playwright's limit for one file. */
const MAX_BYTES = 50 * 1024 * 1024;
const CHOOSER_MS = 2_000;

/** MIME types by file extension; pages use them to recognise images and text. */
const TYPES: { readonly [ending: string]: string } = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

interface FilePayload {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/**
 * Selects files in the workspace for a file field, or for an element that opens a file chooser when clicked. An empty list
 * clears the field. Throws ToolError if a file cannot be read or the element does not accept files.
 */
export async function setFiles(
  session: Session,
  ref: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const files = await Promise.all(paths.map((path) => payload(session, path)));
  const { page } = await session.tabs.current();
  await onElement(session, ref, signal, async (element, options) => {
    if (await isFileField(element)) return await element.setInputFiles(files, options);
    const choosing = page.waitForEvent('filechooser', { timeout: CHOOSER_MS });
    choosing.catch(() => undefined); // reported below, unless the click already failed
    await element.click(options);
    const chooser = await choosing.catch(() => {
      throw new ToolError(
        `"${ref}" is not a file field and opens no file chooser. Use the file field, or the button that opens the chooser.`,
      );
    });
    await chooser.setFiles(files, options);
  });
}

async function isFileField(element: Locator): Promise<boolean> {
  return await element.evaluate((node: { readonly type?: unknown }) => node.type === 'file');
}

async function payload({ workspace }: Session, path: string): Promise<FilePayload> {
  const whole = posix.isAbsolute(path) ? path : posix.join(workspace.root, path);
  const found = await workspace.stat(whole);
  if (found?.type !== 'file') {
    throw new ToolError(`The file ${whole} does not exist. Pass the path of a file in the workspace.`);
  }
  if (found.sizeBytes > MAX_BYTES) {
    throw new ToolError(
      `${whole} is larger than ${MAX_BYTES / 1024 / 1024} MiB, the limit for uploads. Send it in parts, or with curl in the terminal.`,
    );
  }
  const buffer = Buffer.from(await workspace.readFile(whole));
  const mimeType = TYPES[posix.extname(whole).toLowerCase()] ?? 'application/octet-stream';
  return { name: posix.basename(whole), mimeType, buffer };
}
