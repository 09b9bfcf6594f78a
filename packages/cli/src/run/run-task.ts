import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  type ActionReplay,
  findLocalModelServer,
  firstOfEachName,
  llmFromWire,
  mergeHooks,
  mergeLlm,
  type Outcome,
  type Skill,
} from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import { ENVIRONMENT, readSettings, type Settings } from '../config/config.ts';
import { readHooks } from '../config/hooks-file.ts';
import { readMcp } from '../config/mcp-files.ts';
import { chooseModel, type ModelChoice, type StoredModel } from '../config/model-choice.ts';
import { sandboxVariables } from '../config/v0-sections.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import type { Asked } from '../flags/command.ts';
import type { RUN } from '../flags/table.ts';
import { makeConversationsDirectory, workingDirectory } from '../stored/directory.ts';
import {
  conversationsDirectory,
  type Found,
  findConversation,
  findNamed,
  latestConversation,
  readSetup,
  storedConversation,
} from '../stored/find-conversation.ts';
import { whereFlag } from '../stored/where.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter, type Reporter } from '../view/reporter.ts';
import { chooseAgent, settingsWith } from './agents.ts';
import { readCassette } from './cassette-file.ts';
import { isRedirected } from './descriptors.ts';
import type { Plugins } from './plugins.ts';
import { repliesFrom } from './replies.ts';
import { converse } from './session.ts';
import { readStdin, readTask, type TaskSource, taskSource } from './task.ts';
import { readReplay, trajectoryTarget } from './trajectory-file.ts';

type RunCommand = Asked<typeof RUN, boolean>;

/** Gives the agent a task and lets it work until the run ends. `words`: the task is on standard input. */
export async function runTask(asked: RunCommand): Promise<ExitCode> {
  const reporter = createReporter(asked.output, process, process.env);
  const found = foundConversation(asked);
  const given = await readSettings(asked, process.env, process.cwd());
  // A file that says so once says so for new conversations.
  const replayed = found === undefined ? given.trajectories?.replay : asked.recording.replayTrajectory;
  const source = taskSource(asked.task, asked.words);
  const message =
    source === undefined && replayed !== undefined ? undefined : await messageOf(source, asked, found);
  if (message === '/exit') return EXIT.ok; // as in V0: nothing is asked, nothing is stored
  if (message === undefined && found === undefined && replayed === undefined) {
    given.warnings.forEach(reporter.warn); // of a trajectory that was not taken, for one
    throw new UsageError(NO_TASK);
  }
  const trajectory = replayed === undefined ? undefined : trajectoryFor(replayed, message, asked, found);

  const command = found === undefined ? placed(asked, given.place) : asked;
  const setup = found === undefined ? {} : readSetup(found.directory);
  const newId = command.conversation.id ?? randomUUID();
  const beginning = { found, setup, message, newId, given, replayed, trajectory };
  if (!isCloning(command, found)) {
    return await runIn(checkedDirectory(command, setup.workingDir), command, beginning, reporter);
  }
  await modelFrom(given, command); // nothing is cloned in vain
  const { clonedWorkspace } = await import('../repository/workspace.ts');
  const { directory: workingDir, repository } = await clonedWorkspace(command.place, newId, reporter.say);
  try {
    const { fetchOrganisation } = await import('../repository/organisation.ts');
    const organisation = await fetchOrganisation(repository, reporter.say);
    return await runIn(workingDir, command, { ...beginning, organisation }, reporter);
  } catch (error) {
    const conversations = conversationsDirectory(command.store.conversationsDir);
    if (storedConversation(conversations, newId) === undefined)
      rmSync(workingDir, { recursive: true, force: true }); // nobody would go on with it
    throw error;
  }
}

/** What a config file says of the place counts where the command line says nothing. */
function placed(asked: RunCommand, { repo, directory }: Settings['place']): RunCommand {
  const { place } = asked;
  if (place.repo !== undefined || place.directory !== undefined) return asked;
  if (repo !== undefined) return { ...asked, place: { ...place, repo } };
  return directory === undefined ? asked : { ...asked, place: { ...place, directory } };
}

interface Beginning {
  /** What goes on. */
  readonly found: Found | undefined;
  readonly setup: Partial<ReturnType<typeof readSetup>>;
  readonly message: string | undefined;
  /** Of what is new. */
  readonly newId: string;
  /** See organisation.ts. */
  readonly organisation?: string | undefined;
  readonly given: Settings;
  /** Where a trajectory stands, and what it is, that is carried out anew first. */
  readonly replayed: string | undefined;
  readonly trajectory: ActionReplay | undefined;
}

async function runIn(
  workingDir: string,
  command: RunCommand,
  { found, setup, message, newId, given, replayed, trajectory, organisation = setup.organisation }: Beginning,
  reporter: Reporter,
): Promise<ExitCode> {
  const brought = await pluginsOf(command, reporter);
  const { plugins } = brought;
  const name = command.agent.agent ?? setup.agentName ?? given.agentName;
  const chosen = await chooseAgent(name, workingDir, plugins, reporter.warn);
  const skills = [...brought.skills, ...(await skillsOf(organisation, reporter))];
  const settings = await settingsWith(chosen, command, given);
  settings.warnings.forEach(reporter.warn);
  const choice = await modelFrom(settings, command, setup.model);
  Object.assign(process.env, settings.place.env, sandboxVariables(process.env));
  if (command.place.setup ?? isCloning(command, found)) {
    const { setUp } = await import('../repository/setup.ts');
    Object.assign(process.env, await setUp(workingDir, reporter)); // for what the agent starts
  }

  const { maxIterations = chosen.agent?.maxIterations, maxBudgetUsd = chosen.agent?.maxBudgetUsd } = settings;
  const own = readHooks(command.agent.hooks, workingDir, reporter.warn);
  const hooks = [own, brought.hooks, chosen.hooks].reduce((all, more) =>
    all === undefined || more === undefined ? (all ?? more) : mergeHooks(all, more),
  );
  const mcp = await readMcp(
    {
      given: command.agent.mcp ?? [],
      configured: settings.mcp ?? {},
      brought: brought.mcpServers,
      stored: setup.mcp ?? {},
      workingDir,
    },
    reporter.warn,
  );
  const { save, screenshots = false } = given.trajectories ?? {};
  const saved = save === undefined ? undefined : trajectoryTarget(save, screenshots);
  const conversationsDir = makeConversationsDirectory(conversationsDirectory(command.store.conversationsDir));
  const { autoContinue: asksOn } = command.agent;
  const replies = asksOn === false ? repliesFrom(process.stdin, askForReply) : undefined;
  const autoContinue = replies?.next ?? asksOn ?? chosen.agent?.autoContinue;
  const outcome = await converse(
    {
      intro: [
        header(choice, workingDir),
        ...(trajectory === undefined ? [] : [`first the ${trajectory.actions} actions of ${replayed}`]),
      ],
      llm: choice.llm,
      workingDir,
      conversationsDir,
      where: whereFlag(command.store.conversationsDir),
      ...(found === undefined ? { newId } : { id: found.id }),
      ...defined({
        name: command.conversation.name,
        message,
        maxIterations,
        maxBudgetUsd,
        maxTokens: command.limits.maxTokens,
        maxTimeMs: command.limits.maxTimeMs,
        record: command.recording.record,
        replay: command.recording.replay,
        trajectory,
        saveTrajectory: saved,
        autoContinue,
        condenser: settings.condenser,
        hooks,
      }),
      mcp,
      ...chosen,
      section: settings.section,
      tags: defined({ agent: name, organisation }),
      ...(skills.length === 0 ? {} : { skills: firstOfEachName(skills) }),
      ...defined({ systemPrompt: command.agent.systemPrompt, snapshots: command.recording.snapshots }),
      allowUnpriced: command.limits.allowUnpriced || command.recording.replay !== undefined,
      ...(Object.keys(settings.llms).length === 0 ? {} : { llms: settings.llms }),
    },
    reporter,
    (outcome) => withKeyPlace(outcome, settings),
  ).finally(() => replies?.close());
  return exitCodeOf(outcome);
}

/** What opens them is only loaded if there are any. */
async function pluginsOf(
  { agent: { plugins: sources = [] } }: RunCommand,
  { warn }: Reporter,
): Promise<Plugins> {
  if (sources.length === 0) return { plugins: [], skills: [], hooks: undefined, mcpServers: {} };
  const { openPlugins } = await import('./plugins.ts');
  return await openPlugins(sources, process.cwd(), warn);
}

async function skillsOf(organisation: string | undefined, { warn }: Reporter): Promise<readonly Skill[]> {
  if (organisation === undefined) return [];
  const { organisationSkills } = await import('../repository/organisation.ts');
  return await organisationSkills(organisation, warn);
}

/** Only a person needs to be told that it is his turn. */
function askForReply(): void {
  if (process.stdin.isTTY) process.stderr.write('> ');
}

function modelFrom(settings: Settings, command: RunCommand, stored?: StoredModel): Promise<ModelChoice> {
  return chooseModel(withCassette(settings, command), process.env, findLocalModelServer, stored);
}

/** What is played from a cassette needs no model, but to know which it was. */
function withCassette(settings: Settings, { recording: { replay } }: RunCommand): Settings {
  if (replay === undefined) return settings;
  const { agent } = readCassette(replay).header.state as { readonly agent?: { readonly llm?: object } };
  return { ...settings, llm: mergeLlm(settings.llm, llmFromWire({ model: 'cassette', ...agent?.llm })) };
}

/** The task is the trajectory's own. Throws UsageError. */
function trajectoryFor(
  path: string,
  message: string | undefined,
  command: RunCommand,
  found: Found | undefined,
): ActionReplay {
  const place =
    command.recording.replayTrajectory === undefined ? 'replay_trajectory_path' : '--replay-trajectory';
  if (message !== undefined)
    throw new UsageError(`a task and ${place} exclude each other: a trajectory begins with its own task`);
  if (found !== undefined)
    throw new UsageError(`${place} begins a conversation of its own, and ${found.id} is there already`);
  return readReplay(path);
}

const NO_TASK = `there is no task
  Give one with -t "...", from a file with -f FILE, or from standard input with -
  longhand --help tells the rest`;

/** Without a word about a new task, all of standard input is it, unless that is a terminal: nobody is asked. */
async function messageOf(
  source: TaskSource | undefined,
  { conversation }: RunCommand,
  found: Found | undefined,
): Promise<string | undefined> {
  if (source !== undefined) return await readTask(source);
  if (found !== undefined || conversation.resume !== undefined || !isRedirected(0)) return undefined;
  const words = (await readStdin()).trim();
  return words === '' ? undefined : words;
}

function isCloning(
  command: RunCommand,
  found: Found | undefined,
): command is RunCommand & { readonly place: { readonly repo: string } } {
  return command.place.repo !== undefined && found === undefined;
}

/** Throws UsageError. */
function checkedDirectory({ place: { directory } }: RunCommand, before: string | undefined): string {
  return directory === undefined && before !== undefined
    ? workingDirectory(before, 'the conversation worked there; choose another with -d')
    : workingDirectory(directory ?? '.', 'choose one with -d');
}

/** The one that goes on: by `--resume`, or by an id or a name that there is already. */
function foundConversation({ conversation, store }: RunCommand): Found | undefined {
  const { resume, id, name } = conversation;
  const directory = conversationsDirectory(store.conversationsDir);
  if (id !== undefined) return storedConversation(directory, id);
  if (name !== undefined) return findNamed(directory, name);
  if (resume === undefined) return undefined;
  return resume === true ? latestConversation(directory) : findConversation(directory, resume);
}

/** The model layer knows variables; a key may also stand in a file. */
function withKeyPlace(outcome: Outcome, { origin }: Settings): Outcome {
  const place = origin.api_key;
  if (outcome.kind !== 'error' || outcome.code !== 'LLMAuthenticationError') return outcome;
  return place === undefined || place === ENVIRONMENT
    ? outcome
    : { ...outcome, remedy: `Check api_key in ${place}.` };
}

function header({ llm, reason }: ModelChoice, workingDir: string): string {
  return `${llm.model}${reason === undefined ? '' : ` (${reason})`} in ${workingDir}`;
}
