/** How long an agent waits for its browser: the page as text, the page after a change, and the whole answer to a call. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryTools } from '@longhand/sdk/testing';
import { builtinTool } from '@longhand/tools';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';

/** A row has five elements. */
const ROWS = 400;
const PAGE = `<title>Rows</title><ul>${Array.from(
  { length: ROWS },
  (_, i) =>
    `<li><span>Row ${i}</span> <a href="#${i}">link ${i}</a> <button>Button ${i}</button> <b>bold</b></li>`,
).join('')}</ul>`;

/** Rejects if there is no browser. */
export async function browser(repeats: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-bench-browser-'));
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const set = await tryTools(builtinTool('browser_tool_set'), { folder });
    const whole = await tryTools(builtinTool('browser'), { folder });
    if (set.tools.length === 0) throw new Error(set.warnings.join(' '));
    try {
      const timed = async (act: () => Promise<{ readonly isError: boolean; readonly said: string }>) => {
        const beganAt = performance.now();
        const result = await act();
        if (result.isError) throw new Error(result.said);
        return performance.now() - beganAt;
      };
      const times = async (act: () => Promise<number>) => {
        const found: number[] = [];
        for (let i = 0; i < repeats; i += 1) found.push(await act());
        return median(found);
      };
      const open = () => set.call({ url }, { tool: 'browser_navigate' });
      const start = await timed(open);
      return [
        {
          name: 'browser: start and first page',
          ours: start,
          unit: 'ms',
          goal: { atMost: 2_000 },
        },
        {
          name: 'browser: state of a page of 2,000 elements',
          ours: await times(() => timed(() => set.call({}, { tool: 'browser_get_state' }))),
          unit: 'ms',
          goal: { atMost: 300 },
        },
        {
          name: 'browser: the same, after opening the page again',
          ours: await times(async () => {
            await open();
            return await timed(() => set.call({}, { tool: 'browser_get_state' }));
          }),
          unit: 'ms',
          goal: { atMost: 300 },
        },
        {
          name: 'browser: goto with tree, screenshot and marks (V0)',
          ours: await times(() => timed(() => whole.call({ code: `goto("${url}")` }))),
          unit: 'ms',
          goal: { atMost: 1_000 },
        },
      ];
    } finally {
      await set.close();
      await whole.close();
    }
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
