import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../usage-error.ts';
import { parseCommand } from './parse-command.ts';

const common = { json: false, logLevel: 'warning' } as const;
const run = { command: 'run', quiet: false, ...common } as const;
const text = (words: string) => ({ from: 'text', text: words }) as const;

const READ: readonly [argv: string, command: object][] = [
  ['-t fix', { ...run, task: text('fix') }],
  ['run --task=fix', { ...run, task: text('fix') }],
  ['-tfix -i=5 -b 0.5', { ...run, task: text('fix'), maxIterations: 5, maxBudgetUsd: 0.5 }],
  ['-t -\u00a0bullet', { ...run, task: text('-\u00a0bullet') }],
  [
    '-t a=b --model=m --base-url http://x/v1?a=b',
    { ...run, task: text('a=b'), model: 'm', baseUrl: 'http://x/v1?a=b' },
  ],
  ['--model a --model b -t x', { ...run, task: text('x'), model: 'b' }],
  ['-f task.md -d dir', { ...run, task: { from: 'file', path: 'task.md' }, directory: 'dir' }],
  ['-', { ...run, task: { from: 'stdin' } }],
  ['-f -', { ...run, task: { from: 'stdin' } }],
  ['--json -- -', { ...run, json: true, task: { from: 'stdin' } }],
  ['--resume', { ...run, resume: {} }],
  ['--resume -t next', { ...run, resume: {}, task: text('next') }],
  ['--resume 1a2b -t next', { ...run, resume: { id: '1a2b' }, task: text('next') }],
  ['--resume=1a2b --no-sandbox', { ...run, resume: { id: '1a2b' } }],
  [
    '--log-level debug --conversations-dir c -t x',
    { ...run, logLevel: 'debug', conversationsDir: 'c', task: text('x') },
  ],
  ['ls --json', { command: 'ls', ...common, json: true }],
  [
    'show 1a --at 3 --messages',
    { command: 'show', id: '1a', at: 3, messages: true, calls: false, ...common },
  ],
  ['fork 1a --at 0', { command: 'fork', id: '1a', at: 0, ...common }],
  ['fork 1a', { command: 'fork', id: '1a', ...common }],
  ['export 1a', { command: 'export', id: '1a', format: 'v0', agentRole: 'agent', ...common }],
  [
    'export 1a --format openai -o x.json --agent-role assistant',
    { command: 'export', id: '1a', format: 'openai', out: 'x.json', agentRole: 'assistant', ...common },
  ],
  ['import x.json -d w', { command: 'import', file: 'x.json', directory: 'w', ...common }],
  ['stats 1a --svg x.svg', { command: 'stats', id: '1a', svg: 'x.svg', ...common }],
  [
    '--save-trajectory out --replay-trajectory x.json',
    { ...run, saveTrajectory: 'out', replayTrajectory: 'x.json' },
  ],
  ['demo --quiet', { command: 'demo', quiet: true, ...common }],
  ['-n mine -t x', { ...run, name: 'mine', task: text('x') }],
  ['--repo own/er --branch b -t x', { ...run, repo: 'own/er', branch: 'b', task: text('x') }],
  ['-t x --setup', { ...run, task: text('x'), setup: true }],
  ['-t x --no-setup', { ...run, task: text('x'), setup: false }],
  // As OpenHands V0 spells them.
  [
    '--config-file c.toml --llm-config fast --agent-cls CodeActAgent --max-budget-per-task 2 --selected-repo own/er -t x',
    {
      ...run,
      configFile: 'c.toml',
      profile: 'fast',
      agent: 'CodeActAgent',
      maxBudgetUsd: 2,
      repo: 'own/er',
      task: text('x'),
    },
  ],
  [
    '-l fast -c CodeActAgent -i 3 -b 2 -n n -d d -t x',
    {
      ...run,
      profile: 'fast',
      agent: 'CodeActAgent',
      maxIterations: 3,
      maxBudgetUsd: 2,
      name: 'n',
      directory: 'd',
      task: text('x'),
    },
  ],
  [
    'batch t.jsonl --out o -j 3 --only a,b --only c --model m -i 5 --agent x --allow-unpriced',
    {
      command: 'batch',
      quiet: false,
      ...common,
      tasks: 't.jsonl',
      out: 'o',
      jobs: 3,
      only: ['a', 'b', 'c'],
      model: 'm',
      maxIterations: 5,
      runFlags: ['--model=m', '--max-iterations=5', '--allow-unpriced', '--agent=x'],
    },
  ],
  [
    'batch t.jsonl --eval-output-dir o --eval-num-workers 3 --eval-n-limit 9 --eval-ids a,b',
    {
      command: 'batch',
      quiet: false,
      ...common,
      tasks: 't.jsonl',
      out: 'o',
      jobs: 3,
      limit: 9,
      only: ['a', 'b'],
      runFlags: [],
    },
  ],
  ['-h', { command: 'help' }],
  ['ls --help', { command: 'help', topic: 'ls' }],
  ['help fork', { command: 'help', topic: 'fork' }],
  ['run --version', { command: 'version' }],
];

for (const [argv, command] of READ) {
  test(`longhand ${argv}`, () => assert.deepEqual(parseCommand(argv.split(' ')), command));
}

const REFUSED: readonly [argv: string, message: RegExp][] = [
  ['-x', /there is no flag -x; longhand --help lists them/],
  ['--jsno -t x', /did you mean --json\?/],
  ['ls --model x', /there is no flag --model/],
  ['--json=yes -t x', /--json takes no value, but was given "yes"/],
  ['-t a -t b', /-t is given twice/],
  ['-t a -', /more than once/],
  ['--model= -t x', /--model is empty/],
  ['-i 0 -t x', /whole number from 1 on, not "0"/],
  ['-i 1.5 -t x', /not "1.5"/],
  ['-b -1 -t x', /above 0, not "-1"/],
  ['-b nan -t x', /above 0, not "nan"/],
  ['export 1a --format pdf', /--format is one of v0, events, openai, jsonl, html, not "pdf"/],
  ['import', /import needs a file/],
  ['show', /show needs a conversation's id/],
  ['show a b', /takes one id, but was given "b" too/],
  ['show a --at last', /--at is a whole number from 0 on, not "last"/],
  ['ls now', /ls takes no "now"/],
  ['--name= -t x', /--name is empty/],
  ['--setup --no-setup -t x', /exclude each other/],
  ['--resume --name n', /--resume and --name exclude each other/],
  ['batch', /batch needs a file of tasks/],
  ['batch t.jsonl', /batch needs --out DIR/],
  ['batch a b --out o', /takes one file of tasks, but was given "b" too/],
  ['batch t.jsonl --out o --task x', /there is no flag --task/],
  ['batch t.jsonl --out o --jobs 0', /--jobs is a whole number from 1 on/],
  ['batch t.jsonl --out o -i x', /--max-iterations is a whole number/],
  ['help nothing', /there is no command "nothing"/],
  ['--config c.toml prompt', /^the command stands first: longhand prompt \.\.\.$/],
];

for (const [argv, message] of REFUSED) {
  test(`longhand ${argv} is refused`, () =>
    assert.throws(
      () => parseCommand(argv.split(' ')),
      (error) => error instanceof UsageError && message.test(error.message),
    ));
}
