/** Cassettes on disk: see the format in the SDK's `cassette.ts`. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import {
  type Conversation,
  type LLM,
  type LlmConfig,
  recording,
  replaying,
  serializeEvent,
} from '@longhand/sdk';
import {
  type Cassette,
  type CassetteLine,
  type Clock,
  masker,
  modelInfoOf,
  parseCassette,
  resolveModel,
  secretsOf,
  secretsOfConfig,
} from '@longhand/sdk/internal';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';

/** Throws UsageError that names file and line. */
export function readCassette(path: string): Cassette {
  try {
    return parseCassette(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`the cassette ${path} cannot be replayed: ${fileFault(error)}`);
  }
}

/** A model that replies from the cassette; the provider is never called. */
export function playFrom(path: string, config: LlmConfig, env: NodeJS.ProcessEnv): LLM {
  const { exchanges } = readCassette(path);
  return replaying(exchanges, {
    model: modelInfoOf(config),
    usageId: config.usageId ?? 'agent',
    mask: maskOf(env),
  });
}

/** The prompt contains the date, so the clock shows that of the recording; ids are new. */
export function clockOf(path: string): Clock {
  const began = readCassette(path).events.find((event) => typeof event['timestamp'] === 'string')?.[
    'timestamp'
  ];
  const offsetMs = typeof began === 'string' ? Date.parse(began) - Date.now() : 0;
  return { now: () => Date.now() + offsetMs, newId: () => crypto.randomUUID() };
}

export interface Recorder {
  readonly wrap: (llm: LLM) => LLM;
  /** Writes the events so far, and the following ones. */
  follow(conversation: Conversation): void;
  close(): void;
}

/** Throws UsageError if the file exists: recordings are not overwritten. */
export function recordTo(path: string, config: LlmConfig, env: NodeJS.ProcessEnv): Recorder {
  const descriptor = openNew(path);
  const mask = maskOf(env, config);
  const write = (line: CassetteLine) => {
    writeSync(descriptor, `${mask(JSON.stringify(line))}\n`);
  };
  // Exchanges may happen before the conversation is known, but the header has to come first.
  let isBegun = false;
  const early: CassetteLine[] = [];
  return {
    wrap: (llm) => recording(llm, (line) => (isBegun ? write(line) : early.push(line))),
    follow: (conversation) => {
      write({ cassette: 1, state: conversation.baseState() });
      isBegun = true;
      for (const line of early) write(line);
      for (const [, event] of conversation.log.read())
        write({ type: 'event', event: JSON.parse(serializeEvent(event)) });
      conversation.subscribe({
        onEvent: (event) => write({ type: 'event', event: JSON.parse(serializeEvent(event)) }),
      });
    },
    close: () => {
      closeSync(descriptor);
      if (!isBegun) rmSync(path, { force: true }); // no conversation was started
    },
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already, and recordings are not overwritten' : message;
    throw new UsageError(`--record: ${path} cannot be written: ${why}`);
  }
}

function maskOf(env: NodeJS.ProcessEnv, config?: LlmConfig): (text: string) => string {
  if (config === undefined) return masker(secretsOf(env));
  const keys = (keyVariables(config) ?? []).map((name) => env[name]);
  return masker([...secretsOfConfig(config), ...keys, ...secretsOf(env)]);
}

function keyVariables(config: LlmConfig): readonly string[] | undefined {
  return resolveModel(config.model, config.endpoint).keyVariables;
}
