import type { Draft } from '../event/draft.ts';
import type { Message } from '../event/message.ts';
import type { LLM, ToolSchema } from '../llm/llm.ts';
import type { TokenMeter } from '../llm/tokens/token-meter.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import type { CondensationDraft, Condenser } from '../view/condensers/condenser.ts';
import { View } from '../view/view.ts';

export interface CondenseDeps {
  readonly llm: LLM;
  readonly tools: ToolSet;
  readonly toolSchemas: readonly ToolSchema[];
  readonly condenser: Condenser;
  /** The condenser's own model. */
  readonly condenserLlm: () => Promise<LLM>;
  readonly meter: TokenMeter;
  readonly signal: AbortSignal;
  readonly onNote?: ((text: string) => void) | undefined;
}

/** The messages to send, or the events to store before anything is sent. */
export type Prepared =
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'events'; readonly events: readonly Draft[] };

/** Gives the condenser the view. A condensation that does not shorten the prompt is refused, so that condensing cannot loop. */
export async function condense(view: View, deps: CondenseDeps): Promise<Prepared> {
  const { llm, meter, toolSchemas: tools } = deps;
  const messages = view.messages();
  const tokens = meter.estimate({ messages, tools });
  const condensed = await deps.condenser.condense(view, {
    llm: deps.condenserLlm,
    tokens: (limit) => meter.count({ messages, tools }, limit, llm.model),
    // The window is looked up only once an answer has shown how long the prompt really is.
    contextWindow: llm.model.contextWindow ?? (meter.hasCounted ? await llm.contextWindow?.() : undefined),
    hiddenWhenOld: (observation) => deps.tools.hiddenWhenOld(observation),
    signal: deps.signal,
    onNote: (text) => deps.onNote?.(text),
  });
  if (condensed.kind === 'view') return { kind: 'messages', messages };
  if (condensed.kind === 'messages') return condensed;
  const shorter = viewAfter(view, condensed.condensation);
  const after = meter.estimate({ messages: shorter.messages(), tools });
  if (after >= tokens) {
    deps.onNote?.(`a condensation from ${tokens} to ${after} tokens was refused`);
    return { kind: 'messages', messages };
  }
  const record = {
    tokens_before: tokens,
    tokens_after: after,
    events_before: view.events.length,
    events_after: shorter.events.length,
  };
  return {
    kind: 'events',
    events: [
      { source: 'environment', ...condensed.condensation, kind: 'Condensation' },
      { source: 'environment', key: 'condensation', value: record, kind: 'ConversationStateUpdateEvent' },
    ],
  };
}

function viewAfter(view: View, condensation: CondensationDraft): View {
  const scratch = new View(view.render);
  scratch.restore(view.events, view.openActions(), false);
  scratch.append({
    id: 'scratch',
    timestamp: '',
    source: 'environment',
    ...condensation,
    kind: 'Condensation',
  });
  return scratch;
}
