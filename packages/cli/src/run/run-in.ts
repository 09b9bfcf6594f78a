/** A run in a workspace that exists: everything that the command line, the settings and the folder say becomes one session. */
import type { HookConfig, Outcome, Skill } from '@longhand/sdk';
import {
  conversationDirectory,
  findLocalModelServer,
  firstOfEachName,
  type LimitOptions,
  llmFromWire,
  mergeHooks,
  mergeLlm,
  modelInfoOf,
} from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { ENVIRONMENT, type Settings } from '../config/config.ts';
import { readHooks } from '../config/hooks-file.ts';
import { readMcp } from '../config/mcp-files.ts';
import { chooseModel, type ModelChoice, type StoredModel } from '../config/model-choice.ts';
import { sandboxVariables } from '../config/v0-sections.ts';
import { type ExitCode, exitCodeOf } from '../exit-code.ts';
import { makeConversationsDirectory } from '../stored/directory.ts';
import { conversationsDirectory } from '../stored/find-conversation.ts';
import { whereFlag } from '../stored/where.ts';
import type { Reporter } from '../view/reporter.ts';
import { toolsStoredIn } from './agent-of.ts';
import { type ChosenAgent, chooseAgent, settingsWith } from './agents.ts';
import { type AttachmentOptions, withAttachments } from './attachments.ts';
import type { Beginning, RunCommand } from './beginning.ts';
import { readCassette } from './cassette-file.ts';
import { systemPromptFile } from './configured-prompt.ts';
import type { Plugins } from './plugins.ts';
import { type Replies, repliesFrom } from './replies.ts';
import { converse, type Session } from './session.ts';
import { toldVariables } from './told-variables.ts';
import { trajectoryTarget } from './trajectory-file.ts';

export interface RunInOptions extends Beginning {
  /** The commit of the owner's instructions; see organisation.ts. */
  readonly organisation: string | undefined;
}

/** What is found out about a run in its workspace. */
interface Equipment {
  readonly chosen: ChosenAgent;
  readonly settings: Settings;
  readonly choice: ModelChoice;
  readonly plugins: Plugins;
}

export async function runIn(
  workingDir: string,
  options: RunInOptions,
  reporter: Reporter,
): Promise<ExitCode> {
  const { asked, isNew } = options;
  const equipment = await equip(workingDir, options, reporter);
  const { settings } = equipment;
  Object.assign(process.env, settings.place.env, sandboxVariables(process.env));
  if (asked.place.setup ?? (isNew && asked.place.repo !== undefined)) {
    const { setUp } = await import('../repository/setup.ts');
    Object.assign(process.env, await setUp(workingDir, reporter)); // for the programs that the agent starts
  }
  const replies = asked.agent.autoContinue === false ? repliesFrom(process.stdin, askForReply) : undefined;
  try {
    const session = await sessionOf(workingDir, options, equipment, replies, reporter);
    return exitCodeOf(await converse(session, reporter, (outcome) => withKeyPlace(outcome, settings)));
  } finally {
    replies?.close();
  }
}

async function equip(workingDir: string, options: RunInOptions, reporter: Reporter): Promise<Equipment> {
  const { asked, stored } = options;
  const plugins = await pluginsOf(asked, reporter);
  const agentName = asked.agent.agent ?? stored.agentName ?? options.settings.agentName;
  const chosen = await chooseAgent(agentName, workingDir, plugins.plugins, reporter.warn);
  const settings = await settingsWith(chosen, asked, options.settings);
  settings.warnings.forEach(reporter.warn);
  const choice = await modelFor(asked, settings, stored.model);
  if (choice.notice !== undefined) reporter.warn(choice.notice);
  return { chosen, settings, choice, plugins };
}

async function sessionOf(
  workingDir: string,
  options: RunInOptions,
  { chosen, settings, choice, plugins }: Equipment,
  replies: Replies | undefined,
  { warn }: Reporter,
): Promise<Session> {
  const { asked, id, isNew, message, replayed, organisation } = options;
  const { agent, recording, store } = asked;
  const { definition } = chosen;
  const skills = [...plugins.skills, ...(await skillsOf(organisation, warn))];
  const hooks = allHooks(readHooks(agent.hooks, workingDir, warn), plugins.hooks, chosen.hooks);
  if (settings.section.useMcp === false && agent.mcp !== undefined)
    warn('--mcp has no effect, because enable_mcp is false');
  const mcp = await readMcp(
    {
      given: agent.mcp ?? [],
      configured: settings.mcp ?? {},
      brought: plugins.mcpServers,
      stored: options.stored.mcp ?? {},
      workingDir,
    },
    warn,
  );
  const { save, screenshots = false } = options.settings.trajectories ?? {};
  const tags = defined({ organisation, name: asked.conversation.name });
  const conversationsDir = makeConversationsDirectory(conversationsDirectory(store.conversationsDir));
  return {
    intro: [
      header(choice, workingDir),
      ...(replayed === undefined
        ? []
        : [`first, the ${replayed.actions.actions} actions of ${replayed.path}`]),
    ],
    message: message && withAttachments(message, attachmentOptions(asked, workingDir, choice, warn)),
    isNew,
    workingDir,
    storeFlag: whereFlag(store.conversationsDir),
    agent: {
      llm: choice.llm,
      llms: settings.llms,
      definition,
      storedTools: isNew ? undefined : toolsStoredIn(conversationDirectory(conversationsDir, id)),
      helpers: chosen.helpers,
      condenser: settings.condenser,
      section: settings.section,
      skills: firstOfEachName(skills),
      told: toldVariables(process.env, settings.place),
      mcp,
      systemPrompt: systemPromptFile(agent.systemPrompt, settings.section),
    },
    limits: limitsOf(asked, settings, chosen),
    place: {
      conversationsDir,
      id,
      tags,
    },
    oversight: { autoContinue: replies?.next ?? agent.autoContinue ?? definition.autoContinue, hooks },
    recording: {
      ...recording,
      trajectory: replayed?.actions,
      saveTo: save === undefined ? undefined : trajectoryTarget(save, screenshots),
    },
  };
}

function attachmentOptions(
  { task }: RunCommand,
  workingDir: string,
  { llm }: ModelChoice,
  warn: (text: string) => void,
): AttachmentOptions {
  const blind = modelInfoOf(llm).vision ? null : llm.model;
  return { images: task.images ?? [], typed: task.text, workingDir, blind, warn };
}

/** What is given, else what the agent brings along. A cassette costs nothing. */
function limitsOf({ limits, recording }: RunCommand, settings: Settings, chosen: ChosenAgent): LimitOptions {
  return {
    ...limits,
    maxIterations: settings.maxIterations ?? chosen.definition.maxIterations,
    maxBudgetUsd: settings.maxBudgetUsd ?? chosen.definition.maxBudgetUsd,
    allowUnpriced: limits.allowUnpriced || recording.replay !== undefined,
    stuckDetection: settings.section.stuckDetection,
  };
}

function allHooks(...sources: readonly (HookConfig | undefined)[]): HookConfig | undefined {
  return sources.reduce((all, more) =>
    all === undefined || more === undefined ? (all ?? more) : mergeHooks(all, more),
  );
}

/** The code that opens plugins is loaded only if there are any. */
async function pluginsOf(
  { agent: { plugins: sources = [] } }: RunCommand,
  { warn }: Reporter,
): Promise<Plugins> {
  if (sources.length === 0) return { plugins: [], skills: [], hooks: undefined, mcpServers: {} };
  const { openPlugins } = await import('./plugins.ts');
  return await openPlugins(sources, process.cwd(), warn);
}

async function skillsOf(
  organisation: string | undefined,
  warn: (text: string) => void,
): Promise<readonly Skill[]> {
  if (organisation === undefined) return [];
  const { organisationSkills } = await import('../repository/organisation.ts');
  return await organisationSkills(organisation, warn);
}

/** Only a person needs a prompt. */
function askForReply(): void {
  if (process.stdin.isTTY) process.stderr.write('> ');
}

/** Throws UsageError if there is none. */
export function modelFor(asked: RunCommand, settings: Settings, stored?: StoredModel): Promise<ModelChoice> {
  return chooseModel(withCassette(settings, asked), process.env, findLocalModelServer, stored);
}

/** A cassette needs no model, but it names the one that it was recorded with. */
function withCassette(settings: Settings, { recording: { replay } }: RunCommand): Settings {
  if (replay === undefined) return settings;
  const { agent } = readCassette(replay).header.state as { readonly agent?: { readonly llm?: object } };
  return { ...settings, llm: mergeLlm(settings.llm, llmFromWire({ model: 'cassette', ...agent?.llm })) };
}

/** The engine knows the variables that hold keys; a key may also be in a file. */
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
