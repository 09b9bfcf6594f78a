import { movesHead } from '../event/kinds.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import type { Completion } from '../llm/llm.ts';
import type { Durability, EventLog } from '../log/event-log.ts';
import { maskDeep, masker } from '../security/mask.ts';
import type { Parts } from './parts.ts';
import type { Recorder } from './run/recorder.ts';
import type { History } from './state/history.ts';
import { serializeBaseState } from './store/base-state.ts';
import { BaseStateFile } from './store/base-state-file.ts';
import { saveCheckpoint } from './store/checkpoint.ts';
import { forkDirectory } from './store/fork.ts';
import { KeptResponses } from './store/responses.ts';

/** Whether HEAD was moved before the first event, as opposed to a log without events. */
function isHeadEmpty(log: EventLog, { state }: History): boolean {
  return state.leafId === null && Iterator.from(log.read()).some(([, event]) => movesHead(event));
}

/**
 * Keeps the files beside the log up to date: `base_state.json` for other programs, the checkpoint for the next opening, and the responses of
 * the model's provider.
 */
export class Keeper {
  readonly #parts: Parts;
  readonly #recorder: Recorder;
  readonly #currentLlm: () => LlmConfig;
  readonly #file: BaseStateFile | null;
  readonly #responses: KeptResponses | null;
  readonly #mask: (text: string) => string;
  #checkpointedLength = -1;

  /** `currentLlm` is how the agent's model is configured now: that may change during a conversation. */
  constructor(parts: Parts, recorder: Recorder, currentLlm: () => LlmConfig) {
    this.#parts = parts;
    this.#recorder = recorder;
    this.#currentLlm = currentLlm;
    const { directory, history, settings } = parts;
    this.#responses = directory === null ? null : new KeptResponses(directory);
    this.#mask = masker(settings.recording.secrets ?? []);
    if (directory === null) this.#file = null;
    else {
      const current = () => ({ state: history.state, serialize: () => this.baseState() });
      const file = new BaseStateFile(directory, current, (text) => recorder.warn(text));
      recorder.subscribe({ onEvent: () => file.saveSoon() });
      this.#file = file;
    }
  }

  /** The content of `base_state.json`. */
  baseState(): string {
    const { id, agent, settings, directory, tags, history, log, stored } = this.#parts;
    const { limits, oversight, workspace } = settings;
    return serializeBaseState({
      id,
      agent: { ...agent, llm: this.#currentLlm() },
      workingDir: workspace.root,
      directory: directory ?? '',
      maxIterations: limits.maxIterations,
      stuckDetection: limits.stuckDetection,
      confirmation: oversight.confirmation,
      tags,
      state: history.state,
      isHeadEmpty: isHeadEmpty(log, history),
      before: stored,
    });
  }

  /** Never rejects: a failure is a warning. */
  async saveBaseState(durability?: Durability): Promise<void> {
    await this.#file?.save(durability);
  }

  /** Saves what is out of date. Never rejects: a failure is a warning, since the log has it all. */
  async save(): Promise<void> {
    const { directory, log, history } = this.#parts;
    if (directory === null) return;
    const isCheckpointed = this.#checkpointedLength === log.length;
    this.#checkpointedLength = log.length;
    const checkpointed = isCheckpointed ? undefined : saveCheckpoint(directory, log, history);
    await Promise.all([
      this.saveBaseState(),
      checkpointed?.catch((error: unknown) =>
        this.#recorder.warn(`the checkpoint was not written: ${String(error)}`),
      ),
    ]);
  }

  /** Keeps the provider's own words beside the event that they become. Never throws: a failure is a warning. */
  keepResponse({ id, raw }: Completion): void {
    if (raw === undefined || this.#responses === null) return;
    try {
      this.#responses.keep(id, maskDeep(raw, this.#mask));
    } catch (error) {
      this.#recorder.warn(`the response of the model was not kept: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.#responses?.close();
  }

  /** Copies the history up to and including event `at` into a new conversation beside this one, and returns its id. */
  async fork(options: { readonly at?: number }): Promise<string> {
    const { directory, settings } = this.#parts;
    const { conversationsDir } = settings.place;
    if (directory === null || conversationsDir === undefined)
      throw new Error('a conversation that is not stored cannot be forked');
    await this.#recorder.settled();
    await this.save();
    const onWarning = (text: string) => this.#recorder.warn(text);
    return await forkDirectory(directory, { ...options, conversationsDir, onWarning });
  }
}
