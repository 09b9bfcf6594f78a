/** Standard input, if text is piped into the command. */
import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { UsageError } from '../usage-error.ts';

/** How long a pipe may stay silent. A program that starts this one often leaves it open without ever writing to it. */
const PATIENCE_MS = 3_000;

/** Whether it is a pipe or a file, so that nobody has to type. */
export function isRedirected(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket() || found.isFile();
  } catch {
    return false; // closed from the start
  }
}

/** All of it. Throws UsageError if it is not text. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError('the task on standard input is not UTF-8 text');
  }
}

/** All of it, or '' with a warning if it is a pipe that stays silent, or '' if it is no pipe at all. Throws UsageError if it is not text. */
export async function readPipe(warn: (text: string) => void): Promise<string> {
  if (!isRedirected(0)) return '';
  if (await speaksWithin(PATIENCE_MS)) return await readStdin();
  warn(
    `standard input is open, but nothing came in ${PATIENCE_MS / 1000} seconds: it is not part of the task.\n  To wait for it, add -; if there is none, add < /dev/null`,
  );
  return '';
}

/** Whether something came, or its end. */
async function speaksWithin(patienceMs: number): Promise<boolean> {
  const decided = new AbortController();
  const { signal } = decided;
  try {
    return await Promise.race([
      once(process.stdin, 'readable', { signal }).then(() => true),
      setTimeout(patienceMs, false, { signal }),
    ]);
  } finally {
    decided.abort();
  }
}
