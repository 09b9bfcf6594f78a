import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import {
  callDraft,
  countingClock,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { statsOf } from '../stats.ts';
import { htmlReport } from './report.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

function browser(): string | undefined {
  return BROWSERS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** The DOM of a page in a browser, after its scripts have run. */
async function domOf(t: TestContext, program: string, html: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-report-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const page = join(folder, 'report.html');
  writeFileSync(page, html);
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    `--user-data-dir=${folder}/profile`,
  ];
  const { stdout } = await promisify(execFile)(program, [...flags, '--dump-dom', pathToFileURL(page).href], {
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

test('HTML report: in a browser only its own script runs, nothing from the log does, and no requests are made', async (t) => {
  const program = browser();
  if (program === undefined) {
    t.skip('needs chromium');
    return;
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hostile = `</script><script>document.title='taken'</script><img src="${address}/img" onerror="document.title='taken'">`;
  const clock = countingClock();
  const call = eventOf(callDraft('c', 'r', hostile), null, clock);
  const events = [
    eventOf(wordsDraft('user', hostile), null, clock),
    call,
    eventOf(observationDraft('c', call.id, hostile), null, clock),
    eventOf(
      {
        ...wordsDraft('agent', 'see'),
        llm_message: {
          role: 'assistant',
          content: [{ type: 'image', image_urls: [`${address}/picture.png`] }],
        },
      } as Parameters<typeof eventOf>[0],
      null,
      clock,
    ),
  ];
  const dom = await domOf(t, program, htmlReport(events, { id: 'x', stats: statsOf(events) }));
  assert.match(dom, /<output id="found" for="query">3 entries<\/output>/);
  assert.match(dom, /<title>&lt;\/script&gt;/);
  assert.equal(dom.match(/<script>/g)?.length, 1);
  assert.deepEqual(asked, []);

  // The page's policy blocks scripts even if something was not escaped.
  const open = htmlReport(events, { id: 'x', stats: statsOf(events) }).replace(
    '<main>',
    `<main><script>document.title='taken'</script><img src="${address}/img" onerror="document.title='taken'">`,
  );
  assert.equal((await domOf(t, program, open)).includes('<title>taken'), false);
  assert.deepEqual(asked, []);
});
