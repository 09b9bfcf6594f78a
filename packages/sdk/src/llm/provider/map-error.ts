import { truncateMiddle } from '../../event/truncate.ts';
import { defined } from '../../value/defined.ts';
import { LLMError, type LLMErrorCode } from '../errors.ts';
import { addressAdvice, nonAnswerOf } from './non-answer.ts';
import { isOverflow } from './overflow-texts.ts';

/** The useful parts of the provider packages' errors. They are recognised by shape, because several copies may be loaded. */
interface CallError {
  readonly message: string;
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly responseBody?: string;
  readonly cause?: unknown;
  readonly code?: unknown;
}

export interface Endpoint {
  readonly model: string;
  readonly address: string;
  /** The source of its key. */
  readonly keyVariable: string;
  /** To be masked in the provider's messages. */
  readonly apiKey?: string;
}

const MALFORMED_HISTORY =
  /tool_use.{0,80}without.{0,40}tool_result|unexpected .?tool_use_id|tool_call_ids? did not have response|must be a response to a prec|tool_result.{0,60}corresponding.{0,30}tool_use|No tool (call|output) found/is;
const CONTENT_POLICY = /content[_ ](policy|management|filter)|safety system|flagged/i;
const AUTHENTICATION =
  /api[_ ]key|unauthori[sz]ed|authentication|invalid.{0,20}credential|permission denied/i;

/** Converts anything that a model call threw to an LLMError. An abort is passed on unchanged. */
export function mapError(error: unknown, endpoint: Endpoint): unknown {
  if (error instanceof LLMError || isAbort(error)) return error;
  const call = rootOf(error);
  const status = call.statusCode;
  const nonAnswer = nonAnswerOf(call.responseBody ?? '', endpoint.address);
  const said = mask(nonAnswer?.said ?? wordsOf(call), endpoint);
  const [code, retryable] = codeOf(status, `${said} ${call.responseBody ?? ''} ${call.code ?? ''}`, call);
  const isFinal = nonAnswer !== undefined && status !== undefined && status < 300;
  return new LLMError(
    code,
    `${endpoint.model} at ${endpoint.address}: ${status === undefined ? '' : `${status} `}${said}`,
    {
      retryable: retryable && !isFinal && !isHopeless(call, endpoint),
      status,
      retryAfterMs: retryAfterMs(call.responseHeaders),
      remedy: (isFinal ? nonAnswer.advice : undefined) ?? remedyOf(code, said, call, endpoint),
      cause: error,
    },
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Some errors are wrapped by a retry layer, or arrive as an event of a stream. */
function rootOf(error: unknown): CallError {
  if (error instanceof Error) return error as CallError;
  const said = (error as { error?: unknown } | null)?.error ?? error;
  const { message, code, type, status_code: status } = (said ?? {}) as Record<string, unknown>;
  return {
    message: typeof message === 'string' ? message : JSON.stringify(said),
    code: code ?? type,
    ...defined({ statusCode: [status, code].find((each) => typeof each === 'number') }),
  };
}

/** Some messages quote the whole response. */
const MAX_WORDS = 600;

/** The provider's own message if there is one, and the cause of "fetch failed". */
function wordsOf(call: CallError): string {
  const cause = call.cause as { message?: string; code?: string; errors?: { message: string }[] } | undefined;
  const beneath = cause?.errors?.map((each) => each.message).join('; ') || cause?.message || cause?.code;
  const body = bodyMessage(call.responseBody);
  return [
    call.message,
    body === call.message ? undefined : body,
    beneath !== undefined && call.message.includes(beneath) ? undefined : beneath,
  ]
    .flatMap((each) => (each === undefined || each === '' ? [] : truncateMiddle(each, MAX_WORDS, ' ... ')))
    .join(': ');
}

function bodyMessage(body: string | undefined): string | undefined {
  if (body === undefined) return undefined;
  try {
    const json = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown };
    const said = (typeof json.error === 'string' ? json.error : json.error?.message) ?? json.message;
    // Some gateways send an object instead of a message.
    return said === undefined || typeof said === 'string' ? said : JSON.stringify(said);
  } catch {
    return body.trim().slice(0, 500);
  }
}

function codeOf(
  status: number | undefined,
  said: string,
  call: CallError,
): [LLMErrorCode, retryable: boolean] {
  if (status !== 429 && isOverflow(said)) return ['LLMContextWindowExceedError', false];
  if (MALFORMED_HISTORY.test(said)) return ['LLMMalformedConversationHistoryError', false];
  if (status === 401 || status === 403) return ['LLMAuthenticationError', false];
  if (status === 429 || /rate.?limit|too many requests/i.test(said))
    return ['LLMRateLimitError', !USED_UP.test(said)];
  if (status === 408 || isTimeout(call)) return ['LLMTimeoutError', true];
  if (status === undefined && AUTHENTICATION.test(said)) return ['LLMAuthenticationError', false];
  if (status !== undefined && status >= 500) return ['LLMServiceUnavailableError', true];
  if (CONTENT_POLICY.test(said)) return ['LLMContentPolicyViolationError', false];
  if (status !== undefined && status >= 400) return ['LLMBadRequestError', false];
  if (/did not contain any choices|empty response|no output generated/i.test(said))
    return ['LLMNoResponseError', true];
  if (/overloaded/i.test(said) || isConnection(call)) return ['LLMServiceUnavailableError', true];
  return ['LLMNoResponseError', true]; // the response is cut off, or not JSON
}

/** The account has nothing left to spend, and waiting does not change that. */
const USED_UP =
  /insufficient[_ ](quota|balance|credits?)|credit balance is too low|billing_hard_limit_reached/i;

/** Another attempt would fail in the same way: the name has no address, or no program listens on this machine. */
function isHopeless(call: CallError, { address }: Endpoint): boolean {
  const { code } = (call.cause ?? {}) as { code?: string };
  return code === 'ENOTFOUND' || (code === 'ECONNREFUSED' && isLoopback(address));
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

function isTimeout(call: CallError): boolean {
  return (call as Error).name === 'TimeoutError' || /timed? ?out|ETIMEDOUT/i.test(call.message);
}

function isConnection(call: CallError): boolean {
  const cause = call.cause as { code?: string } | undefined;
  return (
    /fetch failed|cannot connect|terminated|socket/i.test(call.message) ||
    /^E[A-Z]+$|^UND_/.test(cause?.code ?? '')
  );
}

const REFUSED_SCHEMA =
  /invalid schema for function|function_declarations|input_schema|tools\.\d+|tools\[\d+\]|tool schema/i;
const UNKNOWN_MODEL =
  /model.{0,80}(not found|does not exist|not exist|unknown|invalid|not supported)|no such model|unknown model/is;

function remedyOf(code: LLMErrorCode, said: string, call: CallError, endpoint: Endpoint): string | undefined {
  const { statusCode: status, responseBody = '' } = call;
  if (status === 402 || USED_UP.test(`${said} ${responseBody} ${call.code ?? ''}`))
    return `The account has no credit left: add credit, or use another key in ${endpoint.keyVariable}.`;
  switch (code) {
    case 'LLMBadRequestError':
      if (REFUSED_SCHEMA.test(said))
        return 'The endpoint rejects the schema of a tool: remove that tool, or set native_tool_calling = false.';
      if (status === 404 && nonAnswerOf(responseBody, endpoint.address) !== undefined)
        return addressAdvice(endpoint.address);
      return status === 404 || UNKNOWN_MODEL.test(said)
        ? `Check the model's name, and that ${endpoint.address} serves it.`
        : undefined;
    case 'LLMAuthenticationError':
      return `Check the key in ${endpoint.keyVariable}.`;
    case 'LLMContextWindowExceedError':
      return 'The conversation no longer fits the model: fork it at an earlier event, or use a model with a larger window.';
    case 'LLMServiceUnavailableError':
      if (isHopeless(call, endpoint)) return hopelessRemedy(endpoint);
      return `Check that ${endpoint.address} can be reached, then resume.`;
    case 'LLMTimeoutError':
      return `Check that ${endpoint.address} can be reached, then resume.`;
    case 'LLMRateLimitError':
      return 'Wait, then resume.';
    default:
      return undefined;
  }
}

function hopelessRemedy({ address }: Endpoint): string {
  return isLoopback(address)
    ? `Nothing listens at ${address}: start the model server, then resume.`
    : `Check the host name in ${address} and the network, then resume.`;
}

function mask(said: string, { apiKey }: Endpoint): string {
  return apiKey === undefined || apiKey.length < 4 ? said : said.replaceAll(apiKey, '<secret-hidden>');
}

/** Seconds, an HTTP date, or milliseconds in a separate header. */
function retryAfterMs(headers: CallError['responseHeaders']): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
