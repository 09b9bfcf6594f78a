import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from './config/config.ts';
import { readConfigFile } from './config/config-file.ts';

function file(t: TestContext, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config.toml');
  writeFileSync(path, content);
  return path;
}

const read = (t: TestContext, content: string | Buffer) => readConfigFile(file(t, content), 'c.toml', false);

test('the keys of OpenHands V0 become settings: seconds become milliseconds, a budget of 0 none, an empty text unset', async (t) => {
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
        endpoint: { baseUrl: 'http://h/v1' },
        retry: { minWaitMs: 500, timeoutMs: 60_000, attempts: 2 },
        sampling: { temperature: 0, reasoningEffort: 'high' },
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
  ['[security]\nconfirmation_mode = true', /^c\.toml:2: confirmation_mode = true requires a person/],
];

for (const [toml, message] of WRONG) {
  test(`refused: ${JSON.stringify(toml)}`, async (t) => {
    await assert.rejects(read(t, toml), { name: 'UsageError', message });
  });
}

test('a file that is too large is refused', async (t) => {
  await assert.rejects(read(t, Buffer.alloc(10 * 1024 * 1024, '#')), /10485760 bytes are too many/);
});

test("another program's config.toml is ignored; one with a misspelled section of ours is not", async (t) => {
  assert.equal(
    await readConfigFile(file(t, 'baseURL = "https://blog"\n[params]\n'), './config.toml', true),
    null,
  );
  const { warnings } = (await readConfigFile(file(t, '[lmm]\nmodel = "x"\n'), './config.toml', true)) ?? {};
  assert.deepEqual(warnings, ['./config.toml:1: unknown section [lmm]; did you mean [llm]?']);
});

test('flags override the environment, which overrides files', async (t) => {
  const path = file(
    t,
    '[llm]\nmodel = "file"\nbase_url = "http://file/v1"\napi_key = "file"\n[core]\nmax_iterations = 7\n',
  );
  const command = { model: { model: 'flag', configFile: path } };
  const {
    warnings: _,
    llms: __,
    ...settings
  } = await readSettings(command, { LLM_MODEL: 'env', LLM_BASE_URL: 'http://env/v1', LLM_TOP_P: '' }, '/');
  assert.deepEqual(settings, {
    llm: { model: 'flag', endpoint: { baseUrl: 'http://env/v1', apiKey: 'file' } },
    origin: { model: 'the command line', base_url: 'the environment', api_key: path },
    maxIterations: 7,
    section: {},
    place: {},
  });
});

/** V0's own file, with something of each of its sections. */
const V0_FILE = `[core]
workspace_base = "./ws"
runtime = "docker"
default_agent = "ReadOnlyAgent"
max_iterations = 30
[llm]
model = "openai/x"
[llm.fast]
model = "openai/fast"
[agent]
llm_config = "fast"
enable_mcp = true
enable_prompt_extensions = true
enable_browsing = true
enable_think = false
disabled_microagents = ["old"]
[agent.Mine]
enable_think = true
enable_editor = false
enable_stuck_detection = false
[sandbox]
timeout = 120
selected_repo = "own/er"
volumes = "/data:/data:ro,/home/me/project:/workspace:rw"
[security]
confirmation_mode = false
[kubernetes]
namespace = "x"
[extended]
anything = 1
`;

test("V0's file: what applies here is used, the rest is listed in one warning", async (t) => {
  const configFile = file(t, V0_FILE);
  const settings = await readSettings({ model: { configFile } }, {}, '/');
  assert.deepEqual(
    [settings.llm.model, settings.agentName, settings.maxIterations, settings.place, settings.section],
    [
      'openai/fast',
      'ReadOnlyAgent',
      30,
      { directory: '/home/me/project', repo: 'own/er' },
      {
        llmConfig: 'fast',
        disabledSkills: ['old'],
        switches: { enable_browsing: true, enable_think: false },
        useMcp: true,
      },
    ],
  );
  assert.deepEqual(settings.warnings, [
    `${configFile}: without effect here: [core] runtime, [agent] enable_prompt_extensions, [sandbox] timeout, [security], [kubernetes], [extended]`,
  ]);
});

test('[agent.NAME] on top of [agent]: by --agent-config, or by the name of the agent', async (t) => {
  const configFile = file(t, V0_FILE);
  const mine = {
    llmConfig: 'fast',
    stuckDetection: false,
    disabledSkills: ['old'],
    switches: { enable_editor: false, enable_browsing: true, enable_think: true },
    useMcp: true,
  };
  const named = { model: { configFile } };
  for (const agent of [{ agentConfig: 'Mine' }, { agent: 'Mine' }])
    assert.deepEqual((await readSettings({ ...named, agent }, {}, '/')).section, mine);
  assert.deepEqual((await readSettings(named, { DEFAULT_AGENT: 'Mine' }, '/')).section, mine);
  await assert.rejects(
    readSettings({ ...named, agent: { agentConfig: 'Yours' } }, {}, '/'),
    /there is no section \[agent\.Yours\] in a config file/,
  );
});

test("V0's variables of [core] are overridden by flags and override files", async (t) => {
  const configFile = file(t, V0_FILE);
  const env = { MAX_ITERATIONS: '9', MAX_BUDGET_PER_TASK: '1.5' };
  const { maxIterations, maxBudgetUsd } = await readSettings(
    { model: { configFile }, limits: { maxBudgetUsd: 3 } },
    env,
    '/',
  );
  assert.deepEqual([maxIterations, maxBudgetUsd], [9, 3]);
  await assert.rejects(
    readSettings({ model: { configFile } }, { MAX_ITERATIONS: 'x' }, '/'),
    /\$MAX_ITERATIONS must be/,
  );
});

for (const [toml, message] of [
  ['[agent]\nenable_think = "no"', /: c\.toml:2: enable_think must be true or false, not text$/],
  [
    '[agent]\ndisabled_microagents = "x"',
    /: c\.toml:2: disabled_microagents must be a list of texts, not text$/,
  ],
  ['[sandbox]\nvolumes = "/a"', /"\/a" is not HOST:CONTAINER or HOST:CONTAINER:MODE$/],
  ['[sandbox]\nvolumes = "/a:/workspace:ro"', /read only/],
  ['[core]\nworkspace_base = 3', /: c\.toml:2: workspace_base must be text in quotes, not 3$/],
] as const)
  test(`refused: ${toml.replaceAll('\n', ' ')}`, (t) => assert.rejects(read(t, toml), message));

test('misspelled keys of [agent] and [sandbox] cause warnings', async (t) => {
  const { warnings } = (await read(t, '[agent]\nenable_thnk = true\n[sandbox]\nvolume = "x"\n')) ?? {};
  assert.deepEqual(warnings, [
    'c.toml:2: unknown key "enable_thnk" in [agent]; did you mean "enable_think"?',
    'c.toml:4: unknown key "volume" in [sandbox]; did you mean "volumes"?',
  ]);
});

test('misspelled keys of [llm.NAME] and [agent.NAME] cause warnings; a wrong value there is refused with its line', async (t) => {
  const toml = '[llm.fast]\nmodel = "x"\ntemperatur = 1\n[agent.Mine]\nenable_thnk = true\n';
  assert.deepEqual((await read(t, toml))?.warnings, [
    'c.toml:3: unknown key "temperatur" in [llm.fast]; did you mean "temperature"?',
    'c.toml:5: unknown key "enable_thnk" in [agent.Mine]; did you mean "enable_think"?',
  ]);
  await assert.rejects(
    read(t, '[llm.fast]\ntop_p = "1"\n'),
    /: c\.toml:2: top_p must be a number, not text$/,
  );
});
