/**
 * Gemini signs its tool calls and expects the signature back. It travels in the call's id after `__thought__`, as in LiteLLM, so that
 * every writer and reader of the log keeps it; other endpoints get the id without it.
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
