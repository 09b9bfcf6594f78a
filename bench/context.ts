/** What the model sees: loading skills, and building the prompt of a step in a short and in a long history. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalWorkspace, View } from '@longhand/sdk';
import { openKnowledge } from '@longhand/sdk/internal';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';
import { event } from './log.ts';

const SKILLS = 200;

export async function context(repeats: number): Promise<Figure[]> {
  const short = promptTime(10, repeats);
  const long = promptTime(10_000, repeats);
  return [
    {
      name: `loading ${SKILLS} skills, minus the time for none`,
      ours: median(await times(repeats, SKILLS)) - median(await times(repeats, 0)),
      unit: 'ms',
      goal: { atMost: 30 },
    },
    {
      name: 'the prompt of a step at event 10,000, compared with event 10',
      ours: long,
      unit: 'ms',
      floor: { name: 'at event 10', value: short },
      goal: { timesFloor: 2 },
    },
  ];
}

async function times(repeats: number, count: number): Promise<number[]> {
  const root = mkdtempSync(join(tmpdir(), 'longhand-bench-skills-'));
  try {
    for (let i = 0; i < count; i += 1) {
      const folder = join(root, `.agents/skills/skill-${i}`);
      mkdirSync(folder, { recursive: true });
      const body = 'What there is to know about it.\n'.repeat(40);
      writeFileSync(
        join(folder, 'SKILL.md'),
        `---\nname: skill-${i}\ndescription: Knows about number ${i}\n---\n${body}`,
      );
    }
    const found: number[] = [];
    for (let i = 0; i < repeats; i += 1) {
      const beganAt = performance.now();
      const options = { context: { loadProjectSkills: true }, model: 'x', warn: () => undefined };
      await openKnowledge({ ...options, workspace: openLocalWorkspace(root) }).dynamicContext(0);
      found.push(performance.now() - beganAt);
    }
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Milliseconds of one more call and its result, and the prompt after it. */
function promptTime(length: number, repeats: number): number {
  const view = new View();
  let last = event(1_500, 0);
  for (let i = 0; i < length; i += 1) {
    if (i > 0) last = event(1_500, i, last);
    view.append(last);
  }
  view.messages();
  const found = Array.from({ length: repeats * 5 }, (_, i) => {
    const call = event(1_500, length + 2 * i, last);
    last = event(1_500, length + 2 * i + 1, call);
    const beganAt = performance.now();
    view.append(call);
    view.append(last);
    view.messages();
    return performance.now() - beganAt;
  });
  return median(found);
}
