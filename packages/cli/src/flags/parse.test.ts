import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNamed, RUN } from '../commands/registry.ts';
import { UsageError } from '../usage-error.ts';

async function parse(argv: readonly string[]) {
  const named = commandNamed(argv[0]);
  const command = await (named ?? RUN).load();
  const invocation = command.parse(named === undefined ? argv : argv.slice(1), {});
  return invocation.wants === 'run' ? invocation.asked : `${invocation.wants} ${command.name}`;
}

const OUTPUT = { json: false, quiet: false };

/** A run with these groups, and nothing else given. */
const run = (groups: { readonly [group: string]: object | boolean } = {}) => {
  const { place = {}, limits = {}, output = {}, ...rest } = groups;
  return {
    task: {},
    conversation: {},
    model: {},
    agent: {},
    recording: {},
    store: {},
    words: false,
    ...rest,
    place: { sandboxOff: false, ...(place as object) },
    limits: { allowUnpriced: false, ...(limits as object) },
    output: { ...OUTPUT, ...(output as object) },
  };
};
const task = (text: string) => ({ task: { text } });
const batch = (groups: { readonly [group: string]: object }) => {
  const { task: _, conversation: __, store: ___, ...taken } = run(groups);
  return { ...taken, words: 't.jsonl' };
};

const READ: readonly [argv: string, asked: unknown][] = [
  ['-t fix', run(task('fix'))],
  ['run --task=fix', run(task('fix'))],
  ['-tfix -i=5 -b 0.5', run({ ...task('fix'), limits: { maxIterations: 5, maxBudgetUsd: 0.5 } })],
  ['-t -\u00a0bullet', run(task('-\u00a0bullet'))],
  ['-t -5', run(task('-5'))],
  ['-t=-x', run(task('-x'))],
  [
    '-t a=b --model=m --base-url http://x/v1?a=b',
    run({ ...task('a=b'), model: { model: 'm', baseUrl: 'http://x/v1?a=b' } }),
  ],
  ['--model a --model b -t x', run({ ...task('x'), model: { model: 'b' } })],
  ['-f task.md -d dir', run({ task: { file: 'task.md' }, place: { directory: 'dir' } })],
  ['-', run({ words: true })],
  ['-f -', run({ task: { file: '-' } })],
  ['--json -- -', run({ output: { json: true }, words: true })],
  ['--resume', run({ conversation: { resume: true } })],
  ['--resume=', run({ conversation: { resume: true } })],
  ['--resume -t next', run({ ...task('next'), conversation: { resume: true } })],
  ['--resume 1a2b -t next', run({ ...task('next'), conversation: { resume: '1a2b' } })],
  ['--resume -', run({ conversation: { resume: true }, words: true })],
  ['--resume=1a2b --no-sandbox', run({ conversation: { resume: '1a2b' }, place: { sandboxOff: true } })],
  [
    '--log-level debug --conversations-dir c -t x',
    run({ ...task('x'), output: { logLevel: 'debug' }, store: { conversationsDir: 'c' } }),
  ],
  [
    '--max-tokens 9 --max-time 1.5m --allow-unpriced -t x',
    run({ ...task('x'), limits: { maxTokens: 9, maxTimeMs: 90_000, allowUnpriced: true } }),
  ],
  [
    '--save-trajectory out --replay-trajectory x.json',
    run({ recording: { saveTrajectory: 'out', replayTrajectory: 'x.json' } }),
  ],
  ['-n mine -t x', run({ ...task('x'), conversation: { name: 'mine' } })],
  ['--repo own/er --branch b -t x', run({ ...task('x'), place: { repo: 'own/er', branch: 'b' } })],
  ['-t x --setup', run({ ...task('x'), place: { setup: true } })],
  ['-t x --no-setup', run({ ...task('x'), place: { setup: false } })],
  ['-t x --auto-continue', run({ ...task('x'), agent: { autoContinue: true } })],
  ['--auto-continue go -t x', run({ ...task('x'), agent: { autoContinue: 'go' } })],
  ['-t x --no-auto-continue', run({ ...task('x'), agent: { autoContinue: false } })],
  ['--plugin a --mcp b --plugin c -t x', run({ ...task('x'), agent: { plugins: ['a', 'c'], mcp: ['b'] } })],
  // As OpenHands V0 spells them.
  [
    '--config-file c.toml --llm-config fast --agent-cls CodeActAgent --max-budget-per-task 2 --selected-repo own/er -t x',
    run({
      ...task('x'),
      model: { configFile: 'c.toml', profile: 'fast' },
      agent: { agent: 'CodeActAgent' },
      limits: { maxBudgetUsd: 2 },
      place: { repo: 'own/er' },
    }),
  ],
  [
    '-l fast -c CodeActAgent -i 3 -b 2 -n n -d d -t x',
    run({
      ...task('x'),
      model: { profile: 'fast' },
      agent: { agent: 'CodeActAgent' },
      limits: { maxIterations: 3, maxBudgetUsd: 2 },
      conversation: { name: 'n' },
      place: { directory: 'd' },
    }),
  ],
  ['ls --json', { filter: {}, output: { json: true }, store: {}, words: undefined }],
  [
    'ls -d . --status=stuck --status error',
    {
      filter: { folder: '.', status: ['stuck', 'error'] },
      output: { json: false },
      store: {},
      words: undefined,
    },
  ],
  [
    'show 1a --at 3 --messages',
    { words: '1a', part: { at: 3, messages: true, calls: false }, output: { json: false }, store: {} },
  ],
  ['fork 1a --at 0', { words: '1a', upTo: { at: 0 }, output: {}, store: {} }],
  ['export 1a', { words: '1a', to: {}, output: {}, store: {} }],
  [
    'export 1a --format openai -o x.json --agent-role assistant',
    { words: '1a', to: { format: 'openai', out: 'x.json', agentRole: 'assistant' }, output: {}, store: {} },
  ],
  ['import x.json -d w', { words: 'x.json', from: {}, place: { directory: 'w' }, output: {}, store: {} }],
  ['stats 1a --svg x.svg', { words: '1a', picture: { svg: 'x.svg' }, output: { json: false }, store: {} }],
  ['demo --quiet', { output: { json: false, quiet: true }, store: {}, words: undefined }],
  [
    'batch t.jsonl --out o -j 3 --only a,b --only c --model m -i 5 --agent x --allow-unpriced',
    batch({
      batch: { out: 'o', jobs: 3, only: ['a,b', 'c'] },
      model: { model: 'm' },
      limits: { maxIterations: 5, allowUnpriced: true },
      agent: { agent: 'x' },
    }),
  ],
  [
    'batch t.jsonl --eval-output-dir o --eval-num-workers 3 --eval-n-limit 9 --eval-ids a,b',
    batch({ batch: { out: 'o', jobs: 3, limit: 9, only: ['a,b'] } }),
  ],
  ['-h', 'help run'],
  ['ls --help', 'help ls'],
  ['run --version', 'version run'],
];

for (const [argv, asked] of READ) {
  test(`longhand ${argv}`, async () => assert.deepEqual(await parse(argv.split(' ')), asked));
}

const REFUSED: readonly [argv: string, message: RegExp][] = [
  ['-x', /unknown flag -x; longhand --help lists them/],
  ['-xyz', /unknown flag -xyz;/],
  ['--jsno -t x', /did you mean --json\?/],
  ['ls --model x', /unknown flag --model/],
  ['--json=yes -t x', /--json takes no value, but was given "yes"/],
  ['-hv', /-h takes no value, but was given "v"/],
  ['-t x --model', /--model needs a value, but nothing follows it/],
  ['--model --json -t x', /--model needs a value, but it is followed by --json/],
  ['-t a -t b', /-t is given twice/],
  ['-t a -f b', /--task and --file exclude each other: the task is given more than once/],
  ['--model= -t x', /--model is empty/],
  ['-i 0 -t x', /--max-iterations must be a whole number of at least 1, not "0"/],
  ['-i 1.5 -t x', /not "1.5"/],
  ['-b -1 -t x', /above 0, not "-1"/],
  ['-b nan -t x', /above 0, not "nan"/],
  ['--max-time 5d -t x', /--max-time must be a time such as 90s, 15m or 2h, not "5d"/],
  ['--id 1a2b -t x', /--id must be a UUID, not "1a2b"/],
  ['export 1a --format pdf', /--format must be one of v0, events, openai, jsonl, html, not "pdf"/],
  ['import', /import needs a file/],
  ['show', /show needs a conversation's id/],
  ['show a b', /takes one id, but was also given "b"/],
  ['show a --at last', /--at must be a whole number of at least 0, not "last"/],
  ['ls now', /ls takes no "now"/],
  ['--name= -t x', /--name is empty/],
  ['--auto-continue= -t x', /--auto-continue is empty/],
  ['--setup --no-setup -t x', /--no-setup and --setup exclude each other$/],
  ['--resume --name n', /--resume and --name exclude each other/],
  ['--resume --replay-trajectory n', /--resume and --replay-trajectory exclude each other/],
  ['--record a --replay b -t x', /--replay and --record exclude each other/],
  ['--json --quiet -t x', /--quiet and --json exclude each other/],
  ['--branch b -t x', /--branch needs --repo/],
  ['batch', /batch needs a file of tasks/],
  ['batch a b --out o', /takes one file of tasks, but was also given "b"/],
  ['batch t.jsonl --out o --task x', /unknown flag --task/],
  ['batch t.jsonl --out o --no-auto-continue', /unknown flag --no-auto-continue/],
  ['batch t.jsonl --out o --jobs 0', /--jobs must be a whole number of at least 1/],
  ['batch t.jsonl --out o -i x', /--max-iterations must be a whole number/],
  ['completion csh', /completion needs a shell: bash, zsh, fish, not "csh"/],
  ['lst', /unknown command "lst"; did you mean longhand ls\?/],
  ['--config c.toml prompt', /^the command comes first: longhand prompt \.\.\.$/],
];

for (const [argv, message] of REFUSED) {
  test(`longhand ${argv} is refused`, () =>
    assert.rejects(
      parse(argv.split(' ')),
      (error) => error instanceof UsageError && message.test(error.message),
    ));
}
