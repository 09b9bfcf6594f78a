/** One run of a conversation, from opening to closing: what `run` and `demo` have in common. */
import {
  type ActionReplay,
  type Agent,
  type AgentDefinition,
  type AutoContinue,
  Conversation,
  createLlm,
  type EventLog,
  type HookConfig,
  knowledgeOf,
  type LimitOptions,
  type LlmConfig,
  type McpConfig,
  MessageRefused,
  modelKeysIn,
  type Outcome,
  openLocalWorkspace,
  type Skill,
  secretsOfConfig,
} from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import { builtinTools } from '@longhand/tools';
import { namedLlm } from '../config/named-models.ts';
import type { AgentSection } from '../config/v0-sections.ts';
import { onInterrupt } from '../interrupts.ts';
import { shortId } from '../stored/find-conversation.ts';
import { commandName } from '../stored/where.ts';
import { UsageError } from '../usage-error.ts';
import type { Reporter } from '../view/reporter.ts';
import { agentOf, helpersOf } from './agent-of.ts';
import { clockOf, playFrom, type Recorder, recordTo } from './cassette-file.ts';
import { snapshotsTo } from './context-snapshots.ts';
import { saveTrajectory, type TrajectoryTarget } from './trajectory-file.ts';

export interface Session {
  /** Said once it is sure that there is a model. */
  readonly intro: readonly string[];
  readonly llm: LlmConfig;
  readonly workingDir: string;
  readonly conversationsDir: string;
  /** See Summary. */
  readonly where: string;
  /** Of a conversation that goes on. */
  readonly id?: string;
  /** Of a new one, if it is decided already. */
  readonly newId?: string;
  readonly name?: string;
  readonly message?: string;
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly maxTimeMs?: number;
  readonly allowUnpriced?: boolean;
  /** What is said when the agent asks. */
  readonly autoContinue?: AutoContinue;
  /** Models for other purposes than the agent's own. */
  readonly llms?: Agent['llms'];
  readonly condenser?: Agent['condenser'];
  /** What the agent is, beyond its model. */
  readonly agent?: AgentDefinition;
  /** Those that work can be handed to. */
  readonly agents?: readonly AgentDefinition[];
  /** A folder; see context-snapshots.ts. */
  readonly snapshots?: string;
  /** A template, in place of the system prompt. */
  readonly systemPrompt?: string;
  readonly hooks?: HookConfig;
  /** `[agent]` of a config file. */
  readonly section?: AgentSection;
  readonly tags?: { readonly [name: string]: string };
  /** MCP servers of whatever agent it is. */
  readonly mcp?: McpConfig;
  /** That plugins bring. */
  readonly skills?: readonly Skill[];
  /** Cassettes. */
  readonly record?: string;
  readonly replay?: string;
  /** Where the trajectory is written when the run ends; see trajectory-file.ts. */
  readonly saveTrajectory?: TrajectoryTarget;
  /** Actions that are carried out before the agent goes on. */
  readonly trajectory?: ActionReplay;
}

/** Opens, runs, shows and closes. `check` may see the outcome otherwise. */
export async function converse(
  session: Session,
  reporter: Reporter,
  check: (outcome: Outcome, log: EventLog) => Outcome = (outcome) => outcome,
): Promise<Outcome> {
  const beganAt = performance.now();
  const interrupted = new AbortController();
  const off = onInterrupt(() => interrupted.abort());
  const recorder =
    session.record === undefined ? undefined : recordTo(session.record, session.llm, process.env);
  const conversation = await open(session, reporter, recorder).catch((error: unknown) => {
    recorder?.close();
    off();
    throw error;
  });
  recorder?.follow(conversation);
  session.intro.forEach(reporter.say);
  reporter.begin({
    id: conversation.id,
    name: conversation.tags['name'],
    model: session.llm.model,
    workingDir: session.workingDir,
    resumed: conversation.resumed,
  });
  interrupted.signal.addEventListener('abort', () => conversation.interrupt());
  const view = reporter.view(conversation);
  conversation.subscribe(view);
  try {
    const outcome = check(await run(conversation, session, reporter, interrupted.signal), conversation.log);
    view.close();
    const { id, state } = conversation;
    reporter.end({
      id,
      outcome,
      elapsedMs: performance.now() - beganAt,
      stats: state.stats,
      shortId: shortId(session.conversationsDir, id),
      command: commandName(),
      where: session.where,
    });
    return outcome;
  } finally {
    view.close();
    await conversation.close();
    await save(session, conversation, reporter);
    recorder?.close();
    off();
  }
}

/** Null if the message is sent. A hook may refuse it, or take its time until it is interrupted. */
async function send(
  conversation: Conversation,
  message: string,
  interrupted: AbortSignal,
): Promise<Outcome | null> {
  try {
    await conversation.send(message);
    return null;
  } catch (error) {
    if (interrupted.aborted) return { kind: 'interrupted' };
    if (error instanceof MessageRefused) return { kind: 'error', code: error.name, detail: error.message };
    throw error;
  }
}

/** How a run ended is told all the same. */
async function save(
  { saveTrajectory: target }: Session,
  { directory }: Conversation,
  reporter: Reporter,
): Promise<void> {
  if (target === undefined || directory === null) return;
  try {
    await saveTrajectory(target, directory);
  } catch (error) {
    reporter.warn(`the trajectory was not saved: ${(error as Error).message}`);
  }
}

/** What is told the agent as `/condense` is for the engine. */
async function condensed(
  conversation: Conversation,
  reporter: Reporter,
  interrupted: AbortSignal,
): Promise<Outcome> {
  const before = conversation.view.events.length;
  try {
    const message = (await conversation.condense())
      ? `The history is condensed: ${before} events to ${conversation.view.events.length}.`
      : 'There is nothing that could be condensed.';
    reporter.say(message);
    return { kind: 'finished', message };
  } catch (error) {
    if (interrupted.aborted) return { kind: 'interrupted' };
    throw error;
  }
}

/** The model comes first: if it is not to be had, no conversation is begun. */
async function open(
  session: Session,
  reporter: Reporter,
  recorder: Recorder | undefined,
): Promise<Conversation> {
  const { llm: config, conversationsDir, id, replay, name } = session;
  const openId = id ?? session.newId;
  const workspace = openLocalWorkspace(session.workingDir);
  const agent = agentOf(session);
  // Read while the model's package is loaded.
  const knowledge = knowledgeOf({ workspace, onWarning: reporter.warn }, agent);
  if (id === undefined) knowledge.prepare?.();
  const given = replay === undefined ? await createLlm(config) : playFrom(replay, config, process.env);
  const recorded = recorder?.wrap(given) ?? given;
  const llm = session.trajectory?.llm(recorded) ?? recorded;
  return await Conversation.open({
    agent: { ...agent, ...(await ownPrompt(session, agent)) },
    tools: builtinTools,
    agents: session.agents === undefined ? undefined : helpersOf(session),
    workspace,
    model: { llm, stream: reporter.isLive, profile: (name) => namedLlm(name, {}, []) },
    limits: limitsOf(session),
    place: { conversationsDir, id: openId, tags: { ...session.tags, ...defined({ name }) } },
    oversight: { autoContinue: session.autoContinue, hooks: session.hooks },
    recording: {
      secrets: secretsOfModels(session),
      onPrompt: snapshotsOf(session, agent, reporter),
      onWarning: reporter.warn,
    },
    standIns: { knowledge, clock: replay === undefined ? undefined : clockOf(replay) },
  });
}

function snapshotsOf({ snapshots, llm }: Session, { condenser }: Agent, { warn }: Reporter) {
  if (snapshots === undefined) return undefined;
  return snapshotsTo(snapshots, llm, condenser?.type ?? 'llm', process.env, warn);
}

/** The keys that the models are asked with: an agent may print its environment. */
function secretsOfModels({ llm, llms = {} }: Session): string[] {
  return [...[llm, ...Object.values(llms)].flatMap(secretsOfConfig), ...modelKeysIn(process.env)];
}

async function ownPrompt({ systemPrompt, llm }: Session, agent: Agent): Promise<Pick<Agent, 'systemPrompt'>> {
  if (systemPrompt === undefined) return {};
  const { systemPromptFrom } = await import('./system-prompt-file.ts');
  const tools = agent.tools.map(({ name }) => name);
  return { systemPrompt: await systemPromptFrom(systemPrompt, llm.model, tools) };
}

function limitsOf(session: Session): LimitOptions {
  const { maxIterations, maxBudgetUsd, maxTokens, maxTimeMs, allowUnpriced, section } = session;
  const { stuckDetection } = section ?? {};
  return { maxIterations, maxBudgetUsd, maxTokens, maxTimeMs, allowUnpriced, stuckDetection };
}

async function run(
  conversation: Conversation,
  { message, trajectory }: Session,
  reporter: Reporter,
  interrupted: AbortSignal,
): Promise<Outcome> {
  if (trajectory !== undefined) return await trajectory.run(conversation, interrupted);
  const { status, lastUserMessageId } = conversation.state;
  if (message?.trim() === '/condense') return await condensed(conversation, reporter, interrupted);
  if (message !== undefined) {
    const unsent = await send(conversation, message, interrupted);
    if (unsent !== null) return unsent;
  } else if (lastUserMessageId === null) {
    throw new UsageError('the conversation has no task yet: give one with -t');
  } else if (status === 'finished') {
    reporter.say('It is finished already; give the next message with -t.');
  }
  return interrupted.aborted ? { kind: 'interrupted' } : await conversation.run();
}
