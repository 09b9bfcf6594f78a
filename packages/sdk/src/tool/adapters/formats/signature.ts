/**
 * Functions written for the OpenAI SDK take `(context, paramsJson)`, newer ones `(params)` or `(params, call)`. Two parameters can mean
 * either, so their names are read; the function is never called to find out.
 */
import type { Signature } from '../format.ts';

const CONTEXT = /^_*(run_?)?(context|ctx)(_?wrapper)?$/i;
/** Nobody uses these names for the second parameter of `(params, call)`. */
const ARGUMENTS = /json|str(ing)?$|raw|^_*(params|args|arguments|input)$/i;
const FIRST_TWO =
  /^(?:async\s+)?(?:function\b\s*\*?)?\s*\*?\s*[\w$]*\s*\(\s*([\w$]+)\s*(?:=\s*\{\s*\}|[^,(){}]*),\s*([\w$]+)/;

/** `context-and-json` if the parameters' names say so, otherwise `params`. */
export function signatureOf(run: (...args: never[]) => unknown): Signature {
  const [, first = '', second = ''] = FIRST_TWO.exec(String(run)) ?? [];
  return CONTEXT.test(first) || ARGUMENTS.test(second) ? 'context-and-json' : 'params';
}
