/** docs/reference/json-lines.md: every line that a command prints with --json is one of those that are written down there. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEvent } from '@longhand/sdk';
import { type Reply, startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';
import { OWN_LINES } from '../test-support/json-schemas.ts';

const linesOf = (stdout: string) => stdout.split('\n').filter(Boolean);

/** Throws if a line is none of those that are documented, or has a key that is not. */
function checked(line: string): string {
  const { kind, type } = JSON.parse(line);
  if (kind !== undefined) return `event ${parseEvent(line, { strict: true }).kind}`;
  const schema = OWN_LINES[type as keyof typeof OWN_LINES];
  assert.ok(schema !== undefined, `"${type}" is not documented`);
  const strict = type === 'call' ? schema : schema.strict();
  const { success, error } = strict.safeParse(JSON.parse(line));
  assert.ok(success, `${line}\n${error?.message}`);
  return type;
}

test('each line of each command is one of those that are documented, and each of those is seen', async (t) => {
  const place = makePlace(t);
  const finish: Reply = { toolCalls: [{ name: 'finish', arguments: { message: 'done' } }] };
  const server = await startModelServer(({ text }) =>
    text.includes('"role":"tool"')
      ? finish
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'echo x' } }] },
  );
  t.after(() => server.close());
  const model = ['--model', 'openai/test-model', '--base-url', `${server.url}/v1`];
  writeFileSync(
    join(place.work, 'tasks.jsonl'),
    '{"id":"a","task":"x"}\n{"id":"b","task":"x","repo":"file:///nowhere.git"}\n',
  );
  const seen = new Set<string>();
  const see = async (...args: string[]) => {
    const { stdout } = await place.longhand(args);
    const types = linesOf(stdout).map(checked);
    for (const type of types) seen.add(type);
    return types;
  };

  const run = await see('-t', 'x', '-n', 'mine', '--json', ...model);
  assert.deepEqual([run[0], run.at(-1)], ['conversation', 'outcome']);
  assert.ok(run.slice(1, -1).every((type) => type.startsWith('event ') || type === 'output'));
  const limited = await place.longhand(['-t', 'x', '--json', '--max-tokens', '1', ...model]);
  const last = JSON.parse(linesOf(limited.stdout).at(-1) ?? '');
  assert.deepEqual([last.status, last.exit_code, last.code], ['limit', 4, 'MaxTokensReached']);
  linesOf(limited.stdout).forEach(checked);

  assert.deepEqual(await see('ls', '--json'), ['summary', 'summary']);
  assert.ok((await see('show', 'mine', '--json')).every((type) => type.startsWith('event ')));
  assert.deepEqual(await see('show', 'mine', '--at', '1', '--json'), ['event']);
  assert.deepEqual(new Set(await see('show', 'mine', '--calls', '--json')), new Set(['call']));
  assert.deepEqual(await see('stats', 'mine', '--json'), ['stats']);
  assert.deepEqual(await see('model', '--json', ...model), ['model']);
  assert.deepEqual(await see('prompt', '--json', ...model), ['prompt']);
  assert.deepEqual(new Set(await see('agents', '--json')), new Set(['agent']));
  const folder = join(place.home, '.longhand', 'conversations');
  const named = readdirSync(folder).find((id) =>
    readFileSync(join(folder, id, 'base_state.json'), 'utf8').includes('"mine"'),
  );
  assert.deepEqual(await see('replay', named ?? '', '--json'), ['replay']);
  mkdirSync(join(place.work, 'out'));
  assert.deepEqual((await see('batch', 'tasks.jsonl', '--out', 'out', '--json', ...model)).sort(), [
    'batch',
    'result',
    'result',
  ]);
  const missing = Object.keys(OWN_LINES).filter((type) => !seen.has(type));
  assert.deepEqual(missing, []);
});

test('what a command prints comes while it runs, in pieces that end before its result; the log has only the events', async (t) => {
  const place = makePlace(t);
  const command = 'echo first; until [ -e seen ]; do sleep 0.05; done; echo "$API_KEY"; seq 1 300000';
  const server = await startModelServer((_, index) => ({
    toolCalls: [
      index === 0
        ? { name: 'terminal', arguments: { command, timeout: 60 } }
        : { name: 'finish', arguments: { message: 'done' } },
    ],
  }));
  t.after(() => server.close());
  const run = place.start(
    ['-t', 'x', '--json', '--model', 'openai/test-model', '--base-url', `${server.url}/v1`],
    { env: { API_KEY: 'my-own-key', LLM_API_KEY: 'my-own-key' } },
  );
  await run.shows('"text":"first\\n"');
  writeFileSync(join(place.work, 'seen'), '');
  const { stdout } = await run.result;
  assert.ok(stdout.length < 1_000_000 && !stdout.includes('my-own-key'));
  const types = linesOf(stdout).map(checked);
  assert.equal(types[types.lastIndexOf('output') + 1], 'event ObservationEvent');
  const pieces = linesOf(stdout)
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'output');
  const action = linesOf(stdout).find((line) => line.includes('"kind":"ActionEvent"')) ?? '';
  assert.deepEqual(new Set(pieces.map((piece) => piece.action_id)), new Set([JSON.parse(action).id]));
  const printed = pieces.map(({ text }) => text).join('');
  const omitted = pieces.reduce((sum, piece) => sum + (piece.omitted ?? 0), 0);
  assert.ok(printed.endsWith('\n299999\n300000\n') && omitted > 1_000_000);
  const shown = await place.longhand([
    'show',
    '--json',
    JSON.parse(linesOf(stdout)[0] ?? '').conversation_id,
  ]);
  assert.deepEqual(
    linesOf(shown.stdout).map(checked),
    types.filter((type) => type.startsWith('event ')),
  );
});
