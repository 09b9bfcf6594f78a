/** A cell of the IPython tool, called as an agent calls it, compared with plain Python; and the first cell, which starts Python. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryTools } from '@longhand/sdk/testing';
import { builtinTool } from '@longhand/tools';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';

const CELLS_PER_REPEAT = 20;

export async function ipython(repeats: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-bench-ipython-'));
  try {
    // Plain Python on pipes without a protocol: the least that a session can be.
    const floor = await session(folder, repeats, true);
    const ours = await session(folder, repeats, false);
    return [
      {
        name: 'ipython: round trip of a cell',
        ours: ours.cellMs,
        unit: 'ms',
        floor: { name: 'plain Python on pipes', value: floor.cellMs },
        goal: { atMost: 10 },
      },
      {
        name: 'ipython: the first cell, which starts the kernel',
        ours: ours.firstMs,
        unit: 'ms',
        floor: { name: 'plain Python on pipes', value: floor.firstMs },
        goal: { timesFloor: 5 },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function session(folder: string, repeats: number, plain: boolean) {
  const tried = await tryTools(builtinTool('execute_ipython_cell'), { folder, params: { plain } });
  const timed = async (code: string) => {
    const beganAt = performance.now();
    const { said } = await tried.call({ code });
    return { said, ms: performance.now() - beganAt };
  };
  try {
    const first = await timed('print(1 + 1)');
    if (!plain && first.said !== '2') throw new Error(`there is no kernel: ${first.said}`);
    const cells: number[] = [];
    for (let i = 0; i < repeats * CELLS_PER_REPEAT; i += 1) cells.push((await timed(`print(${i})`)).ms);
    return { firstMs: first.ms, cellMs: median(cells) };
  } finally {
    await tried.close();
  }
}
