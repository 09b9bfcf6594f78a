/** File tools: viewing and editing a large file, and searching a tree, compared with the least code that can do it. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolFactory } from '@longhand/sdk';
import { builtinTool, fileEditorTool } from '@longhand/tools';
import { rgPath } from '@vscode/ripgrep';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';

const FOLDERS = 50;
const FILES = 40;

export async function files(repeats: number): Promise<Figure[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-bench-files-')));
  try {
    return [...(await large(folder, repeats * 5)), await tree(folder, repeats)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of 1 MB with lines as long as those of code. */
async function large(folder: string, repeats: number): Promise<Figure[]> {
  const path = join(folder, 'large.ts');
  const line = (i: number) => `  const value${i} = compute(${i}, 'some text');\n`;
  const content = Array.from({ length: 24_000 }, (_, i) => line(i))
    .join('')
    .slice(0, 1024 * 1024);
  writeFileSync(path, content);
  const at = (i: number) => 10_000 + (i % 1_000);
  const [view, look] = await pairs(
    folder,
    fileEditorTool,
    repeats,
    () => ({ command: 'view', path }),
    () => readFileSync(path, 'utf8').split('\n').length,
  );
  const [edit, replace] = await pairs(
    folder,
    fileEditorTool,
    repeats,
    (i) => ({ command: 'str_replace', path, old_str: `value${at(i)} =`, new_str: `edited${at(i)} =` }),
    (i) => {
      const source = readFileSync(path, 'utf8');
      writeFileSync(
        `${path}.tmp`,
        source.replace(`edited${at(i)} =`, () => `again${at(i)} =`),
      );
      renameSync(`${path}.tmp`, path);
    },
  );
  const figure = (name: string, ours: number, floorName: string, value: number): Figure => ({
    name: `a file of 1 MB: ${name}`,
    ours,
    unit: 'ms',
    floor: { name: floorName, value },
    goal: { atMost: 10 },
  });
  return [
    figure('view', view, 'reading and splitting it', look),
    figure('str_replace', edit, 'reading, replacing and writing it', replace),
  ];
}

async function tree(folder: string, repeats: number): Promise<Figure> {
  for (let i = 0; i < FOLDERS; i += 1) {
    mkdirSync(join(folder, `tree/${i}`), { recursive: true });
    for (let j = 0; j < FILES; j += 1)
      writeFileSync(
        join(folder, `tree/${i}/${j}.ts`),
        `${'const some = "text";\n'.repeat(100)}// ${i}-${j}\n`,
      );
  }
  const [ours, floor] = await pairs(
    folder,
    builtinTool('grep'),
    repeats,
    (i) => ({ pattern: `// ${i}-1$` }),
    (i) => spawnSync(rgPath, ['-l', '-i', '--sortr=modified', `// ${i}-1$`, folder]),
  );
  return {
    name: `grep over ${(FOLDERS * FILES).toLocaleString('en')} files`,
    ours,
    unit: 'ms',
    floor: { name: 'ripgrep itself', value: floor },
    goal: { timesFloor: 1.5 },
  };
}

/** Medians of a call, made as an agent makes it, and of its floor; the two alternate. */
async function pairs(
  folder: string,
  factory: ToolFactory,
  repeats: number,
  args: (i: number) => object,
  floor: (i: number) => unknown,
): Promise<readonly [ours: number, floor: number]> {
  const { tryTools } = await import('@longhand/sdk/testing');
  const { call, close } = await tryTools(factory, { folder });
  const ours: number[] = [];
  const floors: number[] = [];
  for (let i = 0; i < repeats; i += 1) {
    const beganAt = performance.now();
    const { isError, said } = await call(args(i));
    ours.push(performance.now() - beganAt);
    if (isError) throw new Error(said);
    const floorBeganAt = performance.now();
    floor(i);
    floors.push(performance.now() - floorBeganAt);
  }
  await close();
  return [median(ours), median(floors)];
}
