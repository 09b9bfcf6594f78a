/**
 * Input that is checked with a foreign JSON Schema: draft 2020-12, 2019-09 or 7, whichever `$schema` names, otherwise the first in
 * which it compiles. Formats are not checked: their meaning differs from author to author.
 */
import { type Context, createContext, Script } from 'node:vm';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { InvalidArguments } from './invalid-arguments.ts';
import type { ForeignInput } from './tool.ts';

type JsonSchema = { readonly [key: string]: unknown };
type Compiler = { compile(schema: object): ValidateFunction };

const MAX_FAULTS = 8;

/**
 * The schema as the model gets it, with its checks. A schema that does not compile accepts all arguments, and the tool decides.
 */
export async function jsonSchemaInput(
  schema: JsonSchema,
): Promise<ForeignInput<{ readonly [name: string]: unknown }>> {
  const compilers = await compilersFor(schema);
  let check: ValidateFunction | null | undefined;
  return {
    jsonSchema: schema,
    parse: (args) => {
      check ??= compiled(schema, compilers);
      if (check === null || check(args)) return args as { readonly [name: string]: unknown };
      throw new InvalidArguments(faultText(check.errors ?? []), args);
    },
  };
}

const PATTERN_MS = 100;
const TEST = 'pattern.test(text)';
/** The context in which patterns run; created for the first one. */
let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/** A foreign pattern may take forever on some texts; one that takes too long counts as matching, and the tool decides. */
function bounded(source: string, flags: string) {
  const pattern = new RegExp(source, flags);
  return {
    toString: () => String(pattern), // ajv distinguishes patterns by it
    test: (text: string): boolean => {
      sandbox ??= { context: createContext(Object.create(null) as object), script: new Script(TEST) };
      Object.assign(sandbox.context, { pattern, text });
      try {
        return sandbox.script.runInContext(sandbox.context, { timeout: PATTERN_MS }) === true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        return true;
      }
    },
  };
}
// Only needed when ajv writes code to a file, which it does not do here.
bounded.code = 'bounded';

/** The drafts in the order in which they are tried. */
async function compilersFor({ $schema }: JsonSchema): Promise<readonly (() => Compiler)[]> {
  const options = {
    code: { regExp: bounded },
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    // `constructor` and the like are arguments only if they were passed.
    ownProperties: true,
  } as const;
  const draft = typeof $schema === 'string' ? $schema : '';
  if (/2019-09/.test(draft)) {
    const { default: ajv } = await import('ajv/dist/2019.js');
    return [() => new ajv.Ajv2019(options)];
  }
  const { default: ajv2020 } = await import('ajv/dist/2020.js');
  const { default: ajv } = await import('ajv');
  const newest = () => new ajv2020.Ajv2020(options);
  const seventh = () => new ajv.Ajv(options);
  return /draft-0\d/.test(draft) ? [seventh, newest] : [newest, seventh];
}

/**
 * Null if it does not compile, or only asynchronously. `$schema` and `$id` are left out, since they may refer to what is not available.
 */
function compiled(
  { $schema: _dialect, $id: _id, ...schema }: JsonSchema,
  compilers: readonly (() => Compiler)[],
): ValidateFunction | null {
  for (const make of compilers) {
    try {
      const check = make().compile(schema);
      return '$async' in check ? null : check;
    } catch {
      // the next draft may understand it
    }
  }
  return null;
}

function faultText(errors: readonly ErrorObject[]): string {
  const faults = [...new Set(errors.map(faultOf))];
  const more = faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : [];
  return [...faults.slice(0, MAX_FAULTS), ...more].join('; ');
}

function faultOf({ instancePath, params, message = 'is not valid', keyword }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const named = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof named === 'string') {
    const is = params['missingProperty'] === undefined ? 'there is no such parameter' : 'is missing';
    return `${[...path, named].join('.')}: ${is}`;
  }
  const where = path.join('.') || 'the arguments';
  if (keyword === 'enum') return `${where}: must be one of ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return `${where}: must be ${JSON.stringify(params['allowedValue'])}`;
  return `${where}: ${message}`;
}
