/**
 * `npm run bench`: every figure with its floor and its goal. `-- --quick` measures fewer times; `-- WORD` measures only the parts
 * whose name contains it (see PARTS). Nothing is asserted: machines differ, so compare the ratios within one run.
 */

import { browser } from './browser.ts';
import { context } from './context.ts';
import { type Figure, HEADER, isReached, lineOf } from './figure.ts';
import { files } from './files.ts';
import { ipython } from './ipython.ts';
import { appends, opens } from './log.ts';
import { runs, version } from './runs.ts';
import { terminal } from './terminal.ts';

const PARTS: { readonly [name: string]: (repeats: number) => Promise<Figure[]> } = {
  version,
  runs,
  appends,
  opens,
  context,
  files,
  terminal,
  ipython,
  browser,
};

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const repeats = process.argv.includes('--quick') ? 3 : 9;
console.log(HEADER);
let reached = 0;
let measured = 0;
for (const [name, part] of Object.entries(PARTS)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  try {
    for (const figure of await part(repeats)) {
      console.log(lineOf(figure));
      measured += 1;
      if (isReached(figure)) reached += 1;
    }
  } catch (error) {
    console.log(`${name}: not measurable: ${(error as Error).message}`);
  }
}
console.log(`${reached} of ${measured} goals reached`);
