/**
 * Gemini signs its tool calls and wants the signature back with them. It travels in the call's id, behind `__thought__`, as
 * LiteLLM does it, so that every writer and reader of the log keeps it; who does not need it is given the id without.
 */
const SEPARATOR = '__thought__';

export function signedCallId(id: string, signature: string): string {
  return `${id}${SEPARATOR}${signature}`;
}

export function bareCallId(id: string): string {
  const at = id.indexOf(SEPARATOR);
  return at === -1 ? id : id.slice(0, at);
}

export function thoughtSignature(id: string): string | undefined {
  const at = id.indexOf(SEPARATOR);
  return at === -1 ? undefined : id.slice(at + SEPARATOR.length);
}
