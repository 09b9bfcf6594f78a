import type { ToolFactory } from '@longhand/sdk';
import * as z from 'zod';

/**
 * What an agent's specification says of a tool, as the schema yields it; a null is as good as nothing. Throws an Error that
 * names the tool, and each param that is wrong or unknown: one that is passed over might have been a limit.
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
      return `there is no param ${issue.keys.join(', ')}, but ${Object.keys(shape).join(', ') || 'none at all'}`;
    const reason = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return `param ${issue.path.join('.')}: ${reason}`;
  });
  throw new Error(`${tool}: ${wrong.join('; ')}`);
}

/** A tool that takes none says so of those that it is given. */
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
