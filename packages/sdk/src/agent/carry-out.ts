import { textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { inputOf } from '../tool/input-of.ts';
import { type Locks, LockTimeoutError } from '../tool/locks.ts';
import { type ExecuteDeps, execute } from './execute.ts';
import { CALL_AFTER_FINISH, cutOff, errorResult, rejection } from './results.ts';

export interface CarryOutDeps extends Omit<ExecuteDeps, 'requestCondensation'> {
  /** The resources that a call must hold exclusively; shared with the sub-agents' conversations. */
  readonly locks: Locks;
  /** Whether the tool has changed, and a person has to approve its next call. */
  readonly awaitsConsent: (toolName: string) => boolean;
  /** How many calls of a turn run in parallel, whatever they do. Default: those that cannot affect each other. */
  readonly toolConcurrency?: number;
  /** Returns the result, with knowledge about its files added, followed by events to store with it. */
  readonly enrich?: (action: ActionEvent, result: Draft) => Promise<readonly Draft[]>;
  /** Called before an action is executed. Its events are stored first; a refusal replaces the result. */
  readonly beforeTool?: (action: ActionEvent) => Promise<ToolVerdict>;
  /** Called when a result is stored. */
  readonly afterTool?: (action: ActionEvent, result: Draft) => Promise<readonly Draft[]>;
  /** Replaces the execution of actions. */
  readonly execute?: typeof execute;
}

export interface ToolVerdict {
  readonly events: readonly Draft[];
  readonly refusal?: string;
}

/** Events that are stored together. */
export interface StepResult {
  readonly events: readonly Draft[];
  /** The agent's last words, if the run may end with these events. */
  readonly finished?: string;
}

/** How many calls that cannot affect each other run in parallel by default. */
const WIDTH = 8;

const CONDENSATION_REQUEST: Draft = { source: 'agent', kind: 'CondensationRequest' };

/**
 * Executes the calls of a turn. Results come in the order of the calls, whatever ran in parallel. Calls behind one that ends the run
 * get an error result and are not executed.
 */
export async function* carryOut(
  open: readonly ActionEvent[],
  deps: CarryOutDeps,
): AsyncGenerator<StepResult> {
  let done = 0;
  for (const group of groupsOf(open, deps)) {
    const running: { readonly action: ActionEvent; readonly result: Promise<Carried> }[] = [];
    try {
      for (const action of group) {
        const verdict = await deps.beforeTool?.(action);
        if (verdict !== undefined && verdict.events.length > 0) yield { events: verdict.events };
        const { refusal } = verdict ?? {};
        if (refusal !== undefined) {
          const draft = rejection(action, refusal, 'hook');
          running.push({ action, result: Promise.resolve({ draft, wantsRoom: false, wasRefused: true }) });
          continue;
        }
        const keys = keysOf(action, deps);
        running.push({ action, result: carry(action, keys, deps) });
        // Finding out what a call holds takes time; the next call still queues behind it.
        await keys.catch(() => undefined); // reported by the call's result
      }
      for (const { action, result } of running) {
        const { draft: bare, wantsRoom, wasRefused } = await result;
        done += 1;
        if (wasRefused) {
          yield { events: [bare] };
          continue;
        }
        const [draft = bare, ...beside] = (await deps.enrich?.(action, bare)) ?? [bare];
        const ending = endOf(action, draft, deps);
        if (ending !== undefined) {
          const unanswered = open.slice(done).map((rest) => errorResult(rest, CALL_AFTER_FINISH));
          yield { events: [draft, ...unanswered], finished: ending };
          return;
        }
        yield { events: [draft, ...beside, ...(wantsRoom ? [CONDENSATION_REQUEST] : [])] };
        const after = (await deps.afterTool?.(action, draft)) ?? [];
        if (after.length > 0) yield { events: after };
      }
    } finally {
      // No call may keep running unrecorded when the caller stops reading.
      await Promise.all(running.map(({ result }) => result));
    }
    if (deps.signal.aborted) return;
  }
}

interface Carried {
  readonly draft: Draft;
  readonly wantsRoom: boolean;
  readonly wasRefused: boolean;
}

/** Groups calls that may run in parallel; every other call is a group of its own, in its place. */
function* groupsOf(open: readonly ActionEvent[], deps: CarryOutDeps): Iterable<ActionEvent[]> {
  const { tools, toolConcurrency } = deps;
  const isFree = ({ tool_name: name }: ActionEvent) => {
    const tool = tools.get(name);
    if (tool?.endsRun === true) return false;
    return (
      toolConcurrency !== undefined || tool?.annotations.readOnlyHint === true || tool?.isolated === true
    );
  };
  // Calls of a tool that does not declare its resources would wait for each other, until a time limit.
  const mustWait = ({ tool_name: name }: ActionEvent, group: readonly ActionEvent[]) =>
    toolConcurrency === undefined &&
    tools.get(name)?.resources === undefined &&
    group.some((other) => other.tool_name === name);
  const width = toolConcurrency ?? WIDTH;
  let group: ActionEvent[] = [];
  for (const action of open) {
    const free = isFree(action);
    if (group.length > 0 && (!free || group.length >= width || mustWait(action, group))) {
      yield group;
      group = [];
    }
    if (free) group.push(action);
    else yield [action];
  }
  if (group.length > 0) yield group;
}

/** Never rejects: every failure is a result. */
async function carry(
  action: ActionEvent,
  keys: Promise<readonly string[]>,
  deps: CarryOutDeps,
): Promise<Carried> {
  let wantsRoom = false;
  const requestCondensation = () => {
    wantsRoom = true;
  };
  const act = () => (deps.execute ?? execute)(action, { ...deps, requestCondensation });
  try {
    const draft = await deps.locks.with(await keys, deps.signal, act);
    return { draft, wantsRoom, wasRefused: false };
  } catch (error) {
    const reason = deps.signal.aborted ? cutOff(deps.signal) : notBegun(error);
    return { draft: errorResult(action, reason), wantsRoom: false, wasRefused: false };
  }
}

function notBegun(error: unknown): string {
  if (error instanceof LockTimeoutError)
    return `${error.message}. Send the call again when the other call has finished.`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Files are shared by everyone in a workspace; any other resource belongs to one conversation's tools. */
async function keysOf(action: ActionEvent, deps: CarryOutDeps): Promise<readonly string[]> {
  const tool = deps.tools.get(action.tool_name);
  if (tool === undefined || action.action === undefined || deps.execute !== undefined) return [];
  const declared = tool.resources?.(inputOf(tool, action.action));
  const keys = declared ?? [`tool:${tool.name}`];
  return await Promise.all(
    keys.map(async (key) =>
      key.startsWith('file:')
        ? `file:${await deps.workspace.realPath(key.slice('file:'.length)).catch(() => key.slice('file:'.length))}`
        : `${key}@${deps.conversation.id}`,
    ),
  );
}

/** The agent's last words, if the call ends the run. */
function endOf(action: ActionEvent, result: Draft, { tools }: CarryOutDeps): string | undefined {
  if (tools.get(action.tool_name)?.endsRun !== true || result.kind !== 'ObservationEvent') return undefined;
  return result.observation.is_error === true ? undefined : textOf(result.observation.content as never);
}
