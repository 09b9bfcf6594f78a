import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from './config.ts';
import { readConfigFile } from './config-file.ts';
import type { RunCommand } from './options.ts';

function file(t: TestContext, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config.toml');
  writeFileSync(path, content);
  return path;
}

const read = (t: TestContext, content: string | Buffer) => readConfigFile(file(t, content), 'c.toml', false);

test('the keys of OpenHands V0 become settings: seconds milliseconds, a budget of 0 none, an empty text nothing', async (t) => {
  const toml = `\uFEFF[core]
max_iterations = 30
max_budget_per_task = 0.0
[llm]
model = "openai/x"
api_key = ""
"base_url" = 'http://h/v1'
retry_min_wait = 0.5
timeout = 60
num_retries = 2
temperature = 0
reasoning_effort = "high"
`;
  assert.deepEqual(await read(t, toml), {
    layer: {
      name: 'c.toml',
      llm: {
        model: 'openai/x',
        baseUrl: 'http://h/v1',
        retryMinWaitMs: 500,
        timeoutMs: 60_000,
        numRetries: 2,
        temperature: 0,
        reasoningEffort: 'high',
      },
      maxIterations: 30,
    },
    warnings: [],
  });
});

const WRONG: readonly [toml: string, message: RegExp][] = [
  ['[llm]\n\nmodel = 5', /^c\.toml:3: model must be text in quotes, not 5$/],
  ['llm.model = true', /^c\.toml:1: model must be text in quotes, not true$/],
  ['[llm]\nreasoning_effort = "huge"', /^c\.toml:2: reasoning_effort must be one of none, .*, not "huge"$/],
  ['[core]\nmax_iterations = 0', /^c\.toml:2: max_iterations must be a whole number above 0, not 0$/],
  ['[llm]\nnum_retries = 1.5', /must be a whole number, not 1\.5$/],
  ['[llm]\ntimeout = -1', /must be a number of seconds, not -1$/],
  ['[llm]\napi_key = ["sk-secret"]', /^c\.toml:2: api_key must be text in quotes, not a list$/],
  ['llm = "x"', /^c\.toml:1: "llm" is a section: write \[llm\]$/],
  ['[[llm]]\nmodel = "x"', /"llm" is a section/],
  ['[llm\n', /^c\.toml:1:\d+: not valid TOML: /],
  ['[llm]\nmodel = "a"\nmodel = "b"', /^c\.toml:3:\d+: not valid TOML: /],
  ['[security]\nconfirmation_mode = true', /^c\.toml:2: confirmation_mode = true wants a person/],
];

for (const [toml, message] of WRONG) {
  test(`refused: ${JSON.stringify(toml)}`, async (t) => {
    await assert.rejects(read(t, toml), { name: 'UsageError', message });
  });
}

test('a file that is too large is refused', async (t) => {
  await assert.rejects(read(t, Buffer.alloc(10 * 1024 * 1024, '#')), /10485760 bytes are too many/);
});

test("another program's config.toml is passed over; one with a slip of ours is not", async (t) => {
  assert.equal(
    await readConfigFile(file(t, 'baseURL = "https://blog"\n[params]\n'), './config.toml', true),
    null,
  );
  const { warnings } = (await readConfigFile(file(t, '[lmm]\nmodel = "x"\n'), './config.toml', true)) ?? {};
  assert.deepEqual(warnings, ['./config.toml:1: unknown section [lmm]; did you mean [llm]?']);
});

test('flags count before the environment, the environment before files', async (t) => {
  const path = file(
    t,
    '[llm]\nmodel = "file"\nbase_url = "http://file/v1"\napi_key = "file"\n[core]\nmax_iterations = 7\n',
  );
  const command: RunCommand = {
    command: 'run',
    json: false,
    quiet: false,
    logLevel: 'warning',
    model: 'flag',
    configFile: path,
  };
  const {
    warnings: _,
    llms: __,
    ...settings
  } = await readSettings(command, { LLM_MODEL: 'env', LLM_BASE_URL: 'http://env/v1', LLM_TOP_P: '' }, '/');
  assert.deepEqual(settings, {
    llm: { model: 'flag', baseUrl: 'http://env/v1', apiKey: 'file' },
    origin: { model: 'the command line', baseUrl: 'the environment', apiKey: path },
    maxIterations: 7,
  });
});
