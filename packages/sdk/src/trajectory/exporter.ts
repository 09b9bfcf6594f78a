import type { FindResponse } from '../conversation/store/responses.ts';
import type { Event } from '../event/kinds.ts';
import type { RenderObservation } from '../event/projection.ts';
import type { Stats } from '../llm/accounts/metrics.ts';

/** A stored conversation as exporters receive it. */
export interface ExportMaterial {
  readonly id: string;
  /** The whole log. */
  readonly events: readonly Event[];
  /** The events of the active branch, from its root. */
  readonly branch: readonly Event[];
  /** The model's accounts, in order. */
  readonly accounts: readonly Stats[];
  /** The name of the agent, if the conversation gives it. */
  readonly agent?: string | undefined;
  /** The model that the conversation names, if any. */
  readonly model?: string | undefined;
  /** The program that exports, such as `Longhand 0.1.0`. */
  readonly version?: string | undefined;
  /** The whole responses of the model's provider, by their ids, as far as they were kept. */
  readonly responses?: FindResponse | undefined;
  /** The text of `base_state.json`, if there is one. */
  readonly baseState?: string | undefined;
  /** How the tools of the conversation show their observations to the model. */
  readonly render: () => Promise<RenderObservation>;
}

/** Options of the user. */
export interface ExportOptions {
  /** The role in chat messages of what the agent says without a call; default `agent`. */
  readonly speaker?: 'agent' | 'assistant';
}

/** A format for exporting conversations: one text, or a folder of files. */
export interface Exporter {
  /** A short description for the help. */
  readonly about: string;
  /** The whole text. */
  text?(material: ExportMaterial, options: ExportOptions): string | Promise<string>;
  /** Writes a folder that does not exist yet. */
  folder?(material: ExportMaterial, directory: string): Promise<void>;
}
