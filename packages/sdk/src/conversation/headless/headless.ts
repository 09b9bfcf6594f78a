/** A run that nobody watches (V0: `run_controller`): a task goes in, and how it ended comes out. */
import type { Content } from '../../event/content.ts';
import type { Stats } from '../../llm/accounts/metrics.ts';
import { Conversation } from '../conversation.ts';
import { DEFAULT_MAX_ITERATIONS, type OpenOptions, type OversightOptions } from '../open-options.ts';
import type { Outcome } from '../state/status.ts';
import { type ControlState, controlStateOf } from './control-state.ts';
import { EventStream, type Subscriber } from './event-stream.ts';

export interface HeadlessConfig extends OpenOptions {
  /**
   * What becomes of actions that wait for a person's consent, which nobody can give: `stop` ends the run with the outcome
   * `waiting`, `approve` carries them out, `reject` tells the agent that it may not. Default `stop`. Of a sub-agent such an action
   * is refused unless `approve` or `onConfirmation` says otherwise.
   */
  readonly onWaiting?: 'stop' | 'approve' | 'reject';
}

export interface HeadlessOptions {
  /** Ends the run as an interrupt does. */
  readonly signal?: AbortSignal;
  /** Told every event, from the first on, also those that were there before. */
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
 * Opens a conversation, or the stored one that `config.id` names, gives it the task, and lets the agent work until an outcome
 * that ends the run. `autoContinue` is on unless it is said otherwise. Without a task a stored conversation goes on where it
 * stopped. Rejects like `Conversation.open`, `send` and `run`; whatever happens, everything is closed then.
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
        if (signal?.aborted !== true) throw error; // else it is the interrupt, which is an outcome
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
      // Of an interrupt before the run there is nothing in the log.
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
      await stream.close(); // behind what is written at the end
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
    else await conversation.reject('Nobody is here who could agree to this action.');
  }
}
