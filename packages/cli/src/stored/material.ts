import {
  type Event,
  masker,
  parseEvent,
  readBaseState,
  readConversation,
  type Stats,
  secretsOf,
  serializeEvent,
  type ToV0Options,
  toV0,
} from '@longhand/sdk';

/** What there is of a conversation to be given away, the secrets of the environment hidden. */
export interface Material {
  readonly directory: string;
  /** The whole log. */
  readonly events: readonly Event[];
  readonly branch: readonly Event[];
  readonly accounts: readonly Stats[];
}

export async function readMaterial(directory: string, onWarning: (text: string) => void): Promise<Material> {
  const conversation = await readConversation(directory, { onWarning });
  try {
    const mask = masker(secretsOf(process.env));
    const masked = (event: Event): Event => {
      const source = serializeEvent(event);
      const hidden = mask(source);
      return hidden === source ? event : parseEvent(hidden);
    };
    const events = [...conversation.log.read()].map(([, event]) => masked(event));
    const branch = conversation.branch().map(masked);
    return { directory, events, branch, accounts: conversation.accounts() };
  } finally {
    await conversation.close();
  }
}

/** A trajectory as V0 writes it: indented by four. */
export function v0Text({ directory, branch, accounts }: Material, options: ToV0Options = {}): string {
  return `${JSON.stringify(toV0(branch, { ...options, accounts, ...modelOf(directory) }), null, 4)}\n`;
}

/** Which model the conversation names, if it names one. */
export function modelOf(directory: string): { readonly model?: string } {
  const model = readBaseState(directory)?.agent?.llm.model;
  return model === undefined ? {} : { model };
}
