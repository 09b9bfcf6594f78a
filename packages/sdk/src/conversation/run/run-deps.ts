/** What a run needs of an open conversation, in groups. */
import { SENDERS } from '../../agent/sender.ts';
import { ROOT } from '../../event/identity.ts';
import type { LLM, ToolSchema } from '../../llm/llm.ts';
import { type ConfirmationPolicy, dependsOnRisk } from '../../security/confirmation.ts';
import type { ToolConversation } from '../../tool/tool.ts';
import { type SchemaForm, schemasOf } from '../../tool/tool-schema.ts';
import { defined } from '../../value/defined.ts';
import { latestImages, skillNamed, withFileKnowledge } from '../briefing.ts';
import { isExit } from '../exit.ts';
import { duringRun } from '../hooks/during-run.ts';
import type { Members } from '../members.ts';
import type { Parts } from '../parts.ts';
import { type Reply, replyOf } from './auto-continue.ts';
import { noticed } from './models.ts';
import type { RunDeps } from './run.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Makes the descriptions of the tools. Returns the same array as long as they do not change. */
type ToolSchemas = () => readonly ToolSchema[];

type Signals = Pick<RunDeps['carryOut'], 'signal' | 'abandoned'>;

/** `main` is the agent's model when the run begins: it decides how the tools are described. */
export function runDepsOf(parts: Parts, members: Members, main: LLM, signals: Signals): RunDeps {
  const { signal } = signals;
  const { settings, history } = parts;
  const { recorder, ledger, models, inbox, onlookers } = members;
  const hasOnlookers = settings.oversight.hooks !== undefined || settings.standIns.onlookers !== undefined;
  const schemas = schemasOf(parts.tools, schemaFormOf(main, settings.oversight.confirmation));
  const { onStop, ...aroundTools } = hasOnlookers ? duringRun(onlookers, signal) : {};
  return {
    ...{ history, recorder, ledger, inbox, signal, onStop },
    toolChanges: toolChangesOf(parts),
    limits: { ...settings.limits, tellsTurnsLeft: settings.standIns.tellsTurnsLeft },
    confirmation: settings.oversight.confirmation,
    llm: async () => noticed(await models.get(parts.llm.usageId), recorder),
    reply: replyDepsOf(parts, members, signal),
    ask: askDepsOf(parts, members, schemas, signal),
    condense: condenseDepsOf(parts, members, schemas, signal),
    carryOut: { ...carryOutDepsOf(parts, members, signals), ...aroundTools },
  };
}

function toolChangesOf({ toolChanges, settings }: Parts): RunDeps['toolChanges'] {
  const { toolChange } = settings.standIns;
  if (toolChange === undefined) return toolChanges;
  return {
    get words() {
      return toolChange();
    },
    recorded: () => undefined,
  };
}

/** How the tools are described to the agent's model. */
export function schemaFormOf({ model }: LLM, confirmation: ConfirmationPolicy): SchemaForm {
  return { brief: model.briefTools, requiresRisk: dependsOnRisk(confirmation) };
}

export function condenseDepsOf(
  { agent, condenser, tools }: Parts,
  { models, meter, recorder }: Members,
  schemas: ToolSchemas,
  signal: AbortSignal,
): RunDeps['condense'] {
  const { usageId = 'agent' } = agent.llm;
  const purpose = usageId === 'agent' ? 'condenser' : `${usageId}-condenser`;
  return {
    ...{ condenser, tools, meter, signal },
    condenserLlm: () => models.get(purpose),
    get toolSchemas() {
      return schemas();
    },
    onNote: (text) => recorder.warn(text),
  };
}

function askDepsOf(
  parts: Parts,
  { meter, recorder, keeper, requests }: Members,
  schemas: ToolSchemas,
  signal: AbortSignal,
): RunDeps['ask'] {
  const { settings, condenser, tools, history, id } = parts;
  const { stream = false } = settings.model;
  return {
    ...{ condenser, tools, meter, signal },
    get toolSchemas() {
      return schemas();
    },
    cacheKey: id,
    onDelta: stream ? (delta) => recorder.notify({ type: 'delta', delta }) : undefined,
    onRetry: (retry) => recorder.notify({ type: 'retry', retry }),
    onNote: (text) => recorder.warn(text),
    onAnswer: (completion) => keeper.keepResponse(completion),
    onRequest: (prompt) => requests?.add(history.state.leafId ?? ROOT, prompt),
    onPrompt: settings.recording.onPrompt,
  };
}

function carryOutDepsOf(parts: Parts, members: Members, signals: Signals): RunDeps['carryOut'] {
  const { settings, tools, toolChanges, agent, history } = parts;
  const { confirmation } = settings.oversight;
  const { locks, recorder, inbox } = members;
  return {
    ...{ tools, locks, ...signals },
    isApproved: ({ id }) => inbox.approved.has(id),
    awaitsConsent: (name) => confirmation.kind !== 'NeverConfirm' && toolChanges.awaitsConsent(name),
    workspace: settings.workspace,
    conversation: toolConversationOf(parts, members),
    onStart: ({ id, tool_name: toolName }) => {
      if (inbox.approved.has(id)) toolChanges.consented(toolName);
      recorder.notify({ type: 'tool-start', toolName, actionId: id });
    },
    onProgress: ({ tool_name: toolName }, text) => recorder.notify({ type: 'tool-progress', toolName, text }),
    onOutput: ({ id, tool_name: toolName }, piece) =>
      recorder.notify({ type: 'tool-output', toolName, actionId: id, ...piece }),
    secrets: settings.recording.secrets,
    enrich: (action, result) => withFileKnowledge(action, result, parts, history.state.activatedPathRules),
    ...defined({ toolConcurrency: agent.toolConcurrency, execute: settings.standIns.execute }),
  };
}

/** The conversation as tools see it. */
function toolConversationOf(
  { id, files, knowledge, history }: Parts,
  { models, delegations }: Members,
): ToolConversation {
  return {
    ...{ id, files },
    llm: (usageId, profile) => models.for(usageId, profile),
    useModel: (profile) => models.use(profile),
    skill: (name) => skillNamed(name, knowledge),
    images: () => latestImages(history.view),
    delegate: (work) => delegations.run(work),
  };
}

/** Undefined if there are no automatic replies. An agent without a tool to finish ends by speaking, so it gets none. */
function replyDepsOf({ settings, tools }: Parts, { inbox }: Members, signal: AbortSignal): RunDeps['reply'] {
  const canFinish = tools.tools.some(({ endsRun }) => endsRun === true);
  const reply: Reply | undefined = canFinish ? replyOf(settings.oversight.autoContinue) : undefined;
  if (reply === undefined) return undefined;
  return async (said) => {
    const words = await unlessAborted(reply(said), signal); // an interrupt does not wait for a reply
    if (words === undefined || isExit(words)) return false;
    await inbox.send(words, { sender: SENDERS.autoContinue });
    return true;
  };
}
