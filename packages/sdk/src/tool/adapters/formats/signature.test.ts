import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureOf } from './signature.ts';

type Run = (...args: never[]) => unknown;

const OLD: readonly Run[] = [
  (context: unknown, paramsJson: string) => [context, paramsJson],
  async (_context: unknown, params_str: string) => params_str,
  async (ctx: unknown, params: string) => [ctx, params],
  (_: unknown, json: string) => json,
  (_ctx: unknown, raw = '{}') => raw,
  (_: unknown, params: string) => params,
  (state: unknown, input: string) => [state, input],
  (context = {}, text = '{}') => [context, text],
  function named(runContext: unknown, input: string) {
    return [runContext, input];
  },
  async function old(context: unknown, params: string) {
    return [context, params];
  },
  { execute: (_run_context: unknown, args: string) => args }.execute,
  {
    async execute(context: unknown, args: string) {
      return [context, args];
    },
  }.execute,
];
const NEW: readonly Run[] = [
  (params: object) => params,
  async (params: object) => params,
  (context: object) => context,
  (json: object) => json,
  (params = {}, call = {}) => [params, call],
  () => 'nothing',
  (params: object, call: object) => [params, call],
  (input: object, { signal }: { signal: AbortSignal }) => [input, signal],
  ({ query }: { query: string }, context: object) => [query, context],
  ({ a, json }: { a: string; json: string }) => [a, json],
  async (input: object, options: object) => [input, options],
  async function* all(args: object, extra: object) {
    yield [args, extra];
  },
  ((params: object, call: object) => [params, call]).bind(null) as Run,
];

for (const run of OLD) {
  test(`old: ${String(run).split('\n')[0]}`, () => assert.equal(signatureOf(run), 'context-and-json'));
}
for (const run of NEW) {
  test(`new: ${String(run).split('\n')[0]}`, () => assert.equal(signatureOf(run), 'params'));
}
