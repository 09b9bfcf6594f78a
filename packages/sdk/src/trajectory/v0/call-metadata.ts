import type { ActionEvent } from '../../event/kinds.ts';
import { isRecord } from '../../value/is-record.ts';
import { objectIn } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';
import { TrajectoryError } from '../trajectory-error.ts';

/** The call and the response that an element belongs to, and the text of that response. */
export interface CallMetadata {
  readonly id: string;
  readonly name: string;
  readonly responseId: string | undefined;
  /** Undefined if it is not kept. */
  readonly response: Json | undefined;
  /** Whether it is the first call of its response; undefined if the calls are not stored. */
  readonly isFirst: boolean | undefined;
  /** As the model wrote them; undefined if the response is not stored. */
  readonly arguments: string | undefined;
  readonly written: Json;
  readonly said: string | undefined;
  readonly reasoning: string | undefined;
  readonly thinking: ActionEvent['thinking_blocks'];
}

/** Undefined if the element does not belong to a model's call. Throws TrajectoryError. */
export function callMetadata(element: Json): CallMetadata | undefined {
  const { tool_call_metadata: metadata } = element;
  if (!isRecord(metadata)) return undefined;
  const { function_name: name, tool_call_id: id, model_response: response } = metadata;
  if (typeof name !== 'string' || typeof id !== 'string')
    throw new TrajectoryError('"tool_call_metadata" must have function_name and tool_call_id');
  const answer = isRecord(response) ? response : {};
  const [choice] = Array.isArray(answer['choices']) ? (answer['choices'] as unknown[]) : [];
  const message = isRecord(choice) && isRecord(choice['message']) ? choice['message'] : {};
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
  const called = calls.find((call) => call['id'] === id)?.['function'];
  const args = isRecord(called) ? called['arguments'] : undefined;
  const { content, reasoning_content: reasoning, thinking_blocks: thinking } = message;
  return {
    id,
    name,
    isFirst: calls.length === 0 ? undefined : calls[0]?.['id'] === id,
    response: isRecord(response) ? response : undefined,
    responseId: typeof answer['id'] === 'string' ? answer['id'] : undefined,
    arguments: typeof args === 'string' ? args : undefined,
    written: objectIn(args) ?? {},
    said: typeof content === 'string' ? content : undefined,
    reasoning: typeof reasoning === 'string' ? reasoning : undefined,
    thinking: Array.isArray(thinking) ? (thinking as ActionEvent['thinking_blocks']) : [],
  };
}
