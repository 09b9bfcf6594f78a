/** One run of a conversation, from opening to closing: what `run` and `demo` have in common. */
import {
  type Agent,
  type Content,
  Conversation,
  createLlm,
  MessageRefused,
  type Outcome,
  openLocalWorkspace,
  type ReadableLog,
} from '@longhand/sdk';
import {
  type ActionReplay,
  knowledgeOf,
  type LimitOptions,
  modelKeysIn,
  type OversightOptions,
  type PlaceOptions,
  secretsOfConfig,
} from '@longhand/sdk/internal';
import { builtinTools } from '@longhand/tools';
import { namedLlm } from '../config/named-models.ts';
import type { RecordingOptions as RecordingFlags } from '../flags/table.ts';
import { shortId } from '../stored/find-conversation.ts';
import { commandName } from '../stored/where.ts';
import { UsageError } from '../usage-error.ts';
import type { View } from '../view/plain-view.ts';
import type { Reporter } from '../view/reporter.ts';
import { type AgentParts, agentOf, helpersOf } from './agent-of.ts';
import { clockOf, playFrom, type Recorder, recordTo } from './cassette-file.ts';
import { snapshotsTo } from './context-snapshots.ts';
import { listenForInterrupts } from './interruption.ts';
import { saveTrajectory, type TrajectoryTarget } from './trajectory-file.ts';

/** One run of a conversation. `limits`, `place` and `oversight` are the engine's groups. */
export interface Session {
  /** Lines that are shown once the model is known to be there. */
  readonly intro: readonly string[];
  /** The task, or the next message. */
  readonly message?: string | readonly Content[] | undefined;
  readonly isNew: boolean;
  readonly workingDir: string;
  /** See Summary. */
  readonly storeFlag: string;
  readonly agent: AgentParts;
  readonly limits?: LimitOptions;
  readonly place: PlaceOptions & { readonly conversationsDir: string };
  readonly oversight?: OversightOptions;
  readonly recording?: Recording;
}

/** What is written down besides the conversation, and what is played back. */
export interface Recording extends Omit<RecordingFlags, 'saveTrajectory' | 'replayTrajectory'> {
  /** Where the trajectory is saved when the run ends. */
  readonly saveTo?: TrajectoryTarget | undefined;
  /** Actions that are repeated before the agent continues. */
  readonly trajectory?: ActionReplay | undefined;
}

/** Opens, runs, shows and closes a conversation. `check` can replace the outcome. */
export async function converse(
  session: Session,
  reporter: Reporter,
  check: (outcome: Outcome, log: ReadableLog) => Outcome = (outcome) => outcome,
): Promise<Outcome> {
  const beganAt = performance.now();
  const interruption = listenForInterrupts(reporter);
  const { llm } = session.agent;
  const { record } = session.recording ?? {};
  const recorder = record === undefined ? undefined : recordTo(record, llm, process.env);
  const conversation = await open(session, reporter, recorder).catch((error: unknown) => {
    recorder?.close();
    interruption.off();
    throw error;
  });
  recorder?.follow(conversation);
  session.intro.forEach(reporter.say);
  reporter.begin({
    id: conversation.id,
    name: conversation.tags['name'],
    agent: conversation.tags['agent'],
    model: llm.model,
    workingDir: session.workingDir,
    resumed: conversation.resumed,
  });
  const view = reporter.view(conversation);
  for (const [index, event] of conversation.log.read(conversation.openedAt)) view.onEvent?.(event, index);
  conversation.subscribe(view);
  const tellEnd = teller(conversation, session, reporter, view, beganAt);
  interruption.follow(conversation, view, () => tellEnd({ kind: 'interrupted' }));
  try {
    const outcome = check(await run(conversation, session, reporter, interruption.signal), conversation.log);
    tellEnd(outcome);
    return outcome;
  } finally {
    view.close();
    await conversation.close();
    await save(session, conversation, reporter);
    recorder?.close();
    interruption.off();
  }
}

/** Shows how the run ended, once. */
function teller(
  conversation: Conversation,
  session: Session,
  reporter: Reporter,
  view: View,
  beganAt: number,
): (outcome: Outcome) => void {
  let isTold = false;
  return (outcome) => {
    if (isTold) return;
    isTold = true;
    view.close();
    const { id, state } = conversation;
    reporter.end({
      id,
      outcome,
      elapsedMs: performance.now() - beganAt,
      stats: state.stats,
      shortId: shortId(session.place.conversationsDir, id),
      command: commandName(),
      where: session.storeFlag,
    });
  };
}

/** Null if the message was sent. A hook may refuse it, or take long and be interrupted. */
async function send(
  conversation: Conversation,
  message: string | readonly Content[],
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

/** A trajectory that cannot be saved does not change how the run ended. */
async function save({ recording }: Session, { directory }: Conversation, reporter: Reporter): Promise<void> {
  const target = recording?.saveTo;
  if (target === undefined || directory === null) return;
  try {
    await saveTrajectory(target, directory);
  } catch (error) {
    reporter.warn(`the trajectory was not saved: ${(error as Error).message}`);
  }
}

/** The message `/condense` is for the engine, not for the agent. */
async function condensed(
  conversation: Conversation,
  reporter: Reporter,
  interrupted: AbortSignal,
): Promise<Outcome> {
  const before = conversation.view.events.length;
  try {
    const message = (await conversation.condense())
      ? `Condensed the history from ${before} to ${conversation.view.events.length} events.`
      : 'There is nothing to condense.';
    reporter.say(message);
    return { kind: 'finished', message };
  } catch (error) {
    if (interrupted.aborted) return { kind: 'interrupted' };
    throw error;
  }
}

/** The model comes first: without one no conversation is started. */
async function open(
  session: Session,
  reporter: Reporter,
  recorder: Recorder | undefined,
): Promise<Conversation> {
  const { isNew, limits, place, oversight, recording = {} } = session;
  const { llm: config, helpers } = session.agent;
  const { replay, trajectory } = recording;
  const workspace = openLocalWorkspace(session.workingDir);
  const agent = agentOf(session.agent, trajectory);
  // Read while the model's package is loaded.
  const knowledge = knowledgeOf({ workspace, onWarning: reporter.warn }, agent);
  if (isNew) knowledge.prepare?.();
  const given = replay === undefined ? await createLlm(config) : playFrom(replay, config, process.env);
  const recorded = recorder?.wrap(given) ?? given;
  const llm = trajectory?.llm(recorded) ?? recorded;
  return await Conversation.open({
    agent: { ...agent, ...(await ownPrompt(session.agent, agent)) },
    tools: builtinTools,
    agents: helpers === undefined ? undefined : helpersOf(session.agent),
    workspace,
    model: { llm, stream: reporter.isLive, profile: (name) => namedLlm(name, {}, []) },
    limits,
    place,
    oversight,
    recording: {
      secrets: secretsOfModels(session.agent),
      onPrompt: snapshotsOf(recording, agent, reporter),
      onWarning: reporter.warn,
    },
    standIns: { knowledge, clock: replay === undefined ? undefined : clockOf(replay) },
  });
}

function snapshotsOf({ snapshots }: Recording, { llm, condenser }: Agent, { warn }: Reporter) {
  if (snapshots === undefined) return undefined;
  return snapshotsTo(snapshots, llm, condenser?.type ?? 'llm', process.env, warn);
}

/** The keys of the models: an agent may print its environment. */
function secretsOfModels({ llm, llms = {} }: AgentParts): string[] {
  return [...[llm, ...Object.values(llms)].flatMap(secretsOfConfig), ...modelKeysIn(process.env)];
}

async function ownPrompt(
  { systemPrompt, llm }: AgentParts,
  { tools }: Agent,
): Promise<Pick<Agent, 'systemPrompt'>> {
  if (systemPrompt === undefined) return {};
  const { systemPromptFrom } = await import('./system-prompt-file.ts');
  const names = tools.map(({ name }) => name);
  return { systemPrompt: await systemPromptFrom(systemPrompt, llm.model, names) };
}

async function run(
  conversation: Conversation,
  { message, recording }: Session,
  reporter: Reporter,
  interrupted: AbortSignal,
): Promise<Outcome> {
  const trajectory = recording?.trajectory;
  if (trajectory !== undefined) return await trajectory.run(conversation, interrupted);
  const { status, lastUserMessageId } = conversation.state;
  if (message === '/condense') return await condensed(conversation, reporter, interrupted);
  if (message !== undefined) {
    const unsent = await send(conversation, message, interrupted);
    if (unsent !== null) return unsent;
  } else if (lastUserMessageId === null) {
    throw new UsageError('the conversation has no task: it ended before one was stored; give one with -t');
  } else if (status === 'finished') {
    reporter.say('It is finished already; send the next message with -t.');
  }
  return interrupted.aborted ? { kind: 'interrupted' } : await conversation.run();
}
