/** Examples 01, 02, 04 and 05, run as a user runs them, against a model on the loopback. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { contentText, type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';

async function modelFor(t: TestContext, replies: readonly Reply[]): Promise<ModelServer> {
  const server = await startModelServer((_, i) => replies[i] ?? { text: 'done' });
  t.after(() => server.close());
  return server;
}

async function run(example: string, args: readonly string[], env: { readonly [name: string]: string }) {
  const main = join(import.meta.dirname, example, 'main.ts');
  const argv = ['--conditions=longhand-source', '--disable-warning=ExperimentalWarning', main, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { ...process.env, LLM_MODEL: 'loopback', LLM_API_KEY: 'key', ...env },
    timeout: 60_000,
  });
  return stdout.trim().split('\n');
}

/** What the model was told of its calls, by their identifiers. */
function results({ requests }: ModelServer): { readonly [id: string]: string } {
  const messages = requests.at(-1)!.body['messages'] as {
    role: string;
    tool_call_id: string;
    content: unknown;
  }[];
  return Object.fromEntries(
    messages.flatMap(({ role, tool_call_id: id, content }) =>
      role === 'tool' ? [[id, contentText(content)]] : [],
    ),
  );
}

test('a tool of your own is one file of at most 40 lines; the model and people each read it their way', async (t) => {
  const source = readFileSync(join(import.meta.dirname, '01-a-tool-of-your-own/column-stats.ts'), 'utf8');
  assert.ok(source.trimEnd().split('\n').length <= 40);
  const docs = readFileSync(join(import.meta.dirname, '../docs/tools.md'), 'utf8');
  assert.ok(docs.includes(`\`\`\`ts\n${source.trimEnd()}\n\`\`\``), 'docs/tools.md shows the file as it is');

  const folder = mkdtempSync(join(tmpdir(), 'longhand-example-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'orders.csv'), 'item,price\npen,1.5\nbook,12\n');
  const column = (name: string) => ({
    name: 'column_stats',
    arguments: { path: 'orders.csv', column: name },
  });
  const server = await modelFor(t, [
    { toolCalls: [{ id: 'call_1', ...column('cost') }] },
    { toolCalls: [{ id: 'call_2', ...column('price') }] },
    { toolCalls: [{ id: 'call_3', name: 'finish', arguments: { message: '13.50 in all' } }] },
  ]);
  const printed = await run('01-a-tool-of-your-own', [folder], { LLM_BASE_URL: `${server.url}/v1` });
  const calls = ['adds up cost of orders.csv', 'adds up price of orders.csv', 'Σ 13.50 (2)'];
  assert.deepEqual(printed.slice(0, 3), calls);
  assert.equal(printed.at(-1), '13.50 in all');
  assert.deepEqual(results(server), {
    call_1: 'There is no column "cost". Columns: item, price.',
    call_2: '2 values, sum 13.50, mean 6.75',
  });
});

test('web_search, done and sleep of other makers run through the adapter, in one conversation', async (t) => {
  const asked: string[] = [];
  const wiki = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('srwhat') ?? '');
    if (asked.length > 1) response.writeHead(503).end();
    else
      response.end(JSON.stringify({ query: { search: [{ title: 'Tagged union' }, { title: 'Sum type' }] } }));
  });
  await new Promise<void>((resolve) => wiki.listen(0, '127.0.0.1', resolve));
  t.after(() => wiki.close());
  const search = (kind: string) => ({
    name: 'web_search',
    arguments: { kind, query: 'union', num_results: 2 },
  });
  const server = await modelFor(t, [
    { toolCalls: [{ id: 'call_1', ...search('search') }] },
    {
      toolCalls: [
        { id: 'call_2', ...search('title') },
        { id: 'call_3', ...search('image') },
        { id: 'call_4', name: 'sleep', arguments: { seconds: 0.01 } },
      ],
    },
    { toolCalls: [{ id: 'call_5', name: 'done', arguments: { answer: 'Tagged union' } }] },
  ]);
  const { port } = wiki.address() as AddressInfo;
  const printed = await run('02-tools-of-other-makers', [], {
    LLM_BASE_URL: `${server.url}/v1`,
    SEARCH_URL: `http://127.0.0.1:${port}/`,
  });
  assert.deepEqual(asked, ['text', 'nearmatch']);
  const { call_1, call_2, call_3, call_4 } = results(server);
  assert.deepEqual([call_1, call_4], ['Tagged union\nSum type', 'Waited for 0.01 s.']);
  assert.match(call_2!, /Error: the search answered with status 503\n\s+at /);
  assert.match(call_3!, /kind: /);
  assert.deepEqual(printed.slice(-2), ['Tagged union', 'finished']);
});

test('an event kind of your own is stored, reloaded, in the prompt, shown and exported', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-example-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await modelFor(t, [
    { toolCalls: [{ id: 'call_1', name: 'finish', arguments: { message: 'parser.test.ts' } }] },
  ]);
  const printed = await run('04-an-event-kind-of-your-own', [folder], { LLM_BASE_URL: `${server.url}/v1` });
  assert.deepEqual(printed, [
    'environment: main, build of main: 1 failed',
    'parser.test.ts',
    'system, user, user, assistant, tool',
  ]);
  const prompt = JSON.stringify(server.requests[0]!.body['messages']);
  assert.match(prompt, /The build of main finished\. Failed: parser\.test\.ts\.[\s\S]*Which test failed\?/);
});

test('a condenser and an exporter of your own run with a tool; docs/extending.md shows their files as they are', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-example-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'poem.txt'), 'one two  three\n');
  const long = `unknown\n${'x'.repeat(200)}`;
  const server = await modelFor(t, [
    { toolCalls: [{ id: 'call_1', name: 'word_count', arguments: { path: 'poem.txt', [long]: 1 } }] },
    { toolCalls: [{ id: 'call_2', name: 'word_count', arguments: { path: 'poem.txt' } }] },
    { toolCalls: [{ id: 'call_3', name: 'finish', arguments: { message: 'three' } }] },
  ]);
  const printed = await run('05-a-tool-a-condenser-an-exporter', [folder], {
    LLM_BASE_URL: `${server.url}/v1`,
  });
  assert.deepEqual(printed, ['**user:** How long is poem.txt?']);
  const { call_1, call_2 } = results(server);
  assert.equal(call_2, '3 words');
  assert.match(call_1!, /^The arguments of word_count [^\n]*\n\[\d+ characters in all\]$/);
  const page = readFileSync(join(import.meta.dirname, '../docs/extending.md'), 'utf8');
  for (const file of [
    '04-an-event-kind-of-your-own/build-finished.ts',
    '05-a-tool-a-condenser-an-exporter/word-count.ts',
    '05-a-tool-a-condenser-an-exporter/first-lines.ts',
    '05-a-tool-a-condenser-an-exporter/markdown.ts',
  ]) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8').trimEnd();
    assert.ok(source.split('\n').length <= 60, file);
    assert.ok(page.includes(`\`\`\`ts\n${source}\n\`\`\``), file);
  }
});
