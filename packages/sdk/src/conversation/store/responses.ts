/**
 * `responses.jsonl`: the whole response of the model's provider to each turn, in the provider's own form. The events have no field for it;
 * they name it by their `llm_response_id`. In it are the arguments of calls that could not be read, and whatever the engine does not use.
 *
 * Format: one line `{"id":<llm_response_id>,"response":<JSON>}` for each turn; other lines, such as a torn one, are ignored. It is not synced.
 * Bounded: a larger response than 1 MB is left out (`"bytes"` says how large it was), and a file that has reached 32 MB is renamed to
 * `responses.1.jsonl`, in the place of the one before.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../../log/disk.ts';
import { isRecord } from '../../value/is-record.ts';

const FILE = 'responses.jsonl';
const OLDER_FILE = 'responses.1.jsonl';

export interface ResponseLimits {
  /** Of one response. */
  readonly maxBytes: number;
  /** Of one of the two files. */
  readonly maxFileBytes: number;
}

const LIMITS: ResponseLimits = { maxBytes: 1_000_000, maxFileBytes: 32_000_000 };

/** Writes the responses of an open conversation. Nothing is opened before the first. */
export class KeptResponses {
  readonly #directory: string;
  readonly #limits: ResponseLimits;
  #file: { readonly descriptor: number; bytes: number } | null = null;

  constructor(directory: string, limits: ResponseLimits = LIMITS) {
    this.#directory = directory;
    this.#limits = limits;
  }

  /** Throws the error of the operating system. */
  keep(id: string, response: unknown): void {
    const { maxBytes, maxFileBytes } = this.#limits;
    const whole = JSON.stringify({ id, response });
    const bytes = Buffer.byteLength(whole);
    const line = Buffer.from(`${bytes <= maxBytes ? whole : JSON.stringify({ id, bytes })}\n`);
    this.#file ??= this.#open();
    if (this.#file.bytes > 0 && this.#file.bytes + line.length > maxFileBytes) {
      this.close();
      renameSync(join(this.#directory, FILE), join(this.#directory, OLDER_FILE));
      this.#file = this.#open();
    }
    this.#file.bytes += writeSync(this.#file.descriptor, line);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  /** A torn line is ended first. */
  #open(): { readonly descriptor: number; bytes: number } {
    const descriptor = openSync(join(this.#directory, FILE), 'a+', PRIVATE_FILE);
    const { size } = fstatSync(descriptor);
    const last = Buffer.from('\n');
    readSync(descriptor, last, 0, 1, Math.max(0, size - 1));
    const ended = last.toString() === '\n' ? 0 : writeSync(descriptor, '\n');
    return { descriptor, bytes: size + ended };
  }
}

/** Finds a kept response by its id; undefined if it was not kept. */
export type FindResponse = (id: string) => { readonly [key: string]: unknown } | undefined;

/** Reads the responses that a conversation has kept, at the first use. */
export function responsesIn(directory: string): FindResponse {
  let lines: Map<string, string> | undefined;
  return (id) => {
    lines ??= linesIn(directory);
    const line = lines.get(id);
    return line === undefined ? undefined : responseIn(line);
  };
}

/** By their ids, as text: most are not asked for. */
function linesIn(directory: string): Map<string, string> {
  const lines = new Map<string, string>();
  for (const file of [OLDER_FILE, FILE]) {
    for (const line of read(join(directory, file)).split('\n')) {
      const [, id] = /^\{"id":("(?:[^"\\]|\\.)*"),"response":/.exec(line) ?? [];
      if (id !== undefined) lines.set(JSON.parse(id) as string, line);
    }
  }
  return lines;
}

function responseIn(line: string): { readonly [key: string]: unknown } | undefined {
  try {
    const { response } = JSON.parse(line) as { readonly response?: unknown };
    return isRecord(response) ? response : undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
