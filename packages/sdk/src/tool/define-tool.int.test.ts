import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import * as z from 'zod';
import { image, text } from '../event/content.ts';
import type { Action, Observation } from '../event/kinds.ts';
import { tryTools } from '../testing/try-tools.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { defineTool } from './define-tool.ts';
import { shownCall, shownResult } from './show.ts';
import type { Tool } from './tool.ts';
import { createToolSet } from './tool-set.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-define-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const weather = defineTool({
  name: 'city_weather',
  description: 'says the weather',
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  // Typed by the schema: `days` is a number here, and there.
  run: ({ city, days }) => `${city}: ${'sun '.repeat(days).trim()}`,
  show: {
    call: ({ city }) => `looks at the sky over ${city.toUpperCase()}`,
    result: ({ content }) => `${content.length} block(s)`,
  },
});

test('a tool needs only a name, a schema and a function: kinds are derived from the name, hints default as in MCP', () => {
  assert.deepEqual(weather.kind, {
    tool: 'CityWeatherTool',
    action: 'CityWeatherAction',
    observation: 'CityWeatherObservation',
  });
  assert.deepEqual(weather.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
});

test('kinds, hints and resources of the definition override the defaults', () => {
  const kind = { tool: 'A', action: 'B', observation: 'C' };
  const tool: Tool = defineTool({
    name: 'x',
    kind,
    description: 'x',
    input: z.object({}),
    annotations: { readOnlyHint: true, title: 'X' },
    resources: () => ['file:/x'],
    run: () => 'x',
  });
  assert.equal(tool.kind, kind);
  assert.deepEqual([tool.annotations.readOnlyHint, tool.annotations.title], [true, 'X']);
  assert.deepEqual(tool.resources?.({}), ['file:/x']);
});

test('a defined tool is its own factory, and may return text, content or a whole observation', async () => {
  const answers = {
    text: 'words',
    content: [text('see'), image('data:image/png;base64,AAAA')],
    body: { content: [text('no')], is_error: true, code: 3 },
  };
  const answering = defineTool({
    name: 'answer',
    description: 'answers',
    input: z.object({ as: z.enum(['text', 'content', 'body']) }),
    run: async ({ as }) => answers[as],
  });
  const tried = await tryTools(answering, { folder });
  const results = await Promise.all(Object.keys(answers).map((as) => tried.call({ as })));
  assert.deepEqual(
    results.map(({ observation }) => observation),
    [
      { content: [text('words')], is_error: false, kind: 'AnswerObservation' },
      { content: answers.content, is_error: false, kind: 'AnswerObservation' },
      { ...answers.body, kind: 'AnswerObservation' },
    ],
  );
  await tried.close();

  const sky = await tryTools(weather, { folder });
  assert.equal((await sky.call({ city: 'Oslo', days: 2 })).said, 'Oslo: sun sun');
  assert.match((await sky.call({ city: 5 })).said, /city: /);
  await sky.close();
});

test('people see the tool’s own text for calls and results; if it has none or throws, there is none', () => {
  const call = { city: 'Oslo', days: 1, kind: 'CityWeatherAction' } as Action;
  assert.equal(shownCall(weather, call), 'looks at the sky over OSLO');
  assert.equal(shownCall(weather, { town: 'of an older version', kind: 'CityWeatherAction' }), undefined);
  assert.equal(shownCall(undefined, call), undefined);
  const wrapping = { ...weather, wrapsInput: true };
  assert.equal(shownCall(wrapping, { data: { city: 'Rome' }, kind: 'A' }), 'looks at the sky over ROME');
  const result: Observation = { content: [text('a')], is_error: false, kind: 'CityWeatherObservation' };
  assert.equal(shownResult(weather, result), '1 block(s)');
  assert.equal(shownResult(defineTool({ ...weather, show: {} }), result), undefined);
});

test('a tool that fails to close causes a warning, and the others are closed', async () => {
  const closed: string[] = [];
  const failing = () => {
    closed.push('failing');
    throw new Error('it is stuck');
  };
  const tools = [failing, async () => void closed.push('other')].map((close, i) =>
    defineTool({ ...weather, name: `tool_${i}`, close: close as () => Promise<void> }),
  );
  const warnings: string[] = [];
  const specs = tools.map(({ name }) => ({ name, params: {} }));
  const set = await createToolSet(specs, tools, {
    workspace: openLocalWorkspace(folder),
    files: null,
    vision: false,
    onWarning: (warning) => warnings.push(warning),
  });
  await set.close();
  assert.deepEqual(closed, ['failing', 'other']);
  assert.deepEqual(warnings, ['a tool could not be closed: Error: it is stuck']);
});

test('a defined tool takes no params; if two tools are registered under one name, the last one is used, with a warning', async () => {
  await assert.rejects(
    tryTools(weather, { folder, params: { citys: 'all' } }),
    /"city_weather" takes no params, but was given: citys/,
  );
  const mine = defineTool({ ...weather, description: 'mine' });
  const warnings: string[] = [];
  const set = await createToolSet([{ name: 'city_weather', params: {} }], [weather, mine], {
    workspace: openLocalWorkspace(folder),
    files: null,
    vision: false,
    onWarning: (warning) => warnings.push(warning),
  });
  assert.equal(set.get('city_weather')?.description, 'mine');
  assert.match(warnings.join(), /several tools are registered as "city_weather"/);
  await set.close();
});
