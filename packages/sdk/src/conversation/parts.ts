/** What an open conversation is made of, and how it is put together. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, toolSpecsOf } from '../agent/agent.ts';
import type { Knowledge } from '../context/knowledge.ts';
import { type Clock, systemClock } from '../event/identity.ts';
import { createLlm } from '../llm/create-llm.ts';
import type { LLM } from '../llm/llm.ts';
import type { EventLog } from '../log/event-log.ts';
import type { WriterLock } from '../log/writer-lock.ts';
import { type ConversationFiles, localConversationFiles } from '../tool/conversation-files.ts';
import { createToolSet, type ToolSet } from '../tool/tool-set.ts';
import type { Condenser } from '../view/condensers/condenser.ts';
import { createCondenser, DEFAULT_CONDENSER } from '../view/condensers/spec.ts';
import { knowledgeOf, withServersOfSkills } from './briefing.ts';
import { subAgents } from './delegation/delegate.ts';
import { type OpenOptions, type Settings, settingsOf } from './open-options.ts';
import { refuseUnpriced } from './run/models.ts';
import type { History } from './state/history.ts';
import type { StoredBaseState, Tags } from './store/base-state.ts';
import { conversationDirectory, conversationId } from './store/location.ts';
import { openLog, storedAgent, tryReadBaseState } from './store/open.ts';

/** All of it is closed with the conversation. */
export interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly id: string;
  readonly directory: string | null;
  /** What the tools keep in it. */
  readonly files: ConversationFiles | null;
  readonly resumed: boolean;
  readonly tags: Tags;
  /** As another process left it. */
  readonly stored: StoredBaseState | undefined;
  readonly agent: Agent;
  /** Not yet accounted. */
  readonly llm: LLM;
  readonly condenser: Condenser;
  readonly knowledge: Knowledge;
  readonly tools: ToolSet;
  readonly log: EventLog;
  readonly lock: WriterLock | null;
  readonly history: History;
}

/** Closes the log, and lets other processes write it. */
export async function closeParts({ log, lock }: Pick<Parts, 'log' | 'lock'>): Promise<void> {
  await log.close();
  lock?.release();
}

/** Throws like `Conversation.open`; nothing is left open then. */
export async function openParts(options: OpenOptions): Promise<Parts> {
  const settings = settingsOf(options);
  const { model, limits, place, recording, parent, standIns } = settings;
  const { clock = systemClock } = standIns;
  const { onWarning: warn = () => undefined } = recording;
  const id = conversationId(place.id ?? clock.newId());
  const directory =
    place.conversationsDir === undefined ? null : conversationDirectory(place.conversationsDir, id);
  const resumed = directory !== null && existsSync(join(directory, 'events'));
  const specified = settings.agent ?? storedAgent(directory);
  const stored = directory !== null && resumed ? tryReadBaseState(directory) : undefined;
  const tags = { ...stored?.tags, ...place.tags };
  const isNew = directory !== null && !existsSync(directory);
  if (directory !== null) mkdirSync(join(directory, 'events'), { recursive: true });

  const modelOpened = model.llm === undefined ? createLlm(specified.llm) : Promise.resolve(model.llm);
  modelOpened.catch(() => undefined); // awaited below, after what can fail sooner
  const opened = await openLog(directory, { durability: place.durability, onWarning: recording.onWarning });
  const files = directory === null ? null : localConversationFiles(directory);
  let tools: ToolSet | null = null;
  try {
    const knowledge =
      standIns.knowledge ?? knowledgeOf({ workspace: settings.workspace, onWarning: warn }, specified);
    const [llm, agent] = await Promise.all([
      modelOpened,
      // Whoever hands work on has them already, and says which of them it hands on.
      parent.depth > 0 ? specified : withServersOfSkills(specified, knowledge, warn),
    ]);
    if (limits.maxBudgetUsd !== undefined && limits.allowUnpriced !== true) await refuseUnpriced(llm);
    tools = await createToolSet(toolSpecsOf(agent), settings.tools, {
      workspace: settings.workspace,
      files,
      vision: llm.model.vision,
      onWarning: warn,
      agents: subAgents(settings.agents),
    });
    const condenser = standIns.condenser ?? createCondenser(agent.condenser ?? DEFAULT_CONDENSER);
    const history = opened.fold(tools.render);
    const { log, lock } = opened;
    const known = { settings, clock, id, directory, files, resumed, tags, stored };
    return { ...known, agent, llm, condenser, knowledge, tools, log, lock, history };
  } catch (error) {
    await tools?.close();
    await closeParts(opened);
    if (isNew) rmSync(directory, { recursive: true, force: true }); // what was never begun is not listed
    throw error;
  }
}
