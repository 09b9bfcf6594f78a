/** One instance from its repository to its result. After a kill it continues with whatever was done before. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogError, readConversation } from '@longhand/sdk';
import {
  acquireWriterLock,
  conversationDirectory,
  makeFolder,
  totalCostUsd,
  writeFileAtomic,
} from '@longhand/sdk/internal';
import { EXIT } from '../exit-code.ts';
import { GitError } from '../repository/git.ts';
import { SCHEMA_VERSION, tokensOf } from '../view/own-lines.ts';
import { type RunEnd, runChild } from './child.ts';
import type { Instance } from './instance.ts';
import { patchOf } from './patch.ts';
import { isRunStatus, type Result } from './results.ts';
import type { Origin, Sources } from './sources.ts';
import { makeWorkspace } from './workspace.ts';

export interface InstanceDeps {
  readonly out: string;
  readonly sources: Sources;
  readonly model: string;
  /** Arguments for `longhand run`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Null if it was interrupted and can be continued. Rejects only if the folder cannot be written. */
export async function runInstance(instance: Instance, deps: InstanceDeps): Promise<Result | null> {
  const folder = join(deps.out, 'instances', instance.folder);
  const workspace = join(folder, 'workspace');
  try {
    const origin = await deps.sources.originOf(instance);
    makeFolder(folder);
    await makeWorkspace(workspace, origin);
    const id = await conversationOf(folder, instance);
    await untilFree(conversationDirectory(join(deps.out, 'conversations'), id), deps.signal);
    const end = await runChild(await wordsFor(id, instance, workspace, folder, deps), {
      logFile: join(folder, 'log.txt'),
      env: deps.env,
      signal: deps.signal,
    });
    if (wasInterrupted(end, deps.signal)) return null;
    return await resultOf(end, { id, workspace, origin, folder }, instance, deps);
  } catch (error) {
    if (deps.signal.aborted) return null;
    if (!(error instanceof GitError)) throw error;
    return failed(instance, deps, null, 'RepositoryError', error.message);
  }
}

/** Chosen once and stored before anything runs, so that a kill never leads to a second conversation. */
async function conversationOf(folder: string, { id, task }: Instance): Promise<string> {
  const path = join(folder, 'instance.json');
  if (existsSync(path)) {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as { readonly conversation_id: string };
    return stored.conversation_id;
  }
  const conversationId = randomUUID();
  await writeFileAtomic(join(folder, 'task.md'), task, 'power', { mode: 0o644 });
  const facts = { schema_version: SCHEMA_VERSION, instance_id: id, conversation_id: conversationId };
  await writeFileAtomic(path, `${JSON.stringify(facts, null, 2)}\n`, 'power', { mode: 0o644 });
  return conversationId;
}

async function wordsFor(
  id: string,
  { folder: name }: Instance,
  workspace: string,
  folder: string,
  { out, flags }: InstanceDeps,
): Promise<string[]> {
  const conversations = join(out, 'conversations');
  const common = [`--conversations-dir=${conversations}`, '-d', workspace, ...flags];
  return (await hasTask(conversationDirectory(conversations, id)))
    ? [`--resume=${id}`, ...common]
    : [`--id=${id}`, `--name=${name}`, `--file=${join(folder, 'task.md')}`, ...common];
}

/** After a batch was killed, its runs end by themselves, which takes a moment. */
async function untilFree(directory: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 100 && !signal.aborted && existsSync(directory); tries += 1) {
    try {
      (await acquireWriterLock(directory)).release();
      return;
    } catch (error) {
      if (!(error instanceof LogError && error.code === 'locked')) throw error;
      await sleep(300);
    }
  }
}

/** Whether the task was sent already. */
async function hasTask(directory: string): Promise<boolean> {
  if (!existsSync(join(directory, 'events'))) return false;
  const stored = await readConversation(directory);
  try {
    return stored.state.lastUserMessageId !== null;
  } finally {
    await stored.close();
  }
}

function wasInterrupted({ outcome, exitCode }: RunEnd, { aborted }: AbortSignal): boolean {
  if (outcome !== undefined) return outcome.status === 'interrupted' || outcome.status === 'paused';
  return aborted || exitCode === 130;
}

interface Run {
  readonly id: string;
  readonly workspace: string;
  readonly origin: Origin;
  readonly folder: string;
}

async function resultOf(
  { outcome, model, exitCode, signal, complaint }: RunEnd,
  { id, workspace, origin, folder }: Run,
  instance: Instance,
  deps: InstanceDeps,
): Promise<Result> {
  if (outcome === undefined || !isRunStatus(outcome.status)) {
    const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
    const why = complaint || `the run ended with ${how} without a message`;
    const spent = await spentOn(conversationDirectory(join(deps.out, 'conversations'), id));
    return { ...failed(instance, deps, id, 'RunError', why), ...spent };
  }
  const patch = await patchOf(workspace, origin, folder).catch((error: unknown) => {
    if (error instanceof GitError) return error;
    throw error;
  });
  const head = { instance_id: instance.id, model_name_or_path: model ?? deps.model };
  const facts = {
    conversation_id: id,
    cost_usd: outcome.cost_usd,
    tokens: outcome.tokens,
    duration_ms: outcome.duration_ms,
  };
  if (patch instanceof GitError) {
    const detail = `no patch could be made of ${workspace}: ${patch.message}`;
    return {
      ...head,
      model_patch: '',
      status: 'error',
      ...facts,
      exit_code: EXIT.error,
      code: 'PatchError',
      detail,
    };
  }
  const { status, exit_code, message, code, detail } = outcome;
  return { ...head, model_patch: patch, status, ...facts, exit_code, message, code, detail };
}

/** Taken from the log: a run that was killed reports nothing. */
async function spentOn(directory: string): Promise<Pick<Result, 'cost_usd' | 'tokens'> | undefined> {
  if (!existsSync(directory)) return undefined;
  const stored = await readConversation(directory);
  try {
    const { stats } = stored.state;
    return { cost_usd: totalCostUsd(stats), tokens: tokensOf(stats) };
  } finally {
    await stored.close();
  }
}

function failed(
  { id: instanceId }: Instance,
  { model }: InstanceDeps,
  conversationId: string | null,
  code: string,
  detail: string,
): Result {
  return {
    instance_id: instanceId,
    model_name_or_path: model,
    model_patch: '',
    status: 'error',
    conversation_id: conversationId,
    cost_usd: 0,
    tokens: { prompt: 0, completion: 0, cache_read: 0, cache_write: 0, reasoning: 0 },
    duration_ms: 0,
    exit_code: EXIT.error,
    code,
    detail,
  };
}
