/**
 * `requests.jsonl`: what the requests to the agent's model contained, so that a replay can compare them, and the tools that the model was
 * shown can be told later.
 *
 * Format: a JSON object on each line, one for each request (not for its retries):
 *   at        the id of the last event before the request
 *   keep      how many messages at the beginning are those of the request on the line before
 *   messages  the digests of the others: 16 hexadecimal digits of the SHA-256 of the message as JSON in OpenAI's chat format
 *   tools     the descriptions of the tools, if they are not those of the line before
 * Other lines, such as one that was torn, are ignored. A program that opens the folder begins with `keep` 0. The file is written before the
 * request is sent, and not synced; it may be deleted.
 */
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventId } from '../../event/identity.ts';
import type { Message } from '../../event/message.ts';
import type { Prompt, ToolSchema } from '../../llm/llm.ts';
import { chatMessage } from '../../llm/provider/format/chat-messages.ts';
import { type Disk, nodeDisk, PRIVATE_FILE } from '../../log/disk.ts';
import { isRecord } from '../../value/is-record.ts';
import { remembered } from '../../value/remembered.ts';

const FILE = 'requests.jsonl';
const DIGITS = 16;

interface Line {
  readonly at: EventId;
  readonly keep: number;
  readonly messages: readonly string[];
  readonly tools?: readonly ToolSchema[];
}

/** Everything of a message is part of its digest, whatever the model accepts. */
const WHOLE = {
  nativeTools: true,
  vision: true,
  cacheMarks: false,
  stringContent: false,
  replayReasoning: true,
  replayThinking: true,
  toolImages: true,
};

export const digestOf = remembered((message: Message) =>
  hash('sha256', JSON.stringify(chatMessage(message, WHOLE))).slice(0, DIGITS),
);

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
  #before: Pick<Prompt, 'messages' | 'tools'> = { messages: [], tools: [] };

  constructor(directory: string, options: RequestRecordOptions) {
    this.#path = join(directory, FILE);
    this.#options = options;
    this.#disk = options.disk ?? nodeDisk;
  }

  add(at: EventId, { messages, tools }: Prompt): void {
    if (this.#hasFailed) return;
    let keep = 0;
    // The same message is the same object, so a step costs as much in a long conversation as in a short one.
    while (keep < messages.length && messages[keep] === this.#before.messages[keep]) keep += 1;
    const line = { at, keep, messages: messages.slice(keep).map(digestOf) };
    const shown = tools === this.#before.tools ? line : { ...line, tools };
    this.#before = { messages, tools };
    try {
      this.#write(`${this.#options.mask(JSON.stringify(shown))}\n`);
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

  /** The digests of the messages of each request behind an event; empty if none is on record. */
  behind(at: EventId): readonly (readonly string[])[] {
    const places = [...this.#lines.entries()].flatMap(([place, line]) => (line.at === at ? [place] : []));
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
