import { text, textOf } from '../../event/content.ts';
import { truncateMiddle } from '../../event/truncate.ts';
import type { LLM } from '../../llm/llm.ts';
import { defined } from '../../value/defined.ts';
import { type Captured, capture } from '../../workspace/capture.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Hook } from './hook-config.ts';

/** The input of a hook. Nulls are written, as in the reference. */
export interface HookInput {
  readonly event_type: string;
  readonly tool_name: string | null;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
  readonly message: string | null;
  readonly session_id: string;
  readonly working_dir: string;
  readonly metadata: { readonly [key: string]: unknown };
}

export interface HookResult {
  readonly success: boolean;
  readonly blocked: boolean;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly reason?: string;
  readonly additionalContext?: string;
  readonly error?: string;
}

export interface HookDeps {
  readonly workspace: Workspace;
  readonly llm: () => Promise<LLM>;
  /** Runs an agent for the hook, and resolves to its last message. */
  readonly investigate: (hook: Hook, prompt: string, signal: AbortSignal) => Promise<string>;
  readonly signal: AbortSignal;
}

const MAX_CHARS = 50_000;

/** Runs one hook. Rejects only when `signal` is aborted. */
export async function runHook(hook: Hook, input: HookInput, deps: HookDeps): Promise<HookResult> {
  try {
    const result =
      hook.type === 'command' ? await runCommand(hook, input, deps) : await askJudge(hook, input, deps);
    return closed(hook, result);
  } catch (error) {
    deps.signal.throwIfAborted();
    const failed = {
      success: false,
      blocked: false,
      exitCode: -1,
      stdout: '',
      stderr: '',
      error: (error as Error).message,
    };
    return closed(hook, failed);
  }
}

/** Turns a failure into a refusal if the hook fails closed. */
function closed(hook: Hook, result: HookResult): HookResult {
  if (result.success || result.blocked || !hook.failClosed) return result;
  return {
    ...result,
    blocked: true,
    reason: result.reason ?? result.error ?? `the hook failed with exit code ${result.exitCode}`,
  };
}

async function runCommand(hook: Hook, input: HookInput, deps: HookDeps): Promise<HookResult> {
  const captured = await captureHook(hook, input, deps.workspace, deps.signal);
  const [stdout, stderr] = [cut(captured.stdout), cut(captured.stderr)];
  if (captured.exit === null) {
    const error = `the hook took longer than ${hook.timeoutMs / 1_000} s`;
    return { success: false, blocked: false, exitCode: -1, stdout, stderr, error };
  }
  return judged(captured.exit.code ?? -1, stdout, stderr);
}

/** Runs a hook's command, with its input on standard input and in the environment. Rejects with a WorkspaceError, or the signal's reason. */
export async function captureHook(
  { command = '', timeoutMs }: Hook,
  input: HookInput,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Captured> {
  const names = {
    PROJECT_DIR: workspace.root,
    SESSION_ID: input.session_id,
    EVENT_TYPE: input.event_type,
    TOOL_NAME: input.tool_name ?? '',
  };
  const env = Object.fromEntries(
    Object.entries(names).flatMap(([name, value]) => [
      [`OPENHANDS_${name}`, value],
      [`LONGHAND_${name}`, value],
    ]),
  );
  return await capture(workspace, ['/bin/sh', '-c', command], {
    env: { ...env, LLM_API_KEY: undefined, SESSION_API_KEY: undefined },
    input: JSON.stringify(input),
    timeoutMs,
    signal,
  });
}

/** The exit code takes precedence: output cannot revoke a refusal. */
function judged(exitCode: number, stdout: string, stderr: string): HookResult {
  const said = answerIn(stdout);
  const base = {
    exitCode,
    stdout,
    stderr,
    ...defined({ additionalContext: said.context }),
  };
  const reason = said.reason ?? (stderr.trim() === '' ? 'refused by a hook' : stderr.trim());
  if (exitCode === 2) return { ...base, success: false, blocked: true, reason };
  if (exitCode !== 0) return { ...base, success: false, blocked: false };
  return said.denies
    ? { ...base, success: true, blocked: true, reason }
    : { ...base, success: true, blocked: false };
}

interface Answer {
  readonly denies: boolean;
  readonly reason?: string;
  readonly context?: string;
}

/** Output that is not such an answer is ignored. */
function answerIn(stdout: string): Answer {
  let json: { readonly [key: string]: unknown };
  try {
    const value: unknown = JSON.parse(stdout);
    if (typeof value !== 'object' || value === null) return { denies: false };
    json = value as typeof json;
  } catch {
    return { denies: false };
  }
  const { decision, reason, additionalContext: context } = json;
  const denies =
    (typeof decision === 'string' && /^(deny|block)$/i.test(decision)) || json['continue'] === false;
  return {
    denies,
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(typeof context === 'string' && context !== '' ? { context } : {}),
  };
}

const JUDGE =
  'Decide by the policy below whether an agent may do what the event describes. Answer with JSON only: {"decision": "allow" or "deny", "reason": "in a sentence"}.';

/** Asks a model for one answer, or runs an agent that investigates. */
async function askJudge(hook: Hook, input: HookInput, deps: HookDeps): Promise<HookResult> {
  const { prompt = '', timeoutMs, type } = hook;
  const words = `${JUDGE}\n\n<POLICY>\n${prompt}\n</POLICY>\n\n<EVENT>\n${cut(JSON.stringify(input))}\n</EVENT>`;
  const limit = AbortSignal.any([deps.signal, AbortSignal.timeout(timeoutMs)]);
  const answer =
    type === 'agent' ? await deps.investigate(hook, words, limit) : await askModel(words, deps, limit);
  const stdout = answer.replace(/^```(?:json)?\s*|\s*```$/g, '');
  const said = judged(0, stdout, '');
  const isVerdict = /"decision"\s*:\s*"(allow|deny|block)"/i.test(stdout);
  return isVerdict ? said : { ...said, success: false, error: `the ${type} hook returned no verdict` };
}

async function askModel(words: string, { llm }: HookDeps, signal: AbortSignal): Promise<string> {
  const model = await llm();
  const { message } = await model.complete(
    { messages: [{ role: 'user', content: [text(words)] }], tools: [] },
    { signal },
  );
  return textOf(message.content);
}

function cut(words: string): string {
  return truncateMiddle(words, MAX_CHARS, '\n[...]\n');
}
