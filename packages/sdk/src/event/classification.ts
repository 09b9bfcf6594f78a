import * as z from 'zod';

/** What an error means for the program or person that reacts to it. */
export const errorClassificationSchema = z.object({
  kind: z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
  retryable: z.boolean(),
  user_action: z.enum(['none', 'retry', 'settings']).optional(),
  error_id: z.string().optional(),
});
export type ErrorClassification = Readonly<z.infer<typeof errorClassificationSchema>>;

type Kind = ErrorClassification['kind'];

function classified(
  kind: Kind,
  retryable: boolean,
  userAction: 'none' | 'retry' | 'settings',
): ErrorClassification {
  return { kind, retryable, user_action: userAction };
}

const AUTH = classified('auth', false, 'settings');
const QUOTA = classified('quota', false, 'settings');
const RATE_LIMIT = classified('rate_limit', true, 'retry');
const CONFIG = classified('config', false, 'settings');
const TRANSIENT = classified('transient', true, 'retry');
const INTERNAL = classified('internal', false, 'none');
const UNKNOWN = classified('unknown', false, 'none');

/** The class of mistakes that the agent can correct itself, such as an invalid tool call. */
export const AGENT_ACTION = classified('agent_action', true, 'retry');

const BY_CODE: ReadonlyMap<string, ErrorClassification> = new Map([
  ['LLMAuthenticationError', AUTH],
  ['ACPAuthRequired', AUTH],
  ['LLMRateLimitError', RATE_LIMIT],
  ['MaxBudgetReached', QUOTA],
  ['LLMBadRequestError', CONFIG],
  ['ACPInitError', CONFIG],
  ['ACPSpawnError', CONFIG],
  ['ACPPromptError', CONFIG],
  ['NotFoundError', CONFIG],
  ['LLMContextWindowExceedError', AGENT_ACTION],
  ['LLMMalformedConversationHistoryError', AGENT_ACTION],
  ['MaxIterationsReached', classified('agent_action', false, 'none')],
  ['ConversationOwnershipLostError', classified('agent_action', false, 'none')],
  ['TypeError', INTERNAL],
  ['KeyError', INTERNAL],
  ['AssertionError', INTERNAL],
  ['AttributeError', INTERNAL],
]);

const BY_DETAIL: readonly (readonly [RegExp, ErrorClassification])[] = [
  [/api key|credential|unauthori[sz]ed|authentication|\b401\b/, AUTH],
  [/usage limit|credit|budget|quota|billing/, QUOTA],
  [/rate limit|too many requests|\b429\b/, RATE_LIMIT],
  [/model .*not found|provider .*not|invalid param|unknown model|not supported/, CONFIG],
  [/timed? ?out|timeout|connection|econnre|socket|\b50[0-9]\b|gateway|overloaded|unavailable/, TRANSIENT],
];

const GENERIC = new Set([
  'LLMServiceUnavailableError',
  'LLMTimeoutError',
  'LLMNoResponseError',
  'APIError',
  'OpenAIError',
]);

/** Classifies an error: by its code, then by the wording of `detail`, then by generic codes. Order: reference, section 1.4. */
export function classify(code: string, detail: string): ErrorClassification {
  const lower = detail.toLowerCase();
  return (
    BY_CODE.get(code) ??
    BY_DETAIL.find(([pattern]) => pattern.test(lower))?.[1] ??
    (GENERIC.has(code) ? TRANSIENT : UNKNOWN)
  );
}
