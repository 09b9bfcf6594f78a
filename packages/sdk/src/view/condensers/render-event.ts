import { type Content, textOf } from '../../event/content.ts';
import { observationContent } from '../../event/kinds/observation-content.ts';
import { isResult, type PromptEvent } from '../../event/kinds.ts';
import { messagesOf } from '../../event/projection.ts';
import { remembered } from '../../value/remembered.ts';

/** An event as text for a summarizing model: who did what with which arguments, and the result. */
export const renderEvent = remembered(wordsOf);

function wordsOf(event: PromptEvent): string {
  switch (event.kind) {
    case 'SystemPromptEvent':
      return [event.system_prompt.text, event.dynamic_context?.text ?? ''].join('\n');
    case 'MessageEvent':
      return `${event.source}: ${textOf([...event.llm_message.content, ...(event.extended_content ?? [])] as Content[])}`;
    case 'CondensationSummaryEvent':
      return `summary of what came before: ${event.summary}`;
    case 'ActionEvent': {
      const thought = textOf(event.thought);
      return `agent${thought === '' ? '' : `: ${thought}`}\ncalls ${event.tool_name}: ${event.tool_call.arguments}`;
    }
    default:
      return isResult(event)
        ? `result of ${event.tool_name}: ${resultWords(event)}`
        : textOf(messagesOf([event]).flatMap(({ content }) => content));
  }
}

function resultWords(event: Extract<PromptEvent, { tool_call_id: string }>): string {
  if (event.kind === 'ObservationEvent') return textOf(observationContent(event.observation));
  if (event.kind === 'AgentErrorEvent') return event.error;
  return event.kind === 'UserRejectObservation' ? `refused: ${event.rejection_reason ?? ''}` : '';
}
