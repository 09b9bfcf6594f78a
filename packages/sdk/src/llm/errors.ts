/** The names of the reference's error classes: the `code` of a ConversationErrorEvent. */
export type LLMErrorCode =
  | 'LLMContextWindowExceedError'
  | 'LLMMalformedConversationHistoryError'
  | 'LLMAuthenticationError'
  | 'LLMRateLimitError'
  | 'LLMTimeoutError'
  | 'LLMServiceUnavailableError'
  | 'LLMContentPolicyViolationError'
  | 'LLMBadRequestError'
  | 'LLMNoResponseError'
  | 'LLMError';

/** A model call that failed. `message` is for people; secrets are masked in it. */
export class LLMError extends Error {
  override readonly name = 'LLMError';
  readonly code: LLMErrorCode;
  readonly retryable: boolean;
  /** What the user can do about it, in a sentence. */
  readonly remedy: string | undefined;
  /** HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The wait that the provider asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: LLMErrorCode,
    message: string,
    details: {
      retryable?: boolean;
      remedy?: string | undefined;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.remedy = details.remedy;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}
