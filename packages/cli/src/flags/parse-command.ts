/** The command line as one value of a union. Pure; nothing is read or started here. */
import type { ImportFormat } from '@longhand/sdk';
import { defined, nearest } from '@longhand/sdk/value';
import { batchCommand } from '../batch/options.ts';
import { UsageError } from '../usage-error.ts';
import {
  type Command,
  type Common,
  type HelpCommand,
  LOG_LEVELS,
  type ModelCommand,
  type ModelSettings,
  type ProfileCommand,
  type RunCommand,
  type TaskSource,
} from './commands.ts';
import { COMMANDS, type CommandName, FLAGS, RUN } from './flag-table.ts';
import { amount, duration, nonEmpty, wholeNumber } from './flag-values.ts';
import { type Environment, inVariables, withEnvironment } from './flag-variables.ts';
import { type ParsedFlags, parseFlags } from './flags.ts';

/** Flags that are not given are looked for in the environment: see flag-variables.ts. Throws UsageError. */
export function parseCommand(argv: readonly string[], env: Environment = {}): Command {
  const named = COMMANDS.find((name) => name === argv[0]);
  const command = named ?? 'run';
  const given = parseFlags(named === undefined ? argv : argv.slice(1), FLAGS[command]);
  if (given.values.has('help'))
    return named === undefined ? { command: 'help' } : { command: 'help', topic: command };
  if (given.values.has('version')) return { command: 'version' };
  const parsed = withEnvironment(given, FLAGS[command], env);
  try {
    return read(command, parsed);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(inVariables(error.message, given, parsed, FLAGS[command]));
  }
}

function read(command: CommandName, parsed: ParsedFlags): Command {
  switch (command) {
    case 'run':
      return runCommand(parsed);
    case 'ls':
      takesNoWords(parsed, 'ls');
      return { command, ...common(parsed) };
    case 'show':
      return {
        command,
        id: oneId(parsed, 'show'),
        ...defined({ at: wholeNumber(parsed, 'at', 0) }),
        messages: parsed.values.has('messages'),
        calls: parsed.values.has('calls'),
        ...common(parsed),
      };
    case 'fork':
      return {
        command,
        id: oneId(parsed, 'fork'),
        ...defined({ at: wholeNumber(parsed, 'at', 0) }),
        ...common(parsed),
      };
    case 'replay':
      return {
        command,
        source: oneId(parsed, 'replay'),
        strict: parsed.values.has('strict'),
        ...common(parsed),
      };
    case 'export':
      return {
        command,
        id: oneId(parsed, 'export'),
        format: oneOf(parsed, 'format', ['v0', 'events', 'openai', 'jsonl', 'html']) ?? 'v0',
        ...defined({ out: nonEmpty(parsed, 'out') }),
        agentRole: oneOf(parsed, 'agent-role', ['agent', 'assistant']) ?? 'agent',
        ...common(parsed),
      };
    case 'import':
      return {
        command,
        file: oneFile(parsed),
        ...defined({
          format: oneOf<ImportFormat>(parsed, 'format', ['v0', 'events', 'openai', 'jsonl']),
          directory: nonEmpty(parsed, 'directory'),
        }),
        ...common(parsed),
      };
    case 'stats':
      return {
        command,
        id: oneId(parsed, 'stats'),
        ...defined({ svg: nonEmpty(parsed, 'svg') }),
        ...common(parsed),
      };
    case 'model':
      return modelCommand(parsed);
    case 'profile':
      return profileCommand(parsed);
    case 'prompt':
      takesNoWords(parsed, 'prompt');
      return {
        command,
        ...defined({
          directory: nonEmpty(parsed, 'directory'),
          systemPrompt: nonEmpty(parsed, 'system-prompt'),
          agent: nonEmpty(parsed, 'agent'),
          agentConfig: nonEmpty(parsed, 'agent-config'),
          plugins: parsed.lists.get('plugin'),
        }),
        ...modelSettings(parsed),
      };
    case 'agents':
      takesNoWords(parsed, 'agents');
      return {
        command,
        ...defined({ directory: nonEmpty(parsed, 'directory'), plugins: parsed.lists.get('plugin') }),
        ...common(parsed),
      };
    case 'demo':
      takesNoWords(parsed, 'demo');
      return { command, quiet: quiet(parsed), ...common(parsed) };
    case 'batch':
      runCommand({ ...parsed, positionals: [] }); // what is wrong for one run is wrong for all of them
      return batchCommand(parsed, RUN, modelSettings(parsed));
    case 'help':
      return helpCommand(parsed);
  }
}

function runCommand(parsed: ParsedFlags): RunCommand {
  const resumed = parsed.values.get('resume');
  return {
    command: 'run',
    ...defined({
      task: taskSource(parsed),
      directory: nonEmpty(parsed, 'directory'),
      maxIterations: wholeNumber(parsed, 'max-iterations', 1),
      maxBudgetUsd: amount(parsed, 'max-budget'),
    }),
    ...(resumed === undefined ? {} : { resume: resumed === true || resumed === '' ? {} : { id: resumed } }),
    ...defined({ maxTokens: wholeNumber(parsed, 'max-tokens', 1), maxTimeMs: duration(parsed, 'max-time') }),
    ...(parsed.values.has('allow-unpriced') ? { allowUnpriced: true } : {}),
    ...cassettes(parsed),
    ...defined({
      saveTrajectory: nonEmpty(parsed, 'save-trajectory'),
      replayTrajectory: nonEmpty(parsed, 'replay-trajectory'),
      snapshots: nonEmpty(parsed, 'context-snapshots'),
      systemPrompt: nonEmpty(parsed, 'system-prompt'),
      hooks: nonEmpty(parsed, 'hooks'),
      plugins: parsed.lists.get('plugin'),
      mcp: parsed.lists.get('mcp'),
      agent: nonEmpty(parsed, 'agent'),
      agentConfig: nonEmpty(parsed, 'agent-config'),
    }),
    ...autoContinue(parsed),
    ...place(parsed),
    quiet: quiet(parsed),
    ...modelSettings(parsed),
  };
}

/** Which conversation it is, and where it works. */
function place(parsed: ParsedFlags): Pick<RunCommand, 'id' | 'name' | 'repo' | 'branch' | 'setup'> {
  const [id, name, repo, branch] = ['id', 'name', 'repo', 'branch'].map((flag) => nonEmpty(parsed, flag));
  if (id !== undefined && !/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(id))
    throw new UsageError(`--id is a UUID, not "${id}"`);
  for (const flag of ['id', 'name', 'repo']) {
    if (parsed.values.has('resume') && parsed.values.has(flag))
      throw new UsageError(`--resume and --${flag} exclude each other: what is resumed has its own`);
  }
  if (parsed.values.has('resume') && parsed.values.has('replay-trajectory'))
    throw new UsageError(
      '--resume and --replay-trajectory exclude each other: a replay begins a conversation of its own',
    );
  if (branch !== undefined && repo === undefined) throw new UsageError('--branch needs --repo');
  if (name !== undefined && (name.length > 256 || /[\p{Cc}]/u.test(name)))
    throw new UsageError('--name is one line of at most 256 characters');
  return {
    ...defined({ id, name, repo, branch }),
    ...setup(parsed),
  };
}

function autoContinue({ values }: ParsedFlags): Pick<RunCommand, 'autoContinue'> {
  const words = values.get('auto-continue');
  if (words !== undefined && values.has('no-auto-continue'))
    throw new UsageError('--auto-continue and --no-auto-continue exclude each other');
  if (words === '') throw new UsageError('--auto-continue is empty');
  return words !== undefined
    ? { autoContinue: words }
    : values.has('no-auto-continue')
      ? { autoContinue: false }
      : {};
}

function setup({ values }: ParsedFlags): Pick<RunCommand, 'setup'> {
  if (values.has('setup') && values.has('no-setup'))
    throw new UsageError('--setup and --no-setup exclude each other');
  return values.has('setup') ? { setup: true } : values.has('no-setup') ? { setup: false } : {};
}

function modelSettings(parsed: ParsedFlags): ModelSettings {
  return {
    ...defined({
      model: nonEmpty(parsed, 'model'),
      baseUrl: nonEmpty(parsed, 'base-url'),
      profile: nonEmpty(parsed, 'profile'),
      configFile: nonEmpty(parsed, 'config'),
    }),
    ...common(parsed),
  };
}

/** The name may stand by itself. */
function modelCommand(parsed: ParsedFlags): ModelCommand {
  const [name, more] = parsed.positionals;
  if (more !== undefined) throw new UsageError(`model takes one name, but was given "${more}" too`);
  return {
    command: 'model',
    ...modelSettings(parsed),
    ...defined({ model: name ?? nonEmpty(parsed, 'model') }),
  };
}

const PROFILE_ACTIONS = ['list', 'show', 'save', 'remove'] as const;

function profileCommand(parsed: ParsedFlags): ProfileCommand {
  const [word = 'list', name, more] = parsed.positionals;
  const action = PROFILE_ACTIONS.find((each) => each === word);
  if (action === undefined) throw new UsageError(`profile does ${PROFILE_ACTIONS.join(', ')}, not "${word}"`);
  if (action !== 'list' && name === undefined) throw new UsageError(`profile ${action} needs a name`);
  const stray = action === 'list' ? name : more;
  if (stray !== undefined) throw new UsageError(`profile ${action} takes no "${stray}"`);
  return {
    command: 'profile',
    action,
    withSecrets: parsed.values.has('with-key'),
    ...modelSettings(parsed),
    ...defined({ name }),
  };
}

function taskSource({ values, positionals }: ParsedFlags): TaskSource | undefined {
  const sources: TaskSource[] = [];
  const text = values.get('task');
  const path = values.get('file');
  if (typeof text === 'string') sources.push({ from: 'text', text });
  if (typeof path === 'string') sources.push(path === '-' ? { from: 'stdin' } : { from: 'file', path });
  for (const word of positionals) {
    if (word !== '-') throw new UsageError(strayWord(word));
    sources.push({ from: 'stdin' });
  }
  if (sources.length > 1) throw new UsageError('the task is given more than once: use one of -t, -f and -');
  return sources[0];
}

function strayWord(word: string): string {
  if (/\s/.test(word)) return 'a task is given with -t: longhand -t "..."';
  if (COMMANDS.some((name) => name === word)) return `the command stands first: longhand ${word} ...`;
  const near = nearest(word, COMMANDS);
  const hint = near === undefined ? 'longhand --help lists them' : `did you mean longhand ${near}?`;
  return `there is no command "${word}"; ${hint} (a task is given with -t)`;
}

function helpCommand({ positionals }: ParsedFlags): HelpCommand {
  const [word] = positionals;
  if (word === undefined) return { command: 'help' };
  const topic = COMMANDS.find((name) => name === word);
  if (topic === undefined) throw new UsageError(strayWord(word));
  return { command: 'help', topic };
}

function common(parsed: ParsedFlags): Common {
  const level = nonEmpty(parsed, 'log-level') ?? 'warning';
  const logLevel = LOG_LEVELS.find((each) => each === level);
  if (logLevel === undefined)
    throw new UsageError(`--log-level is one of ${LOG_LEVELS.join(', ')}, not "${level}"`);
  return {
    ...defined({ conversationsDir: nonEmpty(parsed, 'conversations-dir') }),
    json: parsed.values.has('json'),
    logLevel,
  };
}

function quiet({ values }: ParsedFlags): boolean {
  if (values.has('quiet') && values.has('json')) {
    throw new UsageError(
      '--quiet and --json exclude each other: one prints only the final message, the other every event',
    );
  }
  return values.has('quiet');
}

function takesNoWords({ positionals }: ParsedFlags, command: string): void {
  if (positionals.length > 0) throw new UsageError(`${command} takes no "${positionals[0]}"`);
}

function oneId({ positionals }: ParsedFlags, command: string): string {
  const [id, more] = positionals;
  if (id === undefined || id === '') {
    throw new UsageError(
      `${command} needs a conversation's id, or the beginning of one; longhand ls lists them`,
    );
  }
  if (more !== undefined) throw new UsageError(`${command} takes one id, but was given "${more}" too`);
  return id;
}

function oneFile({ positionals }: ParsedFlags): string {
  const [file, more] = positionals;
  if (file === undefined || file === '') throw new UsageError('import needs a file, or a folder of events');
  if (more !== undefined) throw new UsageError(`import takes one file, but was given "${more}" too`);
  return file;
}

/** Undefined if it is not given. */
function oneOf<T extends string>(parsed: ParsedFlags, name: string, words: readonly T[]): T | undefined {
  const value = nonEmpty(parsed, name);
  const known = words.find((word) => word === value);
  if (known === undefined && value !== undefined)
    throw new UsageError(`--${name} is one of ${words.join(', ')}, not "${value}"`);
  return known;
}

function cassettes(parsed: ParsedFlags): Pick<RunCommand, 'record' | 'replay'> {
  const record = nonEmpty(parsed, 'record');
  const replay = nonEmpty(parsed, 'replay');
  if (record !== undefined && replay !== undefined)
    throw new UsageError(
      '--record and --replay exclude each other: one writes a cassette, the other plays it',
    );
  return defined({ record, replay });
}
