import type { ToolFactory } from '@longhand/sdk';
import * as z from 'zod';

/**
 * Parses the params of a tool in an agent's specification; a null counts as absent. Throws an Error that names the tool and each param
 * that is invalid or unknown: a param that is ignored might have been a limit.
 */
export function toolParams<Shape extends z.ZodRawShape>(
  tool: string,
  shape: Shape,
  given: object,
): z.output<z.ZodObject<Shape>> {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const parsed = z.strictObject(shape).safeParse(said);
  if (parsed.success) return parsed.data as z.output<z.ZodObject<Shape>>;
  const wrong = parsed.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return `unknown param ${issue.keys.join(', ')}; available: ${Object.keys(shape).join(', ') || 'none'}`;
    const reason = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return `param ${issue.path.join('.')}: ${reason}`;
  });
  throw new Error(`${tool}: ${wrong.join('; ')}`);
}

/** A factory that rejects all params. */
export function withoutParams(factory: ToolFactory): ToolFactory {
  const { name, create } = factory;
  return {
    ...factory,
    create: (environment, given) => {
      toolParams(name, {}, given);
      return create(environment, {});
    },
  };
}
