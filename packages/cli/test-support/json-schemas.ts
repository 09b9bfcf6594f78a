/**
 * The lines of `--json` and of task files as schemas, for docs/reference/schema and for the tests that hold the command to
 * them. Run as a program it writes the files.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSchemas, STATUSES } from '@longhand/sdk/internal';
import * as z from 'zod';
import { RUN_STATUSES } from '../src/batch/results.ts';
import { EXIT } from '../src/exit-code.ts';
import { SCHEMA_VERSION } from '../src/view/own-lines.ts';
import { configSchema } from './config-documents.ts';

export const DIRECTORY = join(import.meta.dirname, '../../../docs/reference/schema');

const version = { schema_version: z.literal(SCHEMA_VERSION) };
const conversationId = z.uuid();
const usd = z.number().min(0).describe('US dollars; 0 if nobody knows the price');
const milliseconds = z.number().min(0).describe('milliseconds');
const tokens = z
  .object({
    prompt: z.int(),
    completion: z.int(),
    cache_read: z.int(),
    cache_write: z.int(),
    reasoning: z.int(),
  })
  .describe('of all models of the conversation together');
const exitCode = z.union(Object.values(EXIT).map((code) => z.literal(code)));
const anything = z.record(z.string(), z.unknown());

/** By their `type`. */
export const OWN_LINES = {
  conversation: z.object({
    ...version,
    type: z.literal('conversation'),
    conversation_id: conversationId,
    name: z.string().optional().describe('that the user gave it'),
    agent: z.string().optional().describe('the name of the agent'),
    model: z.string().optional(),
    working_dir: z.string().optional(),
    resumed: z.boolean(),
    longhand: z.string().describe('the version of the program'),
  }),
  output: z
    .object({
      ...version,
      type: z.literal('output'),
      tool_name: z.string(),
      action_id: z.string().describe('id of the ActionEvent'),
      text: z.string().describe('what the call has printed since the previous such line'),
      omitted: z.int().min(1).optional().describe('characters that are left out before text'),
    })
    .describe('what a running call prints, before its ObservationEvent'),
  outcome: z.object({
    ...version,
    type: z.literal('outcome'),
    conversation_id: conversationId,
    status: z.enum(['finished', 'error', 'stuck', 'limit', 'paused', 'waiting', 'interrupted']),
    exit_code: exitCode,
    message: z.string().optional().describe('what the agent said last, if it finished'),
    code: z.string().optional().describe('which error or limit'),
    detail: z.string().optional().describe('for people: what went wrong'),
    remedy: z.string().optional().describe('for people: what to do about it'),
    cost_usd: usd,
    unpriced_calls: z
      .int()
      .optional()
      .describe('how many calls the cost lacks, because their price is unknown'),
    tokens,
    duration_ms: milliseconds,
  }),
  result: z.object({
    ...version,
    type: z.literal('result'),
    instance_id: z.string(),
    model_name_or_path: z.string(),
    model_patch: z.string().describe('what git apply needs; empty if nothing was changed'),
    status: z.enum(RUN_STATUSES),
    conversation_id: conversationId.nullable().describe('null if it did not come to one'),
    cost_usd: usd,
    tokens,
    duration_ms: milliseconds,
    exit_code: exitCode,
    message: z.string().optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
  }),
  batch: z.object({
    ...version,
    type: z.literal('batch'),
    out: z.string(),
    total: z.int(),
    done: z.int().describe('those that have a result'),
    finished: z.int(),
    cost_usd: usd,
  }),
  summary: z.object({
    ...version,
    type: z.literal('summary'),
    id: conversationId,
    directory: z.string(),
    status: z.enum(STATUSES),
    title: z.string().describe('the first words of the user'),
    name: z.string().optional(),
    workingDir: z.string().optional(),
    events: z.int(),
    costUsd: usd,
    unpricedCalls: z
      .int()
      .optional()
      .describe('how many calls the cost lacks, because their price is unknown'),
    modifiedMs: z.number().describe('milliseconds since 1970'),
  }),
  event: z.object({
    ...version,
    type: z.literal('event'),
    index: z.int(),
    event: anything.describe('as in event.schema.json'),
    state: anything.describe('after it'),
  }),
  call: z.looseObject({
    ...version,
    type: z.literal('call'),
    usage_id: z.string().describe('for what the model was asked'),
    model: z.string(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    reasoning_tokens: z.int(),
    cost: z.number().nullable(),
    latency: z.number().nullable().describe('seconds'),
  }),
  model: z.object({
    ...version,
    type: z.literal('model'),
    model: z.string(),
    provider: z.string(),
    dialect: z.string(),
    address: z.string(),
    key: z.string(),
    context_window: z.int().nullable(),
    usd_per_million_tokens: z.record(z.string(), z.number()).nullable(),
    features: z.record(z.string(), z.object({ value: z.boolean(), why: z.string() })),
    notes: z.array(z.string()),
  }),
  prompt: z.object({
    ...version,
    type: z.literal('prompt'),
    parts: z.array(z.looseObject({ section: z.string(), source: z.string(), text: z.string() })),
    tools: z.array(z.looseObject({ name: z.string() })),
  }),
  stats: z.object({
    ...version,
    type: z.literal('stats'),
    conversation_id: conversationId,
    events: z.int(),
    interaction_turns: z.int().describe('messages of the user'),
    tool_calls: z.int(),
    errors: z.int().describe('calls that ended in an error of the agent'),
    failed_calls: z.int().describe('also refused calls, results that are errors, and exit codes above 0'),
    condensations: z.int(),
    model_calls: z.int(),
    seconds: z.number().describe('from the first event to the last'),
    model_seconds: z.number(),
    tool_seconds: z.number(),
    cost: usd,
    unpriced_calls: z
      .int()
      .optional()
      .describe('how many calls the cost lacks, because their price is unknown'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    tools: z.record(z.string(), z.int()).describe('how often each was called'),
    steps: z.array(
      z.object({
        step: z.int().describe('from 1'),
        event: z.int().describe('index of its first event'),
        timestamp: z.string(),
        response_id: z.string(),
        tools: z.array(z.string()),
        errors: z.int(),
        model_seconds: z.number().nullable(),
        tool_seconds: z.number(),
        cost: z.number().nullable(),
        prompt_tokens: z.int().nullable(),
        completion_tokens: z.int().nullable(),
        cache_read_tokens: z.int().nullable(),
      }),
    ),
  }),
  agent: z.object({
    ...version,
    type: z.literal('agent'),
    name: z.string(),
    description: z.string(),
    source: z.string(),
    tools: z.array(z.string()),
  }),
  replay: z.object({
    ...version,
    type: z.literal('replay'),
    reproduced: z.int(),
    recorded: z.int(),
    difference: anything.optional(),
    omitted: z
      .object({ bookkeeping: z.int(), otherBranches: z.int() })
      .optional()
      .describe('events of the log that are not replayed'),
  }),
} as const;

/** Other keys are passed over, as in SWE-bench's own files. */
export const instanceSchema = z
  .looseObject({
    instance_id: z.string().optional(),
    id: z.string().optional().describe('short for instance_id'),
    problem_statement: z.string().optional(),
    task: z.string().optional().describe('short for problem_statement'),
    repo: z.string().nullish().describe('OWNER/NAME of GitHub, an address of git, or a folder'),
    base_commit: z.string().nullish(),
    files: z
      .record(z.string(), z.string())
      .nullish()
      .describe('what the folder holds, by path; not with repo'),
  })
  .describe('One line of a task file of longhand batch.');

/** What stands in docs/reference/schema, by the files' names. */
export function schemaFiles(): { readonly [name: string]: string } {
  const required = { allOf: [either('instance_id', 'id'), either('problem_statement', 'task')] };
  const [first, ...more] = Object.values(OWN_LINES);
  const [firstKind, ...moreKinds] = Object.values(eventSchemas());
  return {
    'own-line.schema.json': written(
      z.discriminatedUnion('type', [first as (typeof OWN_LINES)['conversation'], ...more]),
    ),
    'event.schema.json': written(
      z.discriminatedUnion('kind', [
        firstKind as ReturnType<typeof eventSchemas>['SystemPromptEvent'],
        ...moreKinds,
      ]),
    ),
    'instance.schema.json': written(instanceSchema, required),
    'config.schema.json': `${JSON.stringify(configSchema(), null, 2)}\n`,
  };
}

function either(one: string, other: string): object {
  return { anyOf: [{ required: [one] }, { required: [other] }] };
}

function written(schema: z.ZodType, more: object = {}): string {
  return `${JSON.stringify({ ...z.toJSONSchema(schema, { io: 'input' }), ...more }, null, 2)}\n`;
}

if (import.meta.main) {
  for (const [name, source] of Object.entries(schemaFiles())) writeFileSync(join(DIRECTORY, name), source);
}
