/** The log: appending and opening, compared with the bare system calls. */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Event, FileEventLog, readConversation, serializeEvent } from '@longhand/sdk';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';

/** An event of about `bytes` bytes: actions and their results alternate, as in a long run. */
export function event(bytes: number, index: number, before?: Event): Event {
  const padding = 'x'.repeat(Math.max(1, bytes - 500));
  const head = {
    id: randomUUID(),
    timestamp: '2026-01-27T03:56:22.718970',
    ...(before === undefined ? {} : { parent_id: before.id }),
  };
  const call = {
    id: `call_${index - (index % 2)}`,
    name: 'terminal',
    arguments: '{"command": "ls"}',
    origin: 'completion' as const,
  };
  if (index % 2 === 0 || before === undefined) {
    const thought = [{ cache_prompt: false, type: 'text' as const, text: padding }];
    const action = { command: 'ls', is_input: false, reset: false, kind: 'TerminalAction' };
    const answer = {
      llm_response_id: `response_${index}`,
      security_risk: 'LOW' as const,
      kind: 'ActionEvent' as const,
    };
    return {
      ...head,
      source: 'agent',
      thought,
      thinking_blocks: [],
      action,
      tool_name: 'terminal',
      tool_call_id: call.id,
      tool_call: call,
      ...answer,
    };
  }
  const observation = {
    content: [{ cache_prompt: false, type: 'text' as const, text: padding }],
    is_error: false,
    kind: 'TerminalObservation',
  };
  const answered = {
    tool_name: 'terminal',
    tool_call_id: call.id,
    observation,
    action_id: before.id,
    extended_content: [],
  };
  return { ...head, source: 'environment', ...answered, kind: 'ObservationEvent' };
}

export async function appends(repeats: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-log-'));
  try {
    mkdirSync(join(directory, 'events'));
    const early = await appendCosts(directory, repeats);
    fillTo(join(directory, 'events'), 100_000);
    const late = await appendCosts(directory, repeats);
    const figure = (name: string, [ours, floor]: readonly [number, number], timesFloor: number): Figure => ({
      name: `append of 1.5 KB ${name}`,
      ours,
      unit: 'ms',
      floor: { name: 'bare system calls', value: floor },
      goal: { timesFloor },
    });
    return [
      figure('without fsync, at event 10', early.plain, 2),
      figure('without fsync, at event 100,000', late.plain, 2),
      figure('with fsync, at event 10', early.synced, 1.2),
      figure('with fsync, at event 100,000', late.synced, 1.2),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function appendCosts(directory: string, repeats: number) {
  const costs = { plain: [0, 0] as [number, number], synced: [0, 0] as [number, number] };
  for (const [key, durability, count] of [
    ['plain', 'process', 200 * repeats],
    ['synced', 'power', 40 * repeats],
  ] as const) {
    const log = await FileEventLog.open(directory, { durability });
    const folder = openSync(join(directory, 'events'), 'r');
    const ours: number[] = [];
    const floor: number[] = [];
    for (let i = 0; i < count; i += 1) {
      const next = event(1_500, i);
      const source = serializeEvent(next);
      ours.push(await timed(() => log.append(next)));
      floor.push(
        await timed(async () => bareAppend(directory, i, source, durability === 'power' ? folder : null)),
      );
      rmSync(join(directory, 'events', `bare-${i}`));
    }
    closeSync(folder);
    await log.close();
    costs[key] = [median(ours), median(floor)];
  }
  return costs;
}

function bareAppend(directory: string, index: number, source: string, folder: number | null): void {
  const temporary = join(directory, 'bare.tmp');
  const file = openSync(temporary, 'w');
  writeSync(file, source);
  if (folder !== null) fsyncSync(file);
  closeSync(file);
  renameSync(temporary, join(directory, 'events', `bare-${index}`));
  if (folder !== null) fsyncSync(folder);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await act();
  return performance.now() - beganAt;
}

/** File names are enough: an append does not read existing events. */
function fillTo(folder: string, length: number): void {
  for (let i = readdirSync(folder).length; i < length; i += 1) {
    writeFileSync(join(folder, `event-${String(i).padStart(5, '0')}-${randomUUID()}.json`), '');
  }
}

export async function opens(repeats: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-open-'));
  try {
    const short = join(directory, 'short');
    await write(short, 1_500, 4_000);
    const long = join(directory, 'long');
    await write(long, 100_000, 400, 100);
    await checkpoint(short);
    await checkpoint(long);
    const [whole, bareWhole] = await openCosts(short, 1_500, repeats);
    const [tail, bareTail] = await openCosts(long, 100, repeats);
    return [
      figureOf('opening 1,500 events (6 MB)', whole, bareWhole, 'reading and parsing them', 1.3),
      figureOf(
        'opening 100,000 events with a view of 100, against opening 1,500',
        tail,
        whole,
        'opening 1,500',
        10,
      ),
      figureOf(
        'opening 100,000 events with a view of 100',
        tail,
        bareTail,
        'reading and parsing these 100',
        10,
      ),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function figureOf(name: string, ours: number, floor: number, floorName: string, timesFloor: number): Figure {
  return { name, ours, unit: 'ms', floor: { name: floorName, value: floor }, goal: { timesFloor } };
}

/** If `kept` is less than the length, a condensation forgets all but `kept` events. */
async function write(directory: string, length: number, bytes: number, kept = length): Promise<void> {
  mkdirSync(join(directory, 'events'), { recursive: true });
  const log = await FileEventLog.open(directory, { durability: 'process' });
  const ids: string[] = [];
  let before: Event | undefined;
  for (let i = 0; i < length - (kept < length ? 1 : 0); i += 1) {
    before = event(bytes, i, before);
    ids.push(before.id);
    await log.append(before);
  }
  if (kept < length) {
    await log.append({
      id: randomUUID(),
      timestamp: '2026-01-27T03:56:22.718970',
      source: 'environment',
      parent_id: ids.at(-1),
      forgotten_event_ids: ids.slice(0, ids.length - kept),
      llm_response_id: 'condenser',
      kind: 'Condensation',
    });
  }
  await log.close();
}

/** As closing the conversation writes it. */
async function checkpoint(directory: string): Promise<void> {
  const { foldLog, saveCheckpoint } = await import('@longhand/sdk/testing');
  const log = await FileEventLog.open(directory);
  await saveCheckpoint(directory, log, foldLog(log));
  await log.close();
}

async function openCosts(
  directory: string,
  viewed: number,
  repeats: number,
): Promise<readonly [number, number]> {
  const names = readdirSync(join(directory, 'events')).sort().slice(-viewed);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let i = 0; i < repeats; i += 1) {
    ours.push(
      await timed(async () => {
        const conversation = await readConversation(directory);
        conversation.messages();
        await conversation.close();
      }),
    );
    floor.push(
      await timed(async () => {
        const events = names.map(
          (name) => JSON.parse(readFileSync(join(directory, 'events', name), 'utf8')) as unknown,
        );
        if (events.length !== viewed) throw new Error('not all were read');
      }),
    );
  }
  return [median(ours), median(floor)];
}
