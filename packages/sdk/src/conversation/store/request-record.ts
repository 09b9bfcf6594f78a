/**
 * `requests.jsonl`: what the requests to the agent's model contained, so that a replay can compare them, and the tools that the model was
 * shown can be told later.
 *
 * Format: a JSON object on each line, one for each request (not for its retries):
 *   at        the id of the last event before the request
 *   keep      how many messages at the beginning are those of the request on the line before
 *   messages  the digests of the others; see `digestOf`
 *   tools     the descriptions of the tools, if they are not those of the line before
 *   version   the version of the SDK that writes this line and the next ones
 * Other lines, such as one that was torn, are ignored. A program that opens the folder begins with `keep` 0 and its version. The file is
 * written before the request is sent, and not synced; it may be deleted.
 */
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventId } from '../../event/identity.ts';
import type { Message } from '../../event/message.ts';
import type { Prompt, ToolSchema } from '../../llm/llm.ts';
import { type Disk, nodeDisk, PRIVATE_FILE } from '../../log/disk.ts';
import { isRecord } from '../../value/is-record.ts';
import { remembered } from '../../value/remembered.ts';
import { SDK_VERSION } from '../../version.ts';

const FILE = 'requests.jsonl';
const DIGITS = 16;

interface Line {
  readonly at: EventId;
  readonly keep: number;
  readonly messages: readonly string[];
  readonly tools?: readonly ToolSchema[];
  readonly version?: string;
}

/**
 * 16 hexadecimal digits of the SHA-256 of a message as JSON with sorted keys, without what says nothing: empty lists, and `cache_prompt` that
 * is false.
 */
export const digestOf = remembered((message: Message) =>
  hash('sha256', JSON.stringify(message, sorted)).slice(0, DIGITS),
);

function sorted(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const said = Object.entries(value).filter(
    ([key, member]) =>
      !(Array.isArray(member) && member.length === 0) && !(key === 'cache_prompt' && member === false),
  );
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface RequestRecordOptions {
  /** Hides secrets in the descriptions of tools. */
  readonly mask: (text: string) => string;
  readonly warn: (text: string) => void;
  readonly disk?: Disk;
}

/** Writes the file. A failure is a warning, and nothing is written after it. */
export class RequestRecord {
  readonly #path: string;
  readonly #options: RequestRecordOptions;
  readonly #disk: Disk;
  #descriptor: number | null = null;
  #hasFailed = false;
  #before: Pick<Prompt, 'messages' | 'tools'> | null = null;

  constructor(directory: string, options: RequestRecordOptions) {
    this.#path = join(directory, FILE);
    this.#options = options;
    this.#disk = options.disk ?? nodeDisk;
  }

  add(at: EventId, { messages, tools }: Prompt): void {
    if (this.#hasFailed) return;
    let keep = 0;
    // The same message is the same object, so a step costs as much in a long conversation as in a short one.
    while (keep < messages.length && messages[keep] === this.#before?.messages[keep]) keep += 1;
    const line: Line = {
      ...{ at, keep, messages: messages.slice(keep).map(digestOf) },
      ...(tools === this.#before?.tools ? {} : { tools }),
      ...(this.#before === null ? { version: SDK_VERSION } : {}),
    };
    this.#before = { messages, tools };
    try {
      this.#write(`${this.#options.mask(JSON.stringify(line))}\n`);
    } catch (error) {
      this.#hasFailed = true;
      this.#options.warn(`${this.#path} cannot be written: ${(error as Error).message}`);
    }
  }

  #write(line: string): void {
    // A crash may have torn the last line.
    const start = this.#descriptor === null && existsSync(this.#path) ? '\n' : '';
    this.#descriptor ??= this.#disk.append(this.#path, PRIVATE_FILE);
    this.#disk.write(this.#descriptor, Buffer.from(start + line));
  }

  close(): void {
    if (this.#descriptor !== null) this.#disk.close(this.#descriptor);
    this.#descriptor = null;
    this.#hasFailed = true;
  }
}

/** The requests of a folder, read when they are needed. */
export class RecordedRequests {
  readonly #lines: readonly Line[];
  /** The messages of the request at `#place`; those of others are derived from them. */
  #place = -1;
  #messages: string[] = [];

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /**
   * The digests of the messages of each request behind an event; empty if none is on record. Requests of another version are left out: the
   * same events may have become other messages.
   */
  behind(at: EventId): readonly (readonly string[])[] {
    let version: string | undefined;
    const places = this.#lines.flatMap((line, place) => {
      version = line.version ?? version;
      return line.at === at && version === SDK_VERSION ? [place] : [];
    });
    return places.map((place) => this.#messagesAt(place));
  }

  /**
   * The tools that the model was shown in the last request for which `isBefore` is true of the event before it, else in the first request.
   * Undefined if no request is on record.
   */
  toolsAt(isBefore: (at: EventId) => boolean): readonly ToolSchema[] | undefined {
    let tools: readonly ToolSchema[] | undefined;
    for (const line of this.#lines) if (tools === undefined || isBefore(line.at)) tools = line.tools ?? tools;
    return tools;
  }

  #messagesAt(place: number): readonly string[] {
    if (place < this.#place) this.#place = -1;
    while (this.#place < place) {
      this.#place += 1;
      const { keep, messages } = this.#lines[this.#place] as Line;
      this.#messages = [...this.#messages.slice(0, keep), ...messages];
    }
    return this.#messages;
  }
}

/** No requests if there is no file, as in folders of earlier versions and of the reference. */
export function readRequests(directory: string): RecordedRequests {
  const path = join(directory, FILE);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return new RecordedRequests(source.split('\n').flatMap(lineOf));
}

function lineOf(source: string): Line[] {
  try {
    const line: unknown = JSON.parse(source);
    const isLine = isRecord(line) && typeof line['keep'] === 'number' && Array.isArray(line['messages']);
    return isLine ? [line as unknown as Line] : [];
  } catch {
    return []; // blank or torn
  }
}

/** For a fork, which has the same events. */
export function copyRequests(from: string, to: string): void {
  const path = join(from, FILE);
  if (existsSync(path)) copyFileSync(path, join(to, FILE));
}
