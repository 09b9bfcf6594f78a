import { textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { type Locks, LockTimeoutError } from '../tool/locks.ts';
import { type ExecuteDeps, execute } from './execute.ts';
import { CALL_AFTER_FINISH, cutOff, errorResult, rejection } from './results.ts';

export interface CarryOutDeps extends Omit<ExecuteDeps, 'requestCondensation'> {
  /** What calls must hold alone; shared with the conversations that work for this one. */
  readonly locks: Locks;
  /** How many calls of a turn run side by side, whatever they do; absent: those that cannot disturb each other. */
  readonly toolConcurrency?: number;
  /** What else is to be stored with a result: knowledge about the file that it came of, first the result itself. */
  readonly enrich?: (action: ActionEvent, result: Draft) => Promise<readonly Draft[]>;
  /** Asked before an action is carried out; what it says is stored first, and a refusal takes the place of the result. */
  readonly beforeTool?: (action: ActionEvent) => Promise<ToolVerdict>;
  /** Told of a result when it is stored. */
  readonly afterTool?: (action: ActionEvent, result: Draft) => Promise<readonly Draft[]>;
  /** In place of carrying actions out. */
  readonly execute?: typeof execute;
}

export interface ToolVerdict {
  readonly events: readonly Draft[];
  readonly refusal?: string;
}

/** Events that belong on disk together. */
export interface StepResult {
  readonly events: readonly Draft[];
  /** What the run ends with, if it ends. */
  readonly finished?: string;
}

/** Of calls that cannot disturb each other, when nobody says otherwise. */
const WIDTH = 8;

const CONDENSATION_REQUEST: Draft = { source: 'agent', kind: 'CondensationRequest' };

/**
 * Results come in the order of the calls, whatever ran side by side. What stands behind a call that ends the run is
 * answered, but not carried out.
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
        // Finding out what a call holds takes time: the next one stands in line behind it all the same.
        await keys.catch(() => undefined); // the call's result tells of it
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
      // Whoever stops reading must not leave a call running behind the log's back.
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

/** Runs of calls that may run side by side; each of the others stands alone, in its place. */
function* groupsOf(open: readonly ActionEvent[], deps: CarryOutDeps): Iterable<ActionEvent[]> {
  const { tools, toolConcurrency } = deps;
  const isFree = ({ tool_name: name }: ActionEvent) => {
    const tool = tools.get(name);
    if (tool?.endsRun === true) return false;
    return (
      toolConcurrency !== undefined || tool?.annotations.readOnlyHint === true || tool?.isolated === true
    );
  };
  // Calls of a tool that says nothing of what it holds would wait for each other, and not for ever.
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

/** Never rejects: whatever happens is a result. */
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
  if (error instanceof LockTimeoutError) return `${error.message}. Send it again when that one is done.`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Files are the same for everybody in a workspace; all else belongs to one conversation's tools. */
async function keysOf(action: ActionEvent, deps: CarryOutDeps): Promise<readonly string[]> {
  const tool = deps.tools.get(action.tool_name);
  if (tool === undefined || action.action === undefined || deps.execute !== undefined) return [];
  const { kind: _, ...fields } = action.action;
  const declared = tool.resources?.(tool.wrapsInput === true ? (fields['data'] as object) : fields);
  const keys = declared ?? [`tool:${tool.name}`];
  return await Promise.all(
    keys.map(async (key) =>
      key.startsWith('file:')
        ? `file:${await deps.workspace.realPath(key.slice('file:'.length)).catch(() => key.slice('file:'.length))}`
        : `${key}@${deps.conversation.id}`,
    ),
  );
}

/** The last words, if the call ends the run. */
function endOf(action: ActionEvent, result: Draft, { tools }: CarryOutDeps): string | undefined {
  if (tools.get(action.tool_name)?.endsRun !== true || result.kind !== 'ObservationEvent') return undefined;
  return result.observation.is_error === true ? undefined : textOf(result.observation.content as never);
}
