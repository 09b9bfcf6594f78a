/** What a user notices: start-up, the first request, each step, memory, resuming. Ours and the floor alternate. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type AgentRun, bareLoop, longhand, makePlace, median, ownStepMs, runAgent } from './agent-run.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';
import type { Figure } from './figure.ts';

export async function version(repeats: number): Promise<Figure[]> {
  const launcher = resolve(import.meta.dirname, '../longhand');
  spawnSync(launcher, ['--version']);
  const timed = (file: string, args: string[]) => {
    const beganAt = performance.now();
    spawnSync(file, args);
    return performance.now() - beganAt;
  };
  const pairs = Array.from({ length: repeats * 3 }, () => [
    timed(launcher, ['--version']),
    timed(process.execPath, ['-e', '0']),
  ]);
  return [
    {
      name: 'longhand --version, compared with node -e 0',
      ours: median(pairs.map(([ours = Number.NaN]) => ours)),
      unit: 'ms',
      floor: { name: 'node -e 0', value: median(pairs.map(([, floor = Number.NaN]) => floor)) },
      goal: { timesFloor: 1.5 },
    },
  ];
}

export async function runs(repeats: number): Promise<Figure[]> {
  const endpoint = await startEndpoint();
  try {
    return [...(await oneCommand(endpoint, repeats * 2)), ...(await manyCommands(endpoint, repeats))];
  } finally {
    endpoint.stop();
  }
}

async function pair(
  endpoint: Endpoint,
  commands: number,
  bytes: number,
): Promise<readonly [ours: AgentRun, floor: AgentRun]> {
  const place = makePlace();
  try {
    await endpoint.plan(commands, bytes);
    const ours = await runAgent(longhand(endpoint, place, '-t', 'work', '-i', '1000'), endpoint, place);
    await endpoint.plan(commands, bytes);
    return [ours, await runAgent(bareLoop(endpoint), endpoint, place)];
  } finally {
    place.remove();
  }
}

async function oneCommand(endpoint: Endpoint, repeats: number): Promise<Figure[]> {
  await pair(endpoint, 1, 0); // warms the caches
  const pairs: (readonly [AgentRun, AgentRun])[] = [];
  for (let i = 0; i < repeats; i += 1) pairs.push(await pair(endpoint, 1, 0));
  const against = (
    name: string,
    value: (run: AgentRun) => number,
    goal: Figure['goal'],
    unit: Figure['unit'],
  ): Figure => ({
    name: `one command: ${name}`,
    ours: median(pairs.map(([ours]) => value(ours))),
    unit,
    floor: { name: 'bare loop', value: median(pairs.map(([, floor]) => value(floor))) },
    goal,
  });
  return [
    against('wall time', (run) => run.wallMs, { timesFloor: 1.5 }, 'ms'),
    against('time to the first request', (run) => run.firstRequestMs, { timesFloor: 1.5 }, 'ms'),
    against('peak memory', (run) => run.peakMb, { atMost: 100 }, 'MB'),
  ];
}

async function manyCommands(endpoint: Endpoint, repeats: number): Promise<Figure[]> {
  const pairs: (readonly [AgentRun, AgentRun])[] = [];
  for (let i = 0; i < Math.max(1, Math.ceil(repeats / 2)); i += 1)
    pairs.push(await pair(endpoint, 300, 2_000));
  const ours = pairs.map(([run]) => run);
  const floor = pairs.map(([, run]) => run);
  const step = (runs: readonly AgentRun[], at: number) => median(runs.map((run) => ownStepMs(run.turns, at)));
  const grown = (runs: readonly AgentRun[]) =>
    median(runs.map((run) => ownStepMs(run.turns, 294) - ownStepMs(run.turns, 20)));
  const figure = (
    name: string,
    mine: number,
    bare: number,
    goal: Figure['goal'],
    unit: Figure['unit'] = 'ms',
  ): Figure => ({
    name: `300 commands of 2 KB: ${name}`,
    ours: mine,
    unit,
    floor: { name: 'bare loop', value: bare },
    goal,
  });
  const turns = ours.flatMap((run) => run.turns);
  return [
    figure('own time of a step, at step 20', step(ours, 20), step(floor, 20), { timesFloor: 1 }),
    figure('own time of a step, at step 300', step(ours, 294), step(floor, 294), { timesFloor: 1 }),
    figure('growth of a step from 20 to 300', grown(ours), grown(floor), { timesFloor: 1 }),
    figure(
      'peak memory',
      median(ours.map((run) => run.peakMb)),
      median(floor.map((run) => run.peakMb)),
      { atMost: 150 },
      'MB',
    ),
    {
      name: '300 commands of 2 KB: requests that extend the previous one',
      ours: (100 * turns.filter((turn) => turn.extendsLast).length) / turns.length,
      unit: '%',
      goal: { atLeast: 100 },
    },
    ...(await resumed(endpoint, repeats)),
  ];
}

/** A resumed conversation of 300 steps, compared with a new one. */
async function resumed(endpoint: Endpoint, repeats: number): Promise<Figure[]> {
  const place = makePlace();
  try {
    await endpoint.plan(300, 2_000);
    await runAgent(longhand(endpoint, place, '-t', 'work', '-i', '1000'), endpoint, place);
    const ours: number[] = [];
    const fresh: number[] = [];
    let kept = true;
    for (let i = 0; i < repeats; i += 1) {
      const other = makePlace();
      await endpoint.plan(0, 0);
      fresh.push((await runAgent(longhand(endpoint, other, '-t', 'work'), endpoint, other)).firstRequestMs);
      other.remove();
      await endpoint.plan(0, 0);
      const run = await runAgent(longhand(endpoint, place, '--resume', '-t', 'more'), endpoint, place);
      ours.push(run.firstRequestMs);
      kept &&= (run.turns[0]?.bytes ?? 0) > 600_000;
    }
    return [
      {
        name: 'resuming 300 steps: time to the first request',
        ours: median(ours),
        unit: 'ms',
        floor: { name: 'a new conversation', value: median(fresh) },
        goal: { timesFloor: 1.5 },
      },
      {
        name: 'resuming 300 steps: the whole history is sent',
        ours: kept ? 100 : 0,
        unit: '%',
        goal: { atLeast: 100 },
      },
    ];
  } finally {
    place.remove();
  }
}
