import { dirname } from 'node:path';
import { type Content, type ConversationFiles, type Observation, text, textOf } from '@longhand/sdk';
import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';
import type { Shell } from '../shell/shell.ts';
import { KeptOutput, MAX_KEPT_CHARACTERS } from './kept-output.ts';
import type { Taken } from './output-buffer.ts';
import { overstruck } from './overstrike.ts';

/** Most characters of a result. */
export const LIMIT = 30_000;

export interface Metadata {
  readonly exit_code: number;
  readonly pid: number;
  readonly username?: string;
  readonly hostname?: string;
  readonly working_dir?: string;
  readonly py_interpreter_path?: string;
  readonly prefix: string;
  readonly suffix: string;
}

export interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly command: string;
  /** Absent if the call was refused before it reached the shell. */
  readonly exit_code?: number;
  readonly timeout: boolean;
  readonly metadata: Metadata;
  readonly full_output_save_dir?: string;
  readonly [key: string]: unknown;
}

export interface ResultFacts {
  readonly command: string;
  /** -1 if the command is running or its exit code is unknown. */
  readonly exitCode: number;
  readonly isError?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
  /** The shell whose folder, interpreter and user are reported. */
  readonly shell?: Shell;
  readonly timeout?: boolean;
}

/** The output of a shell as an observation stores it. `keepIn`: where what is clipped is kept whole; null for nowhere. */
export function outputOf(taken: Taken, facts: ResultFacts, keepIn: ConversationFiles | null): Output {
  const metadata = metadataOf(facts);
  const around = metadata.prefix.length + metadata.suffix.length + trailerOf(metadata).length;
  const { shown, file } = clipped(taken, LIMIT - around, keepIn);
  const { command, exitCode, isError = false, timeout = false } = facts;
  return {
    content: [text(shown)],
    is_error: isError,
    command,
    exit_code: exitCode,
    timeout,
    metadata,
    ...(file === null ? {} : { full_output_save_dir: dirname(file) }),
  };
}

/** A call that was not carried out. `beforeTheShell`: it did not reach the shell. */
export function refusal(command: string, reason: string, beforeTheShell = false): Output {
  return {
    content: [text(reason)],
    is_error: true,
    command,
    ...(beforeTheShell ? {} : { exit_code: -1 }),
    timeout: false,
    metadata: metadataOf({ command, exitCode: -1 }),
  };
}

function metadataOf({ exitCode, shell, prefix = '', suffix = '' }: ResultFacts): Metadata {
  const { pid = -1, user = '', host = '', cwd = '', interpreter = '' } = shell?.state ?? {};
  return {
    exit_code: exitCode,
    pid,
    ...(user === '' ? {} : { username: user }),
    ...(host === '' ? {} : { hostname: host }),
    ...(cwd === '' ? {} : { working_dir: cwd }),
    ...(interpreter === '' ? {} : { py_interpreter_path: interpreter }),
    prefix,
    suffix,
  };
}

/** Clips a long output in the middle and stores it whole in a file, which the notice names. */
function clipped(
  taken: Taken,
  limit: number,
  keepIn: ConversationFiles | null,
): { readonly shown: string; readonly file: string | null } {
  const shown = overstruck(taken.text).replace(/\n+$/, '');
  if (shown.length <= limit && taken.file === null) return { shown, file: null };
  const file = taken.file ?? keep(shown, keepIn);
  const notice = (line: number) => {
    const stored =
      taken.characters > MAX_KEPT_CHARACTERS
        ? `Its first ${MAX_KEPT_CHARACTERS} characters are`
        : 'All of it is';
    const where = file === null ? '' : ` ${stored} in ${file}; the cut starts at line ${line}.`;
    return `\n${CLIPPED} The output has ${taken.characters} characters.${where}\n`;
  };
  const head = shown.slice(0, (limit - notice(limit).length) / 2);
  return { shown: truncateMiddle(shown, limit, notice(head.split('\n').length)), file };
}

function keep(shown: string, keepIn: ConversationFiles | null): string | null {
  if (keepIn === null) return null;
  const kept = new KeptOutput(keepIn);
  kept.write(shown);
  return kept.close();
}

const NOTICE = `\n${CLIPPED}\n`;

/** What the model sees: prefix, output, suffix and the state of the shell; clipped in the middle so that the end survives. */
export function render(observation: Observation): readonly Content[] {
  const { metadata = {} } = observation as unknown as { metadata?: Partial<Metadata> };
  const shown = textOf(observation.content as readonly Content[]);
  const whole = `${metadata.prefix ?? ''}${shown}${metadata.suffix ?? ''}${trailerOf(metadata)}`;
  const block = text(truncateMiddle(whole, LIMIT, NOTICE));
  return observation.is_error ? [text('[An error occurred during execution.]\n'), block] : [block];
}

/** Omits the exit code if there is a suffix, which states it. */
function trailerOf({ working_dir, py_interpreter_path, suffix, exit_code }: Partial<Metadata>): string {
  return [
    working_dir === undefined ? '' : `\n[Working folder: ${working_dir}]`,
    py_interpreter_path === undefined ? '' : `\n[Python: ${py_interpreter_path}]`,
    suffix || exit_code === undefined || exit_code === -1 ? '' : `\n[Exit code: ${exit_code}]`,
  ].join('');
}
