/** The parts of an open conversation, and how they are opened. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, DEFAULT_AGENT_NAME, toolSpecsOf } from '../agent/agent.ts';
import type { Knowledge } from '../context/knowledge.ts';
import { deepFreeze, thawed } from '../event/freeze.ts';
import { type Clock, systemClock } from '../event/identity.ts';
import { createLlm } from '../llm/create-llm.ts';
import type { LLM } from '../llm/llm.ts';
import { PRIVATE_FOLDER } from '../log/disk.ts';
import type { EventLog } from '../log/event-log.ts';
import { acquireWriterLock, type WriterLock } from '../log/writer-lock.ts';
import { type ConversationFiles, localConversationFiles } from '../tool/conversation-files.ts';
import { ToolChanges } from '../tool/tool-changes.ts';
import { createToolSet, type ToolSet } from '../tool/tool-set.ts';
import { makeFolder } from '../value/make-folder.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import { createCondenser, DEFAULT_CONDENSER } from '../view/condensers/spec.ts';
import type { Leftovers } from '../workspace/workspace.ts';
import { knowledgeOf, withServersOfSkills } from './briefing.ts';
import { subAgents } from './delegation/delegate.ts';
import { type OpenOptions, type Settings, settingsOf } from './open-options.ts';
import { refuseUnpriced } from './run/models.ts';
import { endedText } from './run/recover.ts';
import type { History } from './state/history.ts';
import type { StoredBaseState, Tags } from './store/base-state.ts';
import { conversationDirectory, conversationId } from './store/location.ts';
import { type OpenedLog, openLog, storedAgent, tryReadBaseState } from './store/open.ts';
import { withStoredCondenser, withStoredPolicy } from './stored-settings.ts';
import { takeOver } from './take-over.ts';

/** What is opened for a conversation, and closed with it. */
export interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly id: string;
  readonly directory: string | null;
  /** The files that tools keep in the folder. */
  readonly files: ConversationFiles | null;
  readonly resumed: boolean;
  readonly tags: Tags;
  /** `base_state.json` as it was when the conversation was opened. */
  readonly stored: StoredBaseState | undefined;
  readonly agent: Agent;
  /** Its calls are not yet counted in the ledger. */
  readonly llm: LLM;
  readonly condenser: Condenser;
  readonly knowledge: Knowledge;
  readonly tools: ToolSet;
  readonly toolChanges: ToolChanges;
  readonly log: EventLog;
  readonly lock: WriterLock | null;
  /** What a run that was killed had left running; null if none was killed. */
  readonly leftovers: Leftovers | null;
  readonly history: History;
  /** The length of the log when it was opened. */
  readonly openedAt: number;
}

/** Closes the log and releases the lock. */
export async function closeParts({ log, lock }: Pick<Parts, 'log' | 'lock'>): Promise<void> {
  await log.close();
  lock?.release();
}

interface Place {
  readonly id: string;
  readonly directory: string | null;
  readonly resumed: boolean;
  readonly isNew: boolean;
  readonly lock: WriterLock | null;
}

/** Finds or creates the folder, and locks it. Throws LogError `locked`. */
async function takePlace({ place, agent }: Settings, clock: Clock): Promise<Place> {
  const id = conversationId(place.id ?? clock.newId());
  const { conversationsDir } = place;
  const directory = conversationsDir === undefined ? null : conversationDirectory(conversationsDir, id);
  const isNew = directory === null || !existsSync(directory);
  if (isNew && agent === undefined) throw new Error('a new conversation needs an agent');
  if (directory === null) return { id, directory, resumed: false, isNew, lock: null };
  const resumed = existsSync(join(directory, 'events'));
  makeFolder(join(directory, 'events'), PRIVATE_FOLDER);
  return { id, directory, resumed, isNew, lock: await acquireWriterLock(directory) };
}

/** Releases the folder. A new one is removed, so that it is not listed. */
function leavePlace({ directory, isNew, lock }: Place): void {
  lock?.release();
  if (isNew && directory !== null) rmSync(directory, { recursive: true, force: true });
}

/** A sub-agent's programs are those of the conversation that it works for. */
async function takeOverPrograms(
  { workspace, parent }: Settings,
  { id, lock }: Place,
  warn: (text: string) => void,
): Promise<Leftovers | null> {
  if (lock === null || parent.depth > 0) return null;
  const leftovers = await takeOver(workspace, id, lock);
  if (leftovers !== null && leftovers.ended > 0)
    warn(`the previous run was killed: ${endedText(leftovers.ended)}`);
  return leftovers;
}

/** Opens all parts. Throws like `Conversation.open`, and then leaves nothing open. */
export async function openParts(options: OpenOptions): Promise<Parts> {
  const settings = settingsOf(options);
  const { model, limits, recording, parent, standIns } = settings;
  const { clock = systemClock } = standIns;
  const { onWarning: warn = () => undefined } = recording;
  const place = await takePlace(settings, clock);
  const { directory, isNew } = place;
  const takenOver = takeOverPrograms(settings, place, warn);
  let opened: OpenedLog | null = null;
  let tools: ToolSet | null = null;
  try {
    const stored = isNew || directory === null ? undefined : tryReadBaseState(directory, warn);
    const governed = withStoredPolicy(settings, options, stored, directory);
    // The caller's own object stays as it is.
    const specified = thawed(withStoredCondenser(settings.agent ?? storedAgent(directory, stored), stored));
    const modelOpened = model.llm === undefined ? createLlm(specified.llm) : Promise.resolve(model.llm);
    modelOpened.catch(() => undefined); // awaited below, after steps that can fail sooner
    const { durability } = settings.place;
    opened = await openLog(directory, stored, { durability, onWarning: recording.onWarning });
    const knowledge =
      standIns.knowledge ?? knowledgeOf({ workspace: settings.workspace, onWarning: warn }, specified);
    const [llm, agent] = await Promise.all([
      modelOpened,
      // A sub-agent gets its servers from its parent.
      parent.depth > 0 ? specified : withServersOfSkills(specified, knowledge, warn),
    ]);
    deepFreeze(agent);
    if (limits.maxBudgetUsd !== undefined && limits.allowUnpriced !== true) await refuseUnpriced(llm);
    const files = directory === null ? null : localConversationFiles(directory);
    const toolChanges = new ToolChanges();
    const environment = {
      workspace: settings.workspace,
      files,
      vision: llm.model.vision,
      maxResultChars: agent.llm.limits?.maxMessageChars,
      onWarning: warn,
      agents: subAgents(settings.agents),
    };
    tools = await createToolSet(toolSpecsOf(agent), settings.tools, environment, (replaced) =>
      toolChanges.replaced(replaced),
    );
    const name = agent.name ?? stored?.tags['agent'] ?? DEFAULT_AGENT_NAME;
    const tags = { ...stored?.tags, agent: name, ...settings.place.tags };
    const condenser = standIns.condenser ?? createCondenser(agent.condenser ?? DEFAULT_CONDENSER);
    const history = opened.fold(tools.render);
    const prompt = history.view.events.find((event) => event.kind === 'SystemPromptEvent');
    toolChanges.begin(tools.tools, prompt?.tools ?? []);
    const made = {
      agent,
      llm,
      condenser,
      knowledge,
      tools,
      toolChanges,
      log: opened.log,
      openedAt: opened.log.length,
      leftovers: await takenOver,
      history,
    };
    return { settings: governed, clock, ...place, files, tags, stored, ...made };
  } catch (error) {
    await tools?.close();
    await opened?.log.close();
    await takenOver;
    leavePlace(place);
    throw error;
  }
}
