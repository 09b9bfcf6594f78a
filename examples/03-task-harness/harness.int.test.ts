import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Reply, startModelServer } from '@longhand/sdk/testing';

const HARNESS = join(import.meta.dirname, 'harness.ts');
const TASK = join(import.meta.dirname, 'task');
const node = ['--conditions=longhand-source', '--disable-warning=ExperimentalWarning', HARNESS];

const REPLIES: readonly Reply[] = [
  { toolCalls: [{ name: 'local-web_search', arguments: { query: 'hexagon sides', kind: 'search' } }] },
  { toolCalls: [{ name: 'terminal', arguments: { command: 'echo equilateral > answer.txt' } }] },
  { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] },
];

test('demo harness: configuration, task folder, debug flag; a line names the tool and its parameters', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-harness-'));
  const server = await startModelServer((_, index) => REPLIES[index] ?? {});
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const config = join(folder, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({ llm: { model: 'x', base_url: `${server.url}/v1` }, max_iterations: 5 }),
  );
  const args = ['--eval_config', config, '--task_dir', TASK, '--output_dir', folder, '--debug'];
  const child = spawn(process.execPath, [...node, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0, output);
  const lines = output.trim().split('\n');
  assert.ok(lines.includes('[Action] local-web_search {"query": "hexagon sides", "kind": "search"}'), output);
  assert.match(output, /^\[Observation\] local-web_search .*"kind":"search".*equilateral/m);
  const { outcome, state } = JSON.parse(lines.at(-1) ?? '') as { outcome: string; state: string };
  assert.deepEqual([outcome, state], ['finished', 'finished']);
  assert.equal(readFileSync(join(folder, 'work/answer.txt'), 'utf8'), 'equilateral\n');
});

test('demo harness: without a configuration it says how it is used', () => {
  const { status, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /--eval_config FILE --task_dir DIR/);
});
