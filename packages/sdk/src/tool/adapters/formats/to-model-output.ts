/**
 * `toModelOutput` of the AI SDK takes the output itself in version 5, and `{toolCallId, input, output}` since version 6. Nothing in a tool
 * tells the versions apart but the function, so its text is read; it is not called to find out.
 */

const PARAMETER = /^(?:async\s+)?(?:function\b[^(]*)?(?:[\w$]+\s*)?\(?\s*(\{[^}]*\}|[\w$]+)/;

/** Whether the function takes the output alone, as in version 5. */
export function takesOutputAlone(toModelOutput: (...args: readonly never[]) => unknown): boolean {
  const source = String(toModelOutput);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) return false;
  const [, parameter = ''] = PARAMETER.exec(source) ?? [];
  if (parameter.startsWith('{')) return !/\b(output|toolCallId)\b/.test(parameter);
  const name = parameter.replaceAll('$', '\\$&');
  const reads = new RegExp(`(?<![\\w$])${name}\\??\\.(output|toolCallId)\\b`);
  const destructures = new RegExp(`\\{[^}]*\\b(output|toolCallId)\\b[^}]*\\}\\s*=\\s*${name}(?![\\w$])`);
  return parameter !== '' && !reads.test(source) && !destructures.test(source);
}
