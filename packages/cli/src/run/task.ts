/** The task, or the next message of a resumed conversation: from `-t`, from a file, and from standard input. */
import { readFileSync } from 'node:fs';
import { fileFault } from '../file-fault.ts';
import type { TaskOptions } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import { readPipe, readStdin } from './standard-input.ts';

export interface TaskInput {
  readonly task: TaskOptions;
  /** A bare `-`: read all of standard input, however long that takes. */
  readonly dash: boolean;
  /** What standard input is for when there is no `-`. `extra`: it may add to the task; `unused`: it is not the task's. */
  readonly stdin: 'task' | 'extra' | 'unused';
  readonly warn: (text: string) => void;
}

/** Messages for the engine; nothing is added to them. */
const ENGINE_COMMANDS = ['/exit', '/condense'];

/** The text of the task, trimmed; undefined if none is given. Throws UsageError if it is empty or cannot be read. */
export async function readTask({ task, dash, stdin, warn }: TaskInput): Promise<string | undefined> {
  const given = textOf(task);
  const isAwaited = dash || task.file === '-';
  if (given === undefined && isAwaited) return checked(await readStdin(), 'standard input');
  if (given !== undefined && ENGINE_COMMANDS.includes(given)) return given;
  const piped = isAwaited || (stdin === 'task' && given === undefined) ? await readStdin() : undefined;
  return joined(given, piped ?? (stdin === 'unused' ? '' : await readPipe(warn)));
}

function textOf({ text, file }: TaskOptions): string | undefined {
  if (text !== undefined) return checked(text, '-t');
  return file === undefined || file === '-' ? undefined : checked(readFile(file), file);
}

function checked(text: string, where: string): string {
  if (text.trim() === '') throw new UsageError(`the task is empty (${where})`);
  return text.trim();
}

/** Piped text follows the task in tags, so that the model can tell them apart; without a task it is the task. */
function joined(given: string | undefined, piped: string): string | undefined {
  if (piped.trim() === '') return given;
  if (given === undefined) return piped.trim();
  return `${given}\n\n<standard_input>\n${piped.replace(/\n+$/, '')}\n</standard_input>`;
}

function readFile(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new UsageError(`the task file ${path} cannot be read: ${fileFault(error)}`);
  }
}
