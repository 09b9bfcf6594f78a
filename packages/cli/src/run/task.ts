import { readFileSync } from 'node:fs';
import { fileFault } from '../file-fault.ts';
import type { TaskOptions } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';

/** Where a task comes from. */
export type TaskSource =
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'stdin' };

/** Undefined if no task is given; `stdin` says that a bare `-` is. Throws UsageError if there are several. */
export function taskSource({ text, file }: TaskOptions, stdin: boolean): TaskSource | undefined {
  if (stdin && (text !== undefined || file !== undefined))
    throw new UsageError('the task is given more than once; use one of -t, -f and -');
  if (stdin || file === '-') return { from: 'stdin' };
  if (text !== undefined) return { from: 'text', text };
  return file === undefined ? undefined : { from: 'file', path: file };
}

/** The text of the task, trimmed. Throws UsageError if it is empty or cannot be read. */
export async function readTask(source: TaskSource): Promise<string> {
  const [text, where] = await readFrom(source);
  if (text.trim() === '') throw new UsageError(`the task is empty (${where})`);
  return text.trim();
}

async function readFrom(source: TaskSource): Promise<[text: string, where: string]> {
  switch (source.from) {
    case 'text':
      return [source.text, '-t'];
    case 'file':
      return [readFile(source.path), source.path];
    case 'stdin':
      return [await readStdin(), 'standard input'];
  }
}

function readFile(path: string): string {
  try {
    return decoded(readFileSync(path));
  } catch (error) {
    throw new UsageError(`the task file ${path} cannot be read: ${fileFault(error)}`);
  }
}

/** To its end. Throws UsageError if it is no text. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  try {
    return decoded(Buffer.concat(chunks));
  } catch {
    throw new UsageError('the task on standard input is not UTF-8 text');
  }
}

/** Throws TypeError. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
