/** An unattended run (V0: `run_controller`): a task in, an outcome out. */
import type { Content } from '../../event/content.ts';
import type { Stats } from '../../llm/accounts/metrics.ts';
import { Conversation } from '../conversation.ts';
import { DEFAULT_MAX_ITERATIONS, type OpenOptions, type OversightOptions } from '../open-options.ts';
import type { Outcome } from '../state/status.ts';
import { type ControlState, controlStateOf } from './control-state.ts';
import { EventStream, type Subscriber } from './event-stream.ts';

export interface HeadlessConfig extends OpenOptions {
  /**
   * What happens to actions that need a person's consent: `stop` ends the run with the outcome `waiting`, `approve` executes them, `reject`
   * tells the agent that they are not allowed. Default `stop`. Such an action of a sub-agent is rejected, unless `approve` or
   * `onConfirmation` says otherwise.
   */
  readonly onWaiting?: 'stop' | 'approve' | 'reject';
}

export interface HeadlessOptions {
  /** Interrupts the run. */
  readonly signal?: AbortSignal;
  /** Receive every event from the first on, including those that were stored before. */
  readonly subscribers?: { readonly [id: string]: Subscriber };
}

/** How a headless run ended, what it cost, and where it is stored. */
export interface HeadlessResult {
  readonly id: string;
  /** Null if it is not stored. */
  readonly directory: string | null;
  readonly outcome: Outcome;
  /** As V0 names it. */
  readonly state: ControlState;
  readonly stats: Stats;
}

/**
 * Opens a conversation, or resumes the one that `place.id` names, sends the task, and runs the agent until an outcome ends the run.
 * `autoContinue` is on by default. The task `/exit` asks no model. Without a task, a stored conversation continues where it stopped. Rejects like `Conversation.open`, `send`
 * and `run`; in any case everything is closed.
 */
export async function runHeadless(
  config: HeadlessConfig,
  task?: string | readonly Content[],
  { signal, subscribers = {} }: HeadlessOptions = {},
): Promise<HeadlessResult> {
  const { onWaiting = 'stop', ...options } = config;
  signal?.throwIfAborted();
  const { autoContinue = true, onConfirmation = consentOf(onWaiting) } = options.oversight ?? {};
  const conversation = await Conversation.open({
    ...options,
    oversight: { ...options.oversight, autoContinue, onConfirmation },
  });
  const stream = new EventStream(conversation);
  for (const [id, tell] of Object.entries(subscribers)) stream.subscribe(id, tell, { from: 0 });
  const interrupt = () => conversation.interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    if (task !== undefined && signal?.aborted !== true) {
      await conversation.send(task).catch((error: unknown) => {
        if (signal?.aborted !== true) throw error; // an interrupt is an outcome, not an error
      });
    }
    const outcome: Outcome =
      signal?.aborted === true
        ? { kind: 'interrupted' }
        : await untilDone(conversation, onWaiting, options.limits?.maxIterations ?? DEFAULT_MAX_ITERATIONS);
    return {
      id: conversation.id,
      directory: conversation.directory,
      outcome,
      // An interrupt before the run leaves nothing in the log.
      state:
        outcome.kind === 'interrupted'
          ? 'paused'
          : controlStateOf(conversation.state.status, conversation.view.events.at(-1)),
      stats: conversation.state.stats,
    };
  } finally {
    signal?.removeEventListener('abort', interrupt);
    try {
      await conversation.close();
    } finally {
      await stream.close(); // after the events that closing writes
    }
  }
}

function consentOf(onWaiting: 'stop' | 'approve' | 'reject'): OversightOptions['onConfirmation'] {
  return onWaiting === 'approve' ? async () => 'approve' : undefined;
}

async function untilDone(
  conversation: Conversation,
  onWaiting: 'stop' | 'approve' | 'reject',
  maxAnswers: number,
): Promise<Outcome> {
  for (let answers = 0; ; answers += 1) {
    const outcome = await conversation.run();
    if (outcome.kind !== 'waiting' || onWaiting === 'stop' || answers >= maxAnswers) return outcome;
    if (onWaiting === 'approve') await conversation.approve();
    else
      await conversation.reject(
        'This action needs the consent of a user, and no user is available. Use another approach, or skip this step.',
      );
  }
}
