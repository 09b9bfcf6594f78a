/** Records `./longhand demo` in a real terminal, for the README: `npm run record-demo` writes docs/demo.svg. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openLocalWorkspace } from '@longhand/sdk';
import { linesOf, pictureOf } from './terminal-picture.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** What differs from run to run, and from machine to machine, gets a fixed value. */
export function steadied(output: string): string {
  return output
    .replace(/\/\S*?\/longhand-demo-\w+\//g, '~/')
    .replace(/\d+\.\d+ms\b/g, '1.2ms')
    .replace(/duration_ms \d+(\.\d+)?/g, 'duration_ms 98.7')
    .replace(/\bafter \d+ s\b/g, 'after 3 s')
    .replace(/[\d.]+k tokens in/g, '21k tokens in')
    .replace(/(--resume|show) [0-9a-f]{8,}/g, '$1 1a2b3c4d');
}

async function recorded(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'longhand-record-'));
  const workspace = openLocalWorkspace(ROOT);
  try {
    const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: home, NO_COLOR: undefined };
    const run = await workspace.spawn(['./longhand', 'demo'], { env, pty: { columns: 104, rows: 28 } });
    const chunks: Uint8Array[] = [];
    run.onOutput((bytes) => chunks.push(bytes));
    const { code } = await run.exited;
    if (code !== 0) throw new Error(`the demo ended with exit code ${code}`);
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await workspace.close();
    rmSync(home, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const lines = linesOf(`\x1b[1m$ ./longhand demo\x1b[22m\n${steadied(await recorded()).trimEnd()}`);
  writeFileSync(join(ROOT, 'docs/demo.svg'), pictureOf(lines, 'A recording of longhand demo in a terminal'));
}
