import {
  type Event,
  masker,
  parseEvent,
  readBaseState,
  readConversation,
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
    return { directory, events, branch: conversation.branch().map(masked) };
  } finally {
    await conversation.close();
  }
}

/** A trajectory as V0 writes it: indented by four. */
export function v0Text({ directory, events, branch }: Material, options: ToV0Options = {}): string {
  return `${JSON.stringify(toV0(branch, { ...options, accounts: events, ...modelOf(directory) }), null, 4)}\n`;
}

/** Which model the conversation names, if it names one. */
export function modelOf(directory: string): { readonly model?: string } {
  const model = readBaseState(directory)?.agent?.llm.model;
  return model === undefined ? {} : { model };
}
